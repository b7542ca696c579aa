import { cw } from "../client.js";
import { href } from "../route.js";
import { type Text, t } from "../text/text.js";
import { useLoad } from "../ui/load.js";
import { Section } from "../ui/page.js";

interface Step {
  done: boolean;
  to: string;
  text: Text;
}

async function steps(): Promise<Step[]> {
  const [assistants, numbers, calls, keys, webhook] = await Promise.all([
    cw.listAssistants({ limit: 1 }).first(), cw.listPhoneNumbers({ limit: 100 }).first(), cw.listCalls({ limit: 1 }).first(), cw.listApiKeys({ limit: 1 }).first(), cw.getWebhook(),
  ]);
  return [
    { done: assistants.data.length > 0, to: "/assistants", text: "Make an assistant" },
    { done: numbers.data.some((one) => one.assistant_id), to: "/assistants", text: "Link a number to it" },
    { done: calls.data.length > 0, to: "/calls", text: "Hold a first call" },
    { done: keys.data.length > 0, to: "/keys", text: "Make a key for your server" },
    { done: !!webhook.url, to: "/webhooks", text: "Name the server that gets your events" },
  ];
}

/** What a new account has to do, until all is done. */
export function FirstSteps() {
  const { data } = useLoad(steps, []);
  if (!data || data.every(({ done }) => done)) {
    return null;
  }
  return (
    <Section title={t("First steps")}>
      <ol class="steps">
        {data.map(({ done, to, text }) => (
          <li key={text}><span aria-hidden="true">{done ? "✓" : "○"}</span> {done ? <span>{t(text)} <small>{t("done")}</small></span> : <a href={href(to)}>{t(text)}</a>}</li>
        ))}
      </ol>
    </Section>
  );
}

import { cw } from "../client.js";
import { t } from "../text/text.js";
import { Confirm } from "../ui/dialog.js";
import { Field, Form } from "../ui/form.js";
import { Section } from "../ui/page.js";
import type { Detail } from "./call.js";
import { Listen } from "./call_listen.js";

/** What can be done while a call goes on. */
export function Live({ call, reload }: { call: Detail; reload: () => void }) {
  const talking = call.call_status === "in-progress";
  const send = (body: Parameters<typeof cw.injectCallMessage>[1]) => cw.injectCallMessage(call.call_id, body);
  return (
    <Section title={t("While it goes on")}>
      {talking && (
        <div class="columns">
          <Form
            name={t("Let the assistant say")} button={t("Say")} done={t("The assistant says it.")}
            submit={(values) => send({ type: "say", content: values.text("content"), interrupt: values.checked("interrupt") })}
          >
            <Field name="content" label={t("Let the assistant say")} required />
            <Field name="interrupt" label={t("At once, cutting off what it says")} type="checkbox" />
          </Form>
          <Form
            name={t("Transfer the caller")} button={t("Transfer")} done={t("The call is being transferred.")}
            submit={(values) => send({ type: "transfer", phone_number: values.text("phone_number") })}
          >
            <Field name="phone_number" label={t("Transfer the caller to")} hint={t("With its country, such as +31612345678.")} type="tel" required />
          </Form>
        </div>
      )}
      {talking && <Listen key={call.call_id} callID={call.call_id} />}
      <Confirm button={t("Hang up")} question={t("The call ends now.")} act={() => cw.endCall(call.call_id).then(reload)} />
    </Section>
  );
}

import { useState } from "preact/hooks";
import { cw } from "../client.js";
import { may } from "../session.js";
import { day, t, time } from "../text/text.js";
import { Confirm } from "../ui/dialog.js";
import { Field, Form, Secret } from "../ui/form.js";
import { List } from "../ui/list.js";
import { Badge, Page, Section, ToDo } from "../ui/page.js";

export function Keys() {
  const [made, setMade] = useState<string>();
  const [turn, again] = useState(0);
  const show = ({ key }: { key: string }) => {
    setMade(key);
    again(turn + 1);
  };
  return (
    <Page title={t("API keys")}>
      <p>{t("A key stands for your account: keep it on your servers. Calls of a test key never reach a carrier.")}</p>
      {may("write") && (
        <Section title={t("Make a key")}>
          <Form name={t("Make a key")} button={t("Make a key")} inline submit={async (values) => show(await cw.createApiKey(input(values)))}>
            <Field name="name" label={t("What it is for")} required maxLength={100} />
            <Field name="mode" label={t("Mode")} hint={may("manage") ? undefined : t("Admins make live keys.")}><option value="test">{t("test")}</option>{may("manage") && <option value="live">{t("live")}</option>}</Field>
            <Field name="scopes" label={t("What it may do")}>
              <option value="write">{t("read and write")}</option><option value="read">{t("read")}</option><option value="admin">{t("everything")}</option>
            </Field>
          </Form>
          {made && <Secret text={made} />}
        </Section>
      )}
      <List
        name={t("API keys")} deps={[turn]} load={(page) => cw.listApiKeys(page)} id={(key) => key.id}
        empty={<ToDo text="There is no key yet. Make one for your server above." />}
        columns={[
          { head: t("What it is for"), cell: (key) => key.name || "–" },
          { head: t("Key"), cell: (key) => <code>{key.prefix}…</code> },
          { head: t("Mode"), cell: (key) => <Badge of={key.mode} /> },
          { head: t("What it may do"), cell: (key) => widest(key.scopes) },
          { head: t("Last used"), cell: (key) => (key.last_used_at ? time(key.last_used_at) : t("never")) },
          { head: t("Expires"), cell: (key) => (key.expires_at ? day(key.expires_at) : t("never")) },
          {
            head: t("Actions"), cell: (key) => may(key.mode === "live" ? "manage" : "write") && (
              <div class="bar">
                <Confirm button={t("Rotate")} question={t("The new key replaces this one, which goes on for a day.")} act={async () => show(await cw.rotateApiKey(key.id))} />
                <Confirm button={t("Revoke")} question={t("What uses this key is refused from now on.")} act={() => cw.deleteApiKey(key.id).then(() => again(turn + 1))} />
              </div>
            ),
          },
        ]}
      />
    </Page>
  );
}

const widest = (scopes: readonly string[]) => (scopes.includes("admin") ? t("everything") : scopes.includes("write") ? t("read and write") : t("read"));

const input = (values: { text: (name: string) => string }) =>
  ({ name: values.text("name"), mode: values.text("mode"), scopes: [values.text("scopes")] }) as Parameters<typeof cw.createApiKey>[0];

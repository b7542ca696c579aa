import { cw } from "../client.js";
import { go, href } from "../route.js";
import { may } from "../session.js";
import { t, time } from "../text/text.js";
import { Open } from "../ui/dialog.js";
import { Field, Form } from "../ui/form.js";
import { List } from "../ui/list.js";
import { Page, ToDo } from "../ui/page.js";

export function Assistants() {
  return (
    <Page title={t("Assistants")} actions={may("write") && <Open button={t("New assistant")} title={t("New assistant")}>{() => <Create />}</Open>}>
      <List
        name={t("Assistants")} load={(page) => cw.listAssistants(page)} id={(one) => one.assistant_id}
        empty={<ToDo text="There is no assistant yet. Make one: a name and what it is to do are enough." />}
        columns={[
          { head: t("Name"), cell: (one) => <a href={href(`/assistants/${one.assistant_id}`)}>{one.assistant_name}</a> },
          { head: t("Number"), cell: (one) => one.phone_number ?? t("none") },
          { head: t("Changed"), cell: (one) => time(one.updated_at) },
          { head: t("Calls"), cell: (one) => <a href={href("/calls", { assistant_id: one.assistant_id })}>{t("Calls")}</a> },
        ]}
      />
    </Page>
  );
}

function Create() {
  return (
    <Form
      name={t("New assistant")} button={t("Make it")}
      submit={async (values) => {
        const { assistant_id } = await cw.createAssistant({ assistant_name: values.text("assistant_name"), llm_content: values.text("llm_content") });
        go(`/assistants/${assistant_id}`);
      }}
    >
      <Field name="assistant_name" label={t("Name")} required />
      <Field name="llm_content" label={t("Instructions")} hint={t("Whom it works for, what it is to do, and how it speaks.")} rows={6} />
    </Form>
  );
}

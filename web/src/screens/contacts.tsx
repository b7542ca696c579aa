import { cw } from "../client.js";
import { filter, go, href, useRoute } from "../route.js";
import { may } from "../session.js";
import { t, time } from "../text/text.js";
import { Open } from "../ui/dialog.js";
import { Field, Form } from "../ui/form.js";
import { List } from "../ui/list.js";
import { Page, ToDo } from "../ui/page.js";

const filters = ["full_name", "phone_number", "email"] as const;

export function Contacts() {
  const { query } = useRoute();
  const wanted = Object.fromEntries(filters.map((name) => [name, query.get(name)]).filter(([, value]) => value)) as Record<string, string>;
  return (
    <Page title={t("Contacts")} actions={may("write") && <Open button={t("New contact")} title={t("New contact")}>{() => <Create />}</Open>}>
      <Form name={t("Filters")} button={t("Search")} inline keep submit={(values) => Promise.resolve(filter(Object.fromEntries(filters.map((name) => [name, values.some(name)]))))}>
        <Field name="full_name" label={t("Name")} value={wanted["full_name"]} />
        <Field name="phone_number" label={t("Number")} value={wanted["phone_number"]} />
        <Field name="email" label={t("E-mail")} value={wanted["email"]} />
      </Form>
      <List
        name={t("Contacts")} deps={[JSON.stringify(wanted)]} load={(page) => cw.listContacts({ ...wanted, ...page })} id={(one) => one.contact_id}
        empty={Object.keys(wanted).length > 0 ? <p>{t("No contact is like that.")}</p> : <ToDo text="There are no contacts yet. Add whom your assistants are to call." />}
        columns={[
          { head: t("Name"), cell: (one) => <a href={href(`/contacts/${one.contact_id}`)}>{one.full_name || one.phone_number}</a> },
          { head: t("Number"), cell: (one) => one.phone_number },
          { head: t("E-mail"), cell: (one) => one.email ?? "" },
          { head: t("Last call"), cell: (one) => time(one.last_interaction_at) },
        ]}
      />
    </Page>
  );
}

function Create() {
  return (
    <Form
      name={t("New contact")} button={t("Add")}
      submit={async (values) => {
        const { contact_id } = await cw.createContact({ phone_number: values.text("phone_number"), full_name: values.orNull("full_name"), email: values.orNull("email") });
        go(`/contacts/${contact_id}`);
      }}
    >
      <Field name="phone_number" label={t("Number")} hint={t("With its country, such as +31612345678.")} type="tel" required />
      <Field name="full_name" label={t("Name")} />
      <Field name="email" label={t("E-mail")} type="email" />
    </Form>
  );
}

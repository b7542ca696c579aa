import { useState } from "preact/hooks";
import type { Body } from "../sdk.js";
import { cw } from "../client.js";
import { enter, person } from "../session.js";
import { t, time } from "../text/text.js";
import { Act, Field, Form } from "../ui/form.js";
import { List } from "../ui/list.js";
import { Page, Section } from "../ui/page.js";

/** The person: name, language, zone, password, and where they are signed in. */
export function Profile() {
  return (
    <Page title={t("You")}>
      <Section title={t("Who you are")}><About /></Section>
      <Section title={t("Password")}><Password /></Section>
      <Section title={t("Where you are signed in")}><Sessions /></Section>
    </Page>
  );
}

function About() {
  const { name, email, locale, time_zone: zone } = person().person;
  return (
    <Form
      name={t("Who you are")} button={t("Save")} done={t("Saved.")} keep
      submit={async (values) => enter(await cw.patchSession({
        name: values.text("name"), locale: values.text("locale") as NonNullable<Body<"patch-session">["locale"]>, time_zone: values.text("time_zone"),
      }))}
    >
      <p>{email}</p>
      <Field name="name" label={t("Your name")} value={name} autocomplete="name" />
      <Field name="locale" label={t("Language")}>
        <option value="en" selected={locale === "en"}>English</option><option value="nl" selected={locale === "nl"}>Nederlands</option>
      </Field>
      <Field name="time_zone" label={t("Time zone")} hint={t("Times are shown in it.")}>
        {[...new Set([zone, "UTC", ...Intl.supportedValuesOf("timeZone")])].map((one) => <option value={one} selected={one === zone} key={one}>{one}</option>)}
      </Field>
    </Form>
  );
}

function Password() {
  return (
    <Form
      name={t("Password")} button={t("Change the password")} done={t("Changed. Everywhere else you are signed out.")}
      submit={(values) => cw.changePassword({ current: values.text("current"), new: values.text("new") })}
    >
      <input type="hidden" autocomplete="username" value={person().person.email} />
      <Field name="current" label={t("Your password")} type="password" autocomplete="current-password" required />
      <Field name="new" label={t("New password")} hint={t("At least ten characters.")} type="password" autocomplete="new-password" required />
    </Form>
  );
}

function Sessions() {
  const [turn, setTurn] = useState(0);
  const again = () => setTurn((n) => n + 1);
  return (
    <>
      <Act act={() => cw.endOtherSessions().then(again)}>{t("Sign out everywhere else")}</Act>
      <List
        name={t("Where you are signed in")} deps={[turn]} load={(page) => cw.listSessions(page)} id={(one) => one.id} empty={<p>{t("Nowhere.")}</p>}
        columns={[
          { head: t("Where"), cell: (one) => <>{one.address} {one.current && <strong>{t("here")}</strong>}<br /><small>{one.user_agent}</small></> },
          { head: t("Account"), cell: (one) => one.account.name },
          { head: t("Since"), cell: (one) => time(one.created_at) },
          { head: t("Last used"), cell: (one) => time(one.last_used_at) },
          { head: t("Actions"), cell: (one) => !one.current && <Act act={() => cw.endSession(one.id).then(again)}>{t("Sign out there")}</Act> },
        ]}
      />
    </>
  );
}

import type { Result } from "../sdk.js";
import { cw } from "../client.js";
import { href } from "../route.js";
import { may } from "../session.js";
import { number, t, time, word } from "../text/text.js";
import { Field, Form } from "../ui/form.js";
import { List } from "../ui/list.js";
import { useLoad } from "../ui/load.js";
import { Await, Facts, Page, Section } from "../ui/page.js";

/** The account: who it is, what it may do, and its credits. */
export function Account() {
  return (
    <Page title={t("Account")}>
      <Section title={t("Who it is")}><About /></Section>
      <Section title={t("What it may do")}><Limits /></Section>
      <Section title={t("Credits")}><Credits /></Section>
    </Page>
  );
}

function About() {
  const profile = useLoad(() => cw.getProfile(), []);
  return (
    <Await of={profile}>
      {(data) => !may("manage") ? <Facts of={[[t("Name"), data.full_name], [t("E-mail"), data.email], [t("Company"), data.company_name]]} /> : (
        <Form
          name={t("Who it is")} button={t("Save")} done={t("Saved.")} keep
          submit={(values) => cw.patchProfile({ full_name: values.text("full_name"), company_name: values.orNull("company_name"), phone_number: values.orNull("phone_number") })}
        >
          <Field name="full_name" label={t("Name")} value={data.full_name} />
          <Field name="company_name" label={t("Company")} value={data.company_name} />
          <Field name="phone_number" label={t("Number")} value={data.phone_number} type="tel" hint={t("With its country, such as +31612345678.")} />
        </Form>
      )}
    </Await>
  );
}

const days = (count: number | null) => (count === null ? t("for ever") : t("{count} days", { count }));

function Limits() {
  const limits = useLoad(() => cw.getLimits(), []);
  const of = (used: number, limit: number | null) => (limit === null ? t("{used}, without limit", { used: number(used) }) : t("{used} of {limit}", { used: number(used), limit: number(limit) }));
  return (
    <Await of={limits}>
      {(data) => (
        <>
          <Facts
            of={[
              [t("Calls at a time"), of(data.concurrent_calls.used, data.concurrent_calls.limit)],
              [t("Of which kept for calls to you"), number(data.concurrent_calls.reserved_inbound)],
              [t("Minutes today"), of(data.daily_minutes.used, data.daily_minutes.limit)],
              [t("Calls to one number within an hour"), data.calls_per_number.limit === null ? t("without limit") : number(data.calls_per_number.limit)],
              [t("Countries that may be called"), data.destinations.countries.join(", ")],
              [t("Calls are kept"), days(data.retention.calls_days)],
              [t("Recordings are kept"), days(data.retention.recordings_days)],
              [t("What was said is kept"), days(data.retention.transcripts_days)],
              [t("Events are kept"), days(data.retention.events_days)],
            ]}
          />
          {Object.entries(data.refused_today).length > 0 && (
            <p class="remedy">{t("Refused today:")} {Object.entries(data.refused_today).map(([rule, count]) => `${word(rule)} ${String(count)}`).join(", ")}</p>
          )}
        </>
      )}
    </Await>
  );
}

type Entry = Result<"get-credits">["entries"][number];

function Credits() {
  return (
    <List<Entry>
      name={t("Credits")} id={(one) => one.id} empty={<p>{t("There were never credits here. Ask your operator for some: numbers cost them.")}</p>}
      load={(page) => ({
        first: async () => {
          const { entries, pagination } = await cw.getCredits(page);
          return { data: entries, pagination };
        },
      })}
      columns={[
        { head: t("When"), cell: (one) => time(one.created_at) },
        { head: t("What for"), cell: (one) => one.phone_number_order_id ? <a href={href("/numbers")}>{one.reason}</a> : one.reason },
        { head: t("Amount"), number: true, cell: (one) => number(one.amount) },
        { head: t("Balance"), number: true, cell: (one) => number(one.balance) },
      ]}
    />
  );
}

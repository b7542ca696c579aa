import { cw } from "../client.js";
import { go, href } from "../route.js";
import { may } from "../session.js";
import { t, time } from "../text/text.js";
import { Confirm, Open } from "../ui/dialog.js";
import { Field, Form } from "../ui/form.js";
import { Table } from "../ui/list.js";
import { useLoad } from "../ui/load.js";
import { Await, Badge, Facts, Page, Section } from "../ui/page.js";
import { ScheduleForm } from "./schedule_form.js";

const texts = ["full_name", "phone_number", "email", "address"] as const;

export function Contact({ id }: { id: string }) {
  const contact = useLoad((signal) => cw.getContact(id, { signal }), [id], ["end-of-call-report"]);
  return (
    <Await of={contact}>
      {(data) => (
        <Page
          title={data.full_name || data.phone_number}
          actions={may("write") && <Open button={t("Schedule a call")} title={t("Schedule a call")}>{() => <ScheduleForm contact={id} done={() => go("/scheduled")} />}</Open>}
        >
          <p><a href={href("/contacts")}>{t("All contacts")}</a></p>
          <Facts of={[[t("Last call"), time(data.last_interaction_at)], [t("What it was about"), data.last_interaction_summary], [t("Appointment"), data.meeting_date && time(data.meeting_date)]]} />
          <Section title={t("Who it is")}>
            <Form
              name={t("Who it is")} button={t("Save")} done={t("Saved.")} keep takes="write"
              submit={async (values) => {
                await cw.patchContact(id, Object.fromEntries(texts.map((name) => [name, values.orNull(name)])));
                contact.reload();
              }}
            >
              <Field name="full_name" label={t("Name")} value={data.full_name} />
              <Field name="phone_number" label={t("Number")} value={data.phone_number} type="tel" required />
              <Field name="email" label={t("E-mail")} value={data.email} type="email" />
              <Field name="address" label={t("Address")} value={data.address} rows={2} />
            </Form>
          </Section>
          <Section title={t("Calls")}>
            {data.recent_calls.length === 0 ? <p>{t("None yet.")}</p> : (
              <Table
                name={t("Calls")} rows={data.recent_calls} id={(call) => call.call_id}
                columns={[
                  { head: t("Status"), cell: (call) => <Badge of={call.call_status} /> },
                  { head: t("Began"), cell: (call) => <a href={href(`/calls/${call.call_id}`)}>{time(call.created_at)}</a> },
                  { head: t("Assistant"), cell: (call) => call.assistant_name },
                  { head: t("Summary"), cell: (call) => call.summary ?? "" },
                ]}
              />
            )}
          </Section>
          {may("write") && (
            <div class="bar">
              <Confirm button={t("Delete the contact")} question={t("The calls with this person are kept.")} act={() => cw.deleteContact(id).then(() => go("/contacts"))} />
              <Confirm
                button={t("Erase the person")} question={t("All that is known of this person is deleted for good: the words and recordings of their calls too.")}
                act={() => cw.deleteContact(id, { erase: true }).then(() => go("/contacts"))}
              />
            </div>
          )}
        </Page>
      )}
    </Await>
  );
}

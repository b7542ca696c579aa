import { cw } from "../client.js";
import { href } from "../route.js";
import { instant, local, t } from "../text/text.js";
import { Field, Form } from "../ui/form.js";
import { useLoad } from "../ui/load.js";
import { Await } from "../ui/page.js";

const hour = 3_600_000;

async function choices(contact: string | undefined) {
  const [assistants, contacts] = await Promise.all([cw.listAssistants({ limit: 100 }).first(), contact ? undefined : cw.listContacts({ limit: 100 }).first()]);
  return { assistants: assistants.data, contacts: contacts?.data };
}

/** Plans a call, with a contact or one that is chosen. */
export function ScheduleForm({ contact, done }: { contact?: string; done: () => void }) {
  const loaded = useLoad(() => choices(contact), [contact]);
  return (
    <Await of={loaded}>
      {({ assistants, contacts }) => contacts?.length === 0 ? <p>{t("There is nobody to call yet.")} <a href={href("/contacts")}>{t("New contact")}</a></p>
      : assistants.length === 0 ? <p>{t("There is nobody who calls yet.")} <a href={href("/assistants")}>{t("New assistant")}</a></p> : (
        <Form
          name={t("Schedule a call")} button={t("Schedule")}
          submit={async (values) => {
            const instruction = values.some("instruction");
            const attempts = values.number("retry.max_attempts") ?? 1;
            await cw.createScheduledCall({
              assistant_id: values.text("assistant_id"), contact_id: contact ?? values.text("contact_id"), scheduled_time: instant(values.text("scheduled_time")),
              ...(instruction ? { instruction } : {}), ...(attempts !== 1 ? { retry: { max_attempts: attempts, delay_seconds: 3600, on: ["busy", "no-answer", "failed"] } } : {}),
            });
            done();
          }}
        >
          {contacts && (
            <Field name="contact_id" label={t("Contact")}>{contacts.map((one) => <option value={one.contact_id} key={one.contact_id}>{one.full_name || one.phone_number}</option>)}</Field>
          )}
          <Field name="assistant_id" label={t("Assistant")}>{assistants.map((one) => <option value={one.assistant_id} key={one.assistant_id}>{one.assistant_name}</option>)}</Field>
          <Field name="scheduled_time" label={t("When")} type="datetime-local" required value={local(new Date(Date.now() + hour).toISOString())} />
          <Field name="retry.max_attempts" label={t("Attempts at most")} hint={t("An hour apart, where nobody answers.")} type="number" min={1} max={10} value={1} />
          <Field name="instruction" label={t("Instruction for this call")} rows={3} />
        </Form>
      )}
    </Await>
  );
}

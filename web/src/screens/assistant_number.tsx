import { cw } from "../client.js";
import { href } from "../route.js";
import { may } from "../session.js";
import { t } from "../text/text.js";
import { Confirm } from "../ui/dialog.js";
import { Field, Form } from "../ui/form.js";
import { useLoad } from "../ui/load.js";
import { Await, Section } from "../ui/page.js";
import type { AssistantDetail } from "./assistant.js";

/** The number at which an assistant is called, and calls. */
export function AssistantNumber({ assistant, reload }: { assistant: AssistantDetail; reload: () => void }) {
  const id = assistant.assistant_id;
  return (
    <Section title={t("Its number")}>
      {assistant.phone_number ? (
        <div class="bar">
          <strong>{assistant.phone_number}</strong>
          {may("write") && <Confirm button={t("Unlink")} question={t("The assistant takes and places no calls any more.")} act={() => cw.unlinkAssistantPhoneNumber(id).then(reload)} />}
        </div>
      ) : may("write") ? <Link id={id} reload={reload} /> : <p>{t("none")}</p>}
    </Section>
  );
}

function Link({ id, reload }: { id: string; reload: () => void }) {
  const numbers = useLoad(() => cw.listPhoneNumbers({ limit: 100 }).first(), []);
  return (
    <Await of={numbers}>
      {({ data }) =>
        data.length === 0 ? <p>{t("You have no number.")} <a href={href("/numbers")}>{t("Numbers")}</a></p> : (
          <Form
            name={t("Link a number")} button={t("Link")} inline
            submit={async (values) => {
              await cw.linkAssistantPhoneNumber(id, { phone_number_id: values.text("phone_number_id") });
              reload();
            }}
          >
            <Field name="phone_number_id" label={t("Number")}>
              {data.map((one) => <option value={one.id} key={one.id}>{one.number}{one.assistant_id ? ` (${t("linked elsewhere")})` : ""}</option>)}
            </Field>
          </Form>
        )}
    </Await>
  );
}

import { cw } from "../client.js";
import { go } from "../route.js";
import { t } from "../text/text.js";
import { Open } from "../ui/dialog.js";
import { Field, Form } from "../ui/form.js";
import { useLoad } from "../ui/load.js";
import { Await } from "../ui/page.js";

/** Calls somebody now. */
export function PlaceCall() {
  return <Open button={t("Place a call")} title={t("Place a call")}>{() => <CallForm />}</Open>;
}

function CallForm() {
  const assistants = useLoad(() => cw.listAssistants({ limit: 100 }).first(), []);
  return (
    <Await of={assistants}>
      {({ data }) => {
        const able = data.filter((assistant) => assistant.phone_number);
        if (able.length === 0) {
          return <p>{t("No assistant has a number. Open one and link a number to it.")}</p>;
        }
        return (
          <Form
            name={t("Place a call")} button={t("Call now")}
            submit={async (values) => {
              const call = await cw.createDirectCall({ assistant_id: values.text("assistant_id"), contact_phone_number: values.text("contact_phone_number") });
              go(`/calls/${call.call_id}`);
            }}
          >
            <Field name="assistant_id" label={t("Assistant")}>{able.map((one) => <option value={one.assistant_id} key={one.assistant_id}>{one.assistant_name}</option>)}</Field>
            <Field name="contact_phone_number" label={t("Number")} hint={t("With its country, such as +31612345678.")} type="tel" required />
          </Form>
        );
      }}
    </Await>
  );
}

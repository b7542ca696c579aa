import { cw } from "../client.js";
import { href } from "../route.js";
import { t } from "../text/text.js";
import { Open } from "../ui/dialog.js";
import { Field, Form } from "../ui/form.js";
import { useLoad } from "../ui/load.js";
import { Await } from "../ui/page.js";

/** Orders a number, for a group that was verified. */
export function OrderNumber({ done }: { done: () => void }) {
  return <Open button={t("Order a number")} title={t("Order a number")}>{(close) => <Order done={() => { done(); close(); }} />}</Open>;
}

async function choices() {
  const [groups, numbers] = await Promise.all([
    cw.listVerificationGroups({ limit: 100, status: "approved" }).first(), cw.listAvailableNumbers({ limit: 50 }).first(),
  ]);
  return { groups: groups.data, numbers: numbers.data };
}

function Order({ done }: { done: () => void }) {
  const loaded = useLoad(choices, []);
  return (
    <Await of={loaded}>
      {({ groups, numbers }) => {
        if (groups.length === 0) {
          return <p>{t("The law asks who orders a number. Have your business verified first.")} <a href={href("/verification")}>{t("Verification")}</a></p>;
        }
        return (
          <Form
            name={t("Order a number")} button={t("Order")}
            submit={async (values) => {
              await cw.createPhoneNumberOrder({ phone_number: values.text("phone_number"), verification_group_id: values.text("verification_group_id") });
              done();
            }}
          >
            <Field name="verification_group_id" label={t("For")}>
              {groups.map((one) => <option value={one.verification_group_id} key={one.verification_group_id}>{one.business_name}</option>)}
            </Field>
            <Field name="phone_number" label={t("Number")}>
              {numbers.map((one) => (
                <option value={one.phone_number} key={one.phone_number}>{one.phone_number} {one.locality ?? one.type} · {t("{credits} credits", { credits: one.monthly_cost_credits })}</option>
              ))}
            </Field>
          </Form>
        );
      }}
    </Await>
  );
}

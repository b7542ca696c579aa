import { useState } from "preact/hooks";
import type { Body, Result } from "../sdk.js";
import { cw } from "../client.js";
import { may } from "../session.js";
import { t, time } from "../text/text.js";
import { Confirm, Open } from "../ui/dialog.js";
import { Act, Field, Form } from "../ui/form.js";
import { List } from "../ui/list.js";
import { Badge, Page, ToDo } from "../ui/page.js";
import { NumberTabs } from "./numbers.js";

/** Numbers that people bring: their accounts at SIP providers. */
export function SIPConnections() {
  const [turn, setTurn] = useState(0);
  const again = () => setTurn((n) => n + 1);
  return (
    <Page title={t("SIP connections")} actions={may("write") && <Open button={t("New connection")} title={t("New connection")}>{(close) => <Create done={() => { again(); close(); }} />}</Open>}>
      <NumberTabs at="/sip" />
      <List
        name={t("SIP connections")} deps={[turn]} on={["sip-connection-stopped"]} load={(page) => cw.listSipConnections(page)} id={(one) => one.id}
        empty={<ToDo text="There is no connection yet. Add the account of your SIP provider to bring your own number." />}
        columns={[
          { head: t("Number"), cell: (one) => one.phone_number },
          { head: t("Provider"), cell: (one) => <>{one.provider_name} <small>{one.sip_proxy}</small></> },
          { head: t("Status"), cell: (one) => <><Badge of={one.status} /> {one.last_error && <span class="bad">{one.last_error}</span>}</> },
          { head: t("Putting callers through"), cell: (one) => ways()[one.transfer] },
          { head: t("Registered until"), cell: (one) => time(one.status === "registered" ? one.registered_until : null) },
          {
            head: t("Actions"), cell: (one) => may("write") && (
              <div class="bar">
                <Act act={() => cw.testSipConnection(one.id).then(again)}>{t("Test")}</Act>
                <Open button={t("Change")} title={t("Putting callers through")}>{(close) => <Change of={one} done={() => { again(); close(); }} />}</Open>
                <Confirm button={t("Delete")} question={t("Its number takes no calls any more.")} act={() => cw.deleteSipConnection(one.id).then(again)} />
              </div>
            ),
          },
        ]}
      />
    </Page>
  );
}

type Connection = Result<"get-sip-connection">;

const ways = (): Record<Connection["transfer"], string> => ({
  auto: t("The provider, and we where it refuses"),
  refer: t("The provider rings the colleague"),
  bridge: t("We ring the colleague and join both"),
});

function Transfer({ now }: { now: Connection["transfer"] }) {
  return (
    <Field name="transfer" label={t("Putting callers through")} hint={t("Colleagues to whom the assistant speaks first are always rung by us.")}>
      {Object.entries(ways()).map(([way, label]) => <option value={way} key={way} selected={way === now}>{label}</option>)}
    </Field>
  );
}

function Change({ of, done }: { of: Connection; done: () => void }) {
  return (
    <Form
      name={t("Putting callers through")} button={t("Save")}
      submit={async (values) => {
        await cw.patchSipConnection(of.id, { transfer: values.text("transfer") as Connection["transfer"] });
        done();
      }}
    >
      <Transfer now={of.transfer} />
    </Form>
  );
}

const fields = ["provider_name", "phone_number", "sip_username", "sip_password", "sip_proxy", "transfer"] as const;

function Create({ done }: { done: () => void }) {
  return (
    <Form
      name={t("New connection")} button={t("Add")}
      submit={async (values) => {
        await cw.createSipConnection(Object.fromEntries(fields.map((name) => [name, values.text(name)])) as Body<"create-sip-connection">);
        done();
      }}
    >
      <Field name="provider_name" label={t("Provider")} required />
      <Field name="phone_number" label={t("Number")} type="tel" hint={t("With its country, such as +31612345678.")} required />
      <Field name="sip_proxy" label={t("Server of the provider")} hint={t("A host name or an IP address, with a port if it is not 5060.")} required />
      <Field name="sip_username" label={t("User name")} autocomplete="off" required />
      <Field name="sip_password" label={t("Password")} type="password" autocomplete="new-password" required />
      <Transfer now="auto" />
    </Form>
  );
}

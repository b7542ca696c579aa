import { useState } from "preact/hooks";
import { cw } from "../client.js";
import { href } from "../route.js";
import { may } from "../session.js";
import { t, time, word } from "../text/text.js";
import { Confirm } from "../ui/dialog.js";
import { List, Table } from "../ui/list.js";
import { useEvery, useLoad } from "../ui/load.js";
import { Await, Badge, Page, Section, ToDo } from "../ui/page.js";
import { OrderNumber } from "./order_number.js";

const every = 2000; // milliseconds between looks at what the carrier does
const shown = 25; // orders

/** The ways between the screens of numbers. */
export function NumberTabs({ at }: { at: string }) {
  const tab = (to: string, name: string) => <a href={href(to)} aria-current={at === to ? "page" : undefined}>{name}</a>;
  return (
    <nav class="tabs" aria-label={t("Numbers")}>
      {tab("/numbers", t("Numbers"))}{tab("/verification", t("Verification"))}{tab("/sip", t("SIP connections"))}
    </nav>
  );
}

export function Numbers() {
  const [turn, setTurn] = useState(0);
  const again = () => setTurn((n) => n + 1);
  return (
    <Page title={t("Numbers")} actions={may("write") && <OrderNumber done={again} />}>
      <NumberTabs at="/numbers" />
      <List
        name={t("Numbers")} deps={[turn]} load={(page) => cw.listPhoneNumbers(page)} id={(one) => one.id}
        empty={<ToDo text="You have no number. Order one, or bring your own by a SIP connection." />}
        columns={[
          { head: t("Number"), cell: (one) => one.number },
          { head: t("Status"), cell: (one) => <Badge of={one.status} /> },
          { head: t("Whose"), cell: (one) => (one.origin === "default" ? t("shared") : t("yours")) },
          { head: t("Kind"), cell: (one) => (one.type ? word(one.type) : "") },
          { head: t("Assistant"), cell: (one) => one.assistant_id ? <a href={href(`/assistants/${one.assistant_id}`)}>{t("linked")}</a> : t("none") },
          {
            head: t("Actions"), cell: (one) => may("write") && one.origin === "custom" && one.status !== "released" && (
              <Confirm button={t("Give up")} question={t("The number is lost for good.")} act={() => cw.deletePhoneNumber(one.id).then(again)} />
            ),
          },
        ]}
      />
      <Section title={t("Orders")}><Orders turn={turn} again={again} /></Section>
    </Page>
  );
}

/** The API lists orders of one state at a time. */
async function newestOrders() {
  const pages = await Promise.all((["pending", "completed", "failed"] as const).map((status) => cw.listPhoneNumberOrders({ status, limit: shown }).first()));
  return pages.flatMap(({ data }) => data).sort((a, b) => b.created_at.localeCompare(a.created_at)).slice(0, shown);
}

function Orders({ turn, again }: { turn: number; again: () => void }) {
  const orders = useLoad(newestOrders, [turn]);
  useEvery(every, orders.data?.some(({ status }) => status === "pending") ?? false, again);
  return (
    <Await of={orders}>
      {(data) => data.length === 0 ? <p>{t("None yet.")}</p> : (
        <Table
          name={t("Orders")} rows={data} id={(one) => one.order_id}
          columns={[
            { head: t("Number"), cell: (one) => one.phone_number },
            { head: t("Status"), cell: (one) => <><Badge of={one.status} /> {one.failure_reason && <span class="bad">{one.failure_reason}</span>}</> },
            { head: t("Credits"), number: true, cell: (one) => one.credits_used },
            { head: t("When"), cell: (one) => time(one.created_at) },
          ]}
        />
      )}
    </Await>
  );
}

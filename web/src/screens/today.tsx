import type { Item } from "../sdk.js";
import { cw } from "../client.js";
import { href } from "../route.js";
import { may } from "../session.js";
import { clock, number, t, time, word } from "../text/text.js";
import { Table } from "../ui/list.js";
import { useLoad } from "../ui/load.js";
import { Await, Badge, Facts, Page, Section } from "../ui/page.js";
import { FirstSteps } from "./first_steps.js";
import { PlaceCall } from "./place_call.js";

type Call = Item<"list-calls">;

const shown = 25;
const live = ["in-progress", "forwarding", "ringing", "dialing", "queued"] as const;
const changes = ["status-update", "end-of-call-report"];

export function Today() {
  return (
    <Page title={t("Today")} actions={may("write") && <PlaceCall />}>
      {may("write") && <FirstSteps />}
      <Section title={t("Calls that go on or wait")}><Going /></Section>
      <div class="columns">
        <Section title={t("What failed in the last 100 calls")}><Failures /></Section>
        <Section title={t("What there is left")}><Left /></Section>
      </div>
    </Page>
  );
}

function Going() {
  const calls = useLoad(
    async () => (await Promise.all(live.map((status) => cw.listCalls({ call_status: status, limit: shown }).first()))).flatMap(({ data }) => data).slice(0, shown),
    [], changes,
  );
  return (
    <Await of={calls}>
      {(data) =>
        data.length === 0 ? <p>{t("No call goes on.")}</p> : (
          <Table
            name={t("Calls that go on or wait")} rows={data} id={(call) => call.call_id}
            columns={[
              { head: t("Status"), cell: (call) => <Badge of={call.call_status} /> },
              { head: t("Who"), cell: (call) => <a href={href(`/calls/${call.call_id}`)}>{call.contact_name || call.contact_phone_number}</a> },
              { head: t("Assistant"), cell: (call) => call.assistant_name },
              { head: t("Why it waits"), cell: (call) => call.explanation ?? "" },
              { head: t("Began"), cell: (call) => time(call.created_at) },
            ]}
          />
        )}
    </Await>
  );
}

function Failures() {
  const calls = useLoad(() => cw.listCalls({ limit: 100 }).first(), [], ["end-of-call-report"]);
  return <Await of={calls}>{({ data }) => <ByFault calls={data.filter((call) => call.call_status === "failed")} />}</Await>;
}

function ByFault({ calls }: { calls: readonly Call[] }) {
  const faults = Map.groupBy(calls, (call) => call.ended_fault ?? "platform");
  if (calls.length === 0) {
    return <p>{t("Nothing failed.")}</p>;
  }
  return (
    <ul>
      {[...faults].map(([fault, failed]) => (
        <li key={fault}>{word(fault)}: <a href={href("/calls", { call_status: "failed" })}>{number(failed.length)}</a></li>
      ))}
    </ul>
  );
}

function Left() {
  const limits = useLoad(() => cw.getLimits(), [], changes);
  return (
    <Await of={limits}>
      {(data) => (
        <Facts
          of={[
            [t("Calls at a time"), t("{used} of {limit}", { used: data.concurrent_calls.used, limit: data.concurrent_calls.limit })],
            [t("Waiting"), number(data.concurrent_calls.waiting)],
            [t("Minutes today"), data.daily_minutes.limit === null ? clock(data.daily_minutes.used * 60) : t("{used} of {limit}", { used: number(data.daily_minutes.used, 1), limit: number(data.daily_minutes.limit) })],
            [t("Credits"), number(data.credits)],
          ]}
        />
      )}
    </Await>
  );
}

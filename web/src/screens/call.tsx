import { useEffect, useRef, useState } from "preact/hooks";
import type { Result } from "../sdk.js";
import { cw } from "../client.js";
import { useTurns } from "../events.js";
import { go, href } from "../route.js";
import { may } from "../session.js";
import { reasonOf, remedyOf } from "../text/reasons.js";
import { clock, number, t, time, word } from "../text/text.js";
import { Confirm } from "../ui/dialog.js";
import { Table } from "../ui/list.js";
import { useLoad } from "../ui/load.js";
import { Await, Badge, Facts, Page, Section } from "../ui/page.js";
import { Costs } from "./call_costs.js";
import { Live } from "./call_live.js";
import { Player } from "./call_player.js";
import { Turns } from "./call_turns.js";

export type Detail = Result<"get-call">;

const live = ["queued", "dialing", "ringing", "in-progress", "forwarding"];

export function Call({ id }: { id: string }) {
  const call = useLoad((signal) => cw.getCall(id, { signal }), [id], (event) => event.call_id === id);
  return (
    <Page title={t("Call")}>
      <p><a href={href("/calls")}>{t("All calls")}</a></p>
      <Await of={call}>{(data) => <Whole call={data} reload={call.reload} />}</Await>
    </Page>
  );
}

function Whole({ call, reload }: { call: Detail; reload: () => void }) {
  const [now, setNow] = useState(-1);
  const seek = useRef<((seconds: number) => void) | undefined>(undefined);
  const going = live.includes(call.call_status);
  const said = useTurns(call.call_id, going);
  useEffect(() => said.at(-1)?.role === "assistant" ? reload() : undefined, [said.length]); // it may have used tools, which are no events
  return (
    <>
      <Summary call={call} />
      {going && may("write") && <Live call={call} reload={reload} />}
      {call.recording_url && <Player url={call.recording_url} onTime={setNow} seek={seek} />}
      {!going && call.recording_missing_seconds != null && <p>{t("The recording lacks {seconds} s: the process that wrote it was lost.", { seconds: number(call.recording_missing_seconds, 1) })}</p>}
      <Section title={t("Conversation")}>
        <Turns turns={said.length > call.transcript.length ? said : call.transcript} now={now} live={going} play={call.recording_url ? (seconds) => seek.current?.(seconds) : undefined} />
      </Section>
      <Analysis call={call} />
      {call.tool_calls.length > 0 && <Section title={t("Tools that were used")}><Tools call={call} /></Section>}
      <Costs call={call} />
      <Section title={t("Timeline")}>
        <ol class="line">{call.timeline.map((entry) => <li key={entry.at + entry.status}><Badge of={entry.status} /> <time dateTime={entry.at}>{time(entry.at)}</time> {entry.destination}</li>)}</ol>
      </Section>
      <Section title={t("Events and their deliveries")}><Deliveries id={call.call_id} /></Section>
      {!going && may("write") && (
        <Confirm button={t("Delete the call")} question={t("Its recording, its conversation and its analysis are deleted for good.")} act={() => cw.deleteCall(call.call_id).then(() => go("/calls"))} />
      )}
    </>
  );
}

function Summary({ call }: { call: Detail }) {
  const remedy = remedyOf(call.ended_reason, call.ended_fault);
  return (
    <>
      <p class="who"><strong>{call.contact_name || call.contact_phone_number || t("erased")}</strong> <Badge of={call.call_status} /></p>
      {call.explanation && <p role="status">{call.explanation}</p>}
      {remedy && <p class="remedy">{remedy}</p>}
      <Facts
        of={[
          [t("Number"), call.contact_phone_number],
          [t("Our number"), call.phone_number],
          [t("Direction"), word(call.direction)],
          [t("Assistant"), call.assistant_id ? <a href={href(`/assistants/${call.assistant_id}`)}>{call.assistant_name}</a> : call.assistant_name],
          [t("Began"), time(call.created_at)],
          [t("Length"), call.duration_seconds ? clock(call.duration_seconds) : ""],
          [t("Why it ended"), call.ended_reason && reasonOf(call.ended_reason)],
          [t("Whose side"), call.ended_fault && word(call.ended_fault)],
          [t("Error"), call.error],
          [t("SIP response"), call.sip_code],
          [t("Reply time"), call.latency && t("{p50} ms median, {p95} ms for the slowest in twenty", { p50: call.latency.p50_ms, p95: call.latency.p95_ms })],
          [t("Line"), call.media && t("{codec}, {lost} of {all} packets lost, jitter {jitter} ms", {
            codec: call.media.codec, lost: call.media.packets_lost, all: call.media.packets_received + call.media.packets_lost, jitter: number(call.media.jitter_ms, 1),
          })],
        ]}
      />
    </>
  );
}

function Analysis({ call }: { call: Detail }) {
  if (!call.analysis_status && !call.summary) {
    return null;
  }
  return (
    <Section title={t("Analysis")}>
      {call.analysis_status === "pending" && <p aria-busy="true">{t("A language model reads the conversation.")}</p>}
      {call.analysis_error && <p class="bad">{call.analysis_error}</p>}
      <Facts
        of={[
          [t("Summary"), call.summary],
          [t("Success"), call.success_evaluation === "true" ? t("yes") : call.success_evaluation === "false" ? t("no") : call.success_evaluation],
          [t("Data"), call.structured_data != null && <pre tabIndex={0}>{JSON.stringify(call.structured_data, null, 2)}</pre>],
        ]}
      />
    </Section>
  );
}

function Tools({ call }: { call: Detail }) {
  return (
    <Table
      name={t("Tools that were used")} rows={call.tool_calls} id={(tool) => tool.id}
      columns={[
        { head: t("At"), number: true, cell: (tool) => clock(tool.seconds_from_start) },
        { head: t("Tool"), cell: (tool) => tool.name },
        { head: t("Arguments"), cell: (tool) => <code>{JSON.stringify(tool.arguments)}</code> },
        { head: t("Outcome"), cell: (tool) => (tool.error ? <span class="bad">{tool.error}</span> : <code>{tool.result}</code>) },
        { head: t("Took"), number: true, cell: (tool) => `${tool.duration_ms} ms` },
      ]}
    />
  );
}

function Deliveries({ id }: { id: string }) {
  const events = useLoad(() => cw.listEvents({ call_id: id, limit: 100 }).first(), [id], (event) => event.call_id === id);
  return (
    <Await of={events}>
      {({ data }) => (
        <Table
          name={t("Events and their deliveries")} rows={data} id={(event) => event.id}
          columns={[
            { head: t("Event"), cell: (event) => <a href={href(`/webhooks/${event.sequence}`)}>{event.type}</a> },
            { head: t("When"), cell: (event) => time(event.created_at) },
            { head: t("Delivery"), cell: (event) => <Badge of={event.delivery} /> },
            { head: t("Attempts"), number: true, cell: (event) => event.attempts },
          ]}
        />
      )}
    </Await>
  );
}

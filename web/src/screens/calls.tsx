import { useState } from "preact/hooks";
import type { Query } from "../sdk.js";
import { cw } from "../client.js";
import { filter, href, useRoute } from "../route.js";
import { clock, t, time, word } from "../text/text.js";
import { reasonOf } from "../text/reasons.js";
import { List } from "../ui/list.js";
import { useLoad } from "../ui/load.js";
import { Badge, Page, ToDo } from "../ui/page.js";
import { PlaceCall } from "./place_call.js";
import { may } from "../session.js";

export const statuses = [
  "queued", "dialing", "ringing", "in-progress", "forwarding", "completed", "missed", "busy", "no-answer", "voicemail", "failed", "canceled",
] as const;

const filters = ["call_status", "assistant_id", "contact_id", "start_date", "end_date"] as const;

export function Calls() {
  const { query } = useRoute();
  const [listed, list] = useState(false);
  const wanted = Object.fromEntries(filters.map((name) => [name, query.get(name) ?? undefined]).filter(([, value]) => value)) as Query<"list-calls">;
  return (
    <Page title={t("Calls")} actions={may("write") && <PlaceCall />}>
      <Filters names={listed} />
      <List
        name={t("Calls, newest first")} deps={[JSON.stringify(wanted)]} load={(page) => ({ first: () => cw.listCalls({ ...wanted, ...page }).first().finally(() => list(true)) })} id={(call) => call.call_id}
        on={["status-update", "end-of-call-report"]}
        empty={Object.keys(wanted).length > 0 ? <p>{t("No call is like that. Change the filters.")}</p> : <ToDo text="There are no calls yet. Link a number to an assistant and call it, or place a call." />}
        columns={[
          { head: t("Status"), cell: (call) => <Badge of={call.call_status} /> },
          { head: t("Who"), cell: (call) => <a href={href(`/calls/${call.call_id}`)}>{call.contact_name || call.contact_phone_number || t("erased")}</a> },
          { head: t("Direction"), cell: (call) => word(call.direction) },
          { head: t("Assistant"), cell: (call) => call.assistant_name || "–" },
          { head: t("Why"), cell: (call) => (call.ended_reason ? reasonOf(call.ended_reason) : (call.explanation ?? "")) },
          { head: t("Length"), number: true, cell: (call) => (call.duration_seconds ? clock(call.duration_seconds) : "–") },
          { head: t("Began"), cell: (call) => time(call.created_at) },
        ]}
      />
    </Page>
  );
}

/** Has the names of assistants, which come with all that assistants are, behind the list: that is what people came for. */
function Filters({ names }: { names: boolean }) {
  const { query } = useRoute();
  const assistants = useLoad(async () => (names ? (await cw.listAssistants({ limit: 100 }).first()).data : []), [names]);
  const at = (name: (typeof filters)[number]) => ({
    value: query.get(name) ?? "",
    onChange: (event: { currentTarget: HTMLSelectElement | HTMLInputElement }) => filter({ [name]: event.currentTarget.value || undefined }),
  });
  const set = filters.some((name) => query.get(name));
  return (
    <div class="bar filters" role="search" aria-label={t("Filters")}>
      <label>{t("Status")}<select {...at("call_status")}><option value="">{t("All")}</option>{statuses.map((status) => <option value={status} key={status}>{word(status)}</option>)}</select></label>
      <label>
        {t("Assistant")}
        <select {...at("assistant_id")}>
          <option value="">{t("All")}</option>
          {assistants.data?.map((one) => <option value={one.assistant_id} key={one.assistant_id}>{one.assistant_name}</option>)}
        </select>
      </label>
      <label>{t("From (UTC)")}<input type="date" {...at("start_date")} /></label>
      <label>{t("Until (UTC)")}<input type="date" {...at("end_date")} /></label>
      {query.get("contact_id") && <span>{t("With one contact")}</span>}
      {set && <a href={href("/calls")}>{t("All calls")}</a>}
    </div>
  );
}

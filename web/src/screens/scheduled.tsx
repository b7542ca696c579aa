import { useState } from "preact/hooks";
import { cw } from "../client.js";
import { filter, href, useRoute } from "../route.js";
import { may } from "../session.js";
import { t, time } from "../text/text.js";
import { Confirm, Open } from "../ui/dialog.js";
import { List } from "../ui/list.js";
import { Badge, Page, ToDo } from "../ui/page.js";
import { ScheduleForm } from "./schedule_form.js";

export function Scheduled() {
  const { query } = useRoute();
  const [turn, again] = useState(0);
  const processed = query.get("processed") ?? "";
  return (
    <Page
      title={t("Scheduled calls")}
      actions={may("write") && <Open button={t("Schedule a call")} title={t("Schedule a call")}>{(close) => <ScheduleForm done={() => { again(turn + 1); close(); }} />}</Open>}
    >
      <div class="bar filters" role="search" aria-label={t("Filters")}>
        <label>
          {t("Show")}
          <select value={processed} onChange={(event) => filter({ processed: event.currentTarget.value || undefined })}>
            <option value="">{t("All")}</option><option value="false">{t("to come")}</option><option value="true">{t("over")}</option>
          </select>
        </label>
      </div>
      <List
        name={t("Scheduled calls")} deps={[processed, turn]} on={["status-update", "scheduled-call-failed"]}
        load={(page) => cw.listScheduledCalls({ ...page, ...(processed ? { processed: processed === "true" } : {}) })} id={(one) => one.id}
        empty={<ToDo text="No call is scheduled. Schedule one above, or from a contact." />}
        columns={[
          { head: t("Status"), cell: (one) => <Badge of={one.status} /> },
          { head: t("When"), cell: (one) => time(one.scheduled_time) },
          { head: t("Who"), cell: (one) => <a href={href(`/contacts/${one.contact_id}`)}>{one.contact_name || one.contact_phone_number || t("erased")}</a> },
          { head: t("Assistant"), cell: (one) => one.assistant_name },
          { head: t("Attempts"), number: true, cell: (one) => one.attempts },
          { head: t("Why"), cell: (one) => one.explanation ?? "" },
          { head: t("Call"), cell: (one) => one.call_id && <a href={href(`/calls/${one.call_id}`)}>{t("Call")}</a> },
          {
            head: t("Actions"), cell: (one) => may("write") && one.status === "scheduled" && (
              <Confirm button={t("Cancel")} question={t("Nobody is called.")} act={() => cw.deleteScheduledCall(one.id).then(() => again(turn + 1))} />
            ),
          },
        ]}
      />
    </Page>
  );
}

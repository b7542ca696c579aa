import type { Query, Result } from "../sdk.js";
import { cw } from "../client.js";
import { filter, useRoute } from "../route.js";
import { may } from "../session.js";
import { dollars, number, t, today } from "../text/text.js";
import { Field, Form } from "../ui/form.js";
import { Table } from "../ui/list.js";
import { useLoad } from "../ui/load.js";
import { Await, Empty, Facts, Page, Section } from "../ui/page.js";

type Usage = Result<"get-usage">;
type Group = Usage["groups"][number];
type GroupBy = NonNullable<Query<"get-usage">["group_by"]>;

const month = 30;

/** What calls used and cost, and what they may cost. */
export function UsageScreen() {
  const { query } = useRoute();
  const wanted = { from: query.get("from") ?? today(-month), to: query.get("to") ?? today(1), group_by: (query.get("group_by") ?? "day") as GroupBy };
  const usage = useLoad(() => cw.getUsage(wanted), [JSON.stringify(wanted)], ["end-of-call-report"]);
  const change = (name: string) => (event: { currentTarget: HTMLInputElement | HTMLSelectElement }) => filter({ [name]: event.currentTarget.value || undefined });
  return (
    <Page title={t("Usage")}>
      <div class="bar filters" role="search" aria-label={t("Filters")}>
        <label>{t("From")}<input type="date" value={wanted.from} onChange={change("from")} /></label>
        <label>{t("Until, not included")}<input type="date" value={wanted.to} onChange={change("to")} /></label>
        <label>
          {t("By")}
          <select value={wanted.group_by} onChange={change("group_by")}>
            <option value="day">{t("day")}</option><option value="assistant">{t("assistant")}</option><option value="number">{t("number")}</option>
          </select>
        </label>
      </div>
      <Await of={usage}>{(data) => <Sums usage={data} />}</Await>
      <Section title={t("Budget")}><BudgetForm /></Section>
    </Page>
  );
}

const minutes = (group: Pick<Group, "inbound_minutes" | "outbound_minutes">) => group.inbound_minutes + group.outbound_minutes;

function Sums({ usage }: { usage: Usage }) {
  const { groups, total } = usage;
  if (groups.length === 0) {
    return <Empty><p>{t("No call ended in this time.")}</p></Empty>;
  }
  const most = { cost: Math.max(...groups.map((one) => one.cost)), minutes: Math.max(...groups.map(minutes)) };
  return (
    <>
      <Facts
        of={[
          [t("Calls"), number(total.calls)], [t("Minutes"), number(minutes(total), 1)], [t("Cost"), dollars(total.cost)],
          [t("Calls with something that has no price"), total.unpriced_calls ? number(total.unpriced_calls) : ""],
          [t("Tokens"), number(total.prompt_tokens + total.completion_tokens)], [t("Characters spoken"), number(total.characters)],
          [t("Text messages"), number(total.sms)],
        ]}
      />
      <Table
        name={t("Usage")} rows={groups} id={(one) => one.key}
        columns={[
          { head: usage.group_by === "day" ? t("Day") : usage.group_by === "assistant" ? t("Assistant") : t("Number"), cell: (one) => one.name || one.key || "–" },
          { head: t("Calls"), number: true, cell: (one) => number(one.calls) },
          { head: t("Minutes"), cell: (one) => <Bar share={minutes(one) / most.minutes} text={number(minutes(one), 1)} /> },
          { head: t("Cost"), cell: (one) => <Bar share={one.cost / most.cost} text={dollars(one.cost)} /> },
        ]}
      />
    </>
  );
}

/** A bar of a chart, which is a row of its table: the value is beside it, for everybody. */
function Bar({ share, text }: { share: number; text: string }) {
  return <div class="share"><span>{text}</span><i style={{ width: `${Number.isFinite(share) ? share * 100 : 0}%` }} /></div>;
}

function BudgetForm() {
  const budget = useLoad(() => cw.getBudget(), [], ["end-of-call-report"]);
  return (
    <Await of={budget}>
      {(data) => (
        <>
          <Facts of={[[t("Spent in {month}", { month: data.month }), dollars(data.spent)], [t("Budget of a month"), data.monthly === null ? t("none") : dollars(data.monthly)]]} />
          {data.exhausted && <p class="remedy">{t("It is spent: no more calls are placed this month. Raise it to go on.")}</p>}
          {may("manage") && (
            <Form
              name={t("Budget")} button={t("Save")} done={t("Saved.")} inline keep
              submit={async (values) => {
                await cw.updateBudget({ monthly: values.number("monthly") ?? null });
                budget.reload();
              }}
            >
              <Field name="monthly" label={t("US dollars in a month")} hint={t("Empty: no budget.")} type="number" min={0} value={data.monthly} />
            </Form>
          )}
        </>
      )}
    </Await>
  );
}

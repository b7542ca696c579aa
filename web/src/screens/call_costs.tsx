import type { Detail } from "./call.js";
import { dollars, number, t, word } from "../text/text.js";
import { Table } from "../ui/list.js";
import { Section } from "../ui/page.js";

type Cost = Detail["costs"][number];

/** What a call cost, by what it used. */
export function Costs({ call }: { call: Detail }) {
  if (call.costs.length === 0) {
    return null;
  }
  return (
    <Section title={t("Cost")}>
      <Table
        name={t("Cost")} rows={call.costs} id={(one) => `${one.type} ${serverOf(one)} ${one.analysisType ?? ""}`}
        columns={[
          { head: t("What for"), cell: (one) => word(one.type) },
          { head: t("Provider"), cell: serverOf },
          { head: t("Used"), cell: (one) => <>{used(one)} {one.estimated && <small>{t("estimated")}</small>}</> },
          { head: t("Cost"), number: true, cell: (one) => (one.priced ? dollars(one.cost) : t("no price is known")) },
        ]}
      />
      {call.cost != null && <p>{t("In all: {cost}", { cost: dollars(call.cost) })}</p>}
    </Section>
  );
}

const serverOf = (one: Cost) => one.carrier ?? (one.transcriber ?? one.model ?? one.voice)?.provider ?? "";

function used(one: Cost): string {
  const parts = [
    one.minutes && t("{count} min", { count: number(one.minutes, 1) }), one.characters && t("{count} characters", { count: number(one.characters) }),
    one.promptTokens && t("{count} tokens", { count: number(one.promptTokens + (one.completionTokens ?? 0)) }), one.messages && t("{count} messages", { count: one.messages }),
  ];
  return parts.filter(Boolean).join(", ");
}

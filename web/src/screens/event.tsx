import { useState } from "preact/hooks";
import { cw } from "../client.js";
import { href } from "../route.js";
import { may } from "../session.js";
import { t, time } from "../text/text.js";
import { Act } from "../ui/form.js";
import { Table } from "../ui/list.js";
import { useEvery, useLoad } from "../ui/load.js";
import { Await, Badge, Facts, Page, Section } from "../ui/page.js";

/** An event, by its place in the account's sequence: what it says, and how its delivery went. */
export function Event({ sequence }: { sequence: number }) {
  const [turn, again] = useState(0);
  const found = useLoad(async () => {
    const event = (await cw.listEvents({ after: sequence - 1, limit: 1 }).first()).data.find((one) => one.sequence === sequence);
    return { event, attempts: event ? (await cw.listEventDeliveries(event.id, { limit: 100 }).first()).data : [] };
  }, [sequence, turn]);
  useEvery(3000, found.data?.event?.delivery === "pending", found.reload);
  return (
    <Page title={t("Event {sequence}", { sequence })}>
      <p><a href={href("/webhooks")}>{t("All events")}</a></p>
      <Await of={found}>
        {({ event, attempts }) => !event ? <p>{t("This is not there, or no longer.")}</p> : (
          <>
            <Facts
              of={[
                [t("Event"), event.type], [t("When"), time(event.created_at)], [t("Delivery"), <Badge of={event.delivery} />],
                [t("Call"), event.call_id && <a href={href(`/calls/${event.call_id}`)}>{t("Call")}</a>],
              ]}
            />
            <div class="bar">
              {may("write") && <Act act={() => cw.redeliverEvent(event.id).then(() => again(turn + 1))}>{t("Deliver again")}</Act>}
              <Act act={() => Promise.resolve(found.reload())}>{t("Look again")}</Act>
            </div>
            <Section title={t("Attempts")}>
              {attempts.length === 0 ? <p>{t("It was not sent to anybody. Name your server under Webhooks, and this type of event.")}</p> : (
                <Table
                  name={t("Attempts")} rows={attempts} id={(one) => one.created_at}
                  columns={[
                    { head: t("When"), cell: (one) => time(one.created_at) },
                    { head: t("URL"), cell: (one) => one.url },
                    { head: t("Status"), number: true, cell: (one) => one.status_code ?? "–" },
                    { head: t("Took"), number: true, cell: (one) => `${one.latency_ms} ms` },
                    { head: t("Response"), cell: (one) => one.error ? <span class="bad">{one.error}</span> : <code>{one.answer}</code> },
                  ]}
                />
              )}
            </Section>
            <Section title={t("What it says")}><pre tabIndex={0}>{JSON.stringify(event.message, null, 2)}</pre></Section>
          </>
        )}
      </Await>
    </Page>
  );
}

import { cw } from "../client.js";
import { href, useRoute, filter } from "../route.js";
import { may } from "../session.js";
import { t, time, word } from "../text/text.js";
import { List } from "../ui/list.js";
import { useLoad } from "../ui/load.js";
import { NotYours, Page } from "../ui/page.js";

const filters = ["actor", "operation", "resource_id"] as const;

/** Who changed what, when and from where. */
export function Audit() {
  return may("manage") ? <Entries /> : <Page title={t("Who changed what")}><NotYours /></Page>;
}

function Entries() {
  const { query } = useRoute();
  const members = useLoad(() => cw.listMembers({ limit: 100 }).first(), []);
  const wanted = Object.fromEntries(filters.map((name) => [name, query.get(name)]).filter(([, value]) => value)) as { actor?: string; operation?: string; resource_id?: string };
  return (
    <Page title={t("Who changed what")}>
      <p><a href={href("/members")}>{t("Members")}</a></p>
      <div class="bar filters" role="search" aria-label={t("Filters")}>
        <label>
          {t("Who")}
          <select value={query.get("actor") ?? ""} onChange={(event) => filter({ actor: event.currentTarget.value || undefined })}>
            <option value="">{t("All")}</option>
            {members.data?.data.map((one) => <option value={one.id} key={one.id}>{one.name || one.email}</option>)}
          </select>
        </label>
      </div>
      <List
        name={t("Who changed what")} deps={[JSON.stringify(wanted)]} load={(page) => cw.listAudit({ ...wanted, ...page })} id={(one) => one.id}
        empty={<p>{t("Nothing was changed yet.")}</p>}
        columns={[
          { head: t("When"), cell: (one) => time(one.created_at) },
          { head: t("Who"), cell: (one) => one.actor.name || one.actor.email || word(one.actor.type) },
          { head: t("What"), cell: (one) => <a href={href("/audit", { ...wanted, operation: one.operation })}>{word(one.operation)}</a> },
          { head: t("Of what"), cell: (one) => one.resource_id && <a href={href("/audit", { ...wanted, resource_id: one.resource_id })}><code>{one.resource_id}</code></a> },
          { head: t("From where"), cell: (one) => <>{one.address} <small>{one.user_agent}</small></> },
        ]}
      />
    </Page>
  );
}

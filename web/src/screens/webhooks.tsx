import { useState } from "preact/hooks";
import type { Body, Page as ListPage, Item, Result } from "../sdk.js";
import { cw } from "../client.js";
import { newest } from "../events.js";
import { href } from "../route.js";
import { may } from "../session.js";
import { instant, local, t, time } from "../text/text.js";
import { Confirm, Open } from "../ui/dialog.js";
import { Field, Form, Secret } from "../ui/form.js";
import { List } from "../ui/list.js";
import { useLoad } from "../ui/load.js";
import { Await, Badge, Page, Section } from "../ui/page.js";

const day = 86_400_000;

type Event = Item<"list-events">;

const types = [
  "status-update", "end-of-call-report", "call-command-update", "call-listener-update", "scheduled-call-failed", "sip-connection-stopped", "transcript", "speech-update",
  "user-interrupted", "hang", "transfer-update", "assistant-request", "tool-calls", "call.endpointing.request",
] as const;

export function Webhooks() {
  return (
    <Page title={t("Webhooks")}>
      <Endpoint />
      <Section title={t("Events, newest first")}>
        {may("write") && <div class="bar"><Open button={t("Send events again")} title={t("Send events again")}>{() => <Replay />}</Open></div>}
        <List
          name={t("Events, newest first")} load={newestFirst} id={(event) => event.id} on={() => true}
          empty={<p>{t("Nothing happened yet. Events of calls appear here, whether a server gets them or not.")}</p>}
          columns={[
            { head: "#", number: true, cell: (event) => event.sequence },
            { head: t("Event"), cell: (event) => <a href={href(`/webhooks/${event.sequence}`)}>{event.type}</a> },
            { head: t("When"), cell: (event) => time(event.created_at) },
            { head: t("Delivery"), cell: (event) => <Badge of={event.delivery} /> },
            { head: t("Attempts"), number: true, cell: (event) => event.attempts },
          ]}
        />
      </Section>
    </Page>
  );
}

// The API lists events from the oldest. Their sequence has no gaps, so that a page ends where the one after it begins.
const newestFirst = ({ limit, cursor }: { limit: number; cursor?: string }) => ({
  async first(): Promise<ListPage<Event>> {
    const end = cursor ? Number(cursor) : await newest();
    const after = Math.max(0, end - limit);
    const { data, pagination } = await cw.listEvents({ after, limit: Math.max(1, Math.min(limit, end)) }).first();
    const rows = data.filter((event) => event.sequence <= end).reverse();
    return { data: rows, pagination: { ...pagination, next_cursor: after > 0 && rows.length > 0 ? String(after) : null } };
  },
});

function Endpoint() {
  const webhook = useLoad(() => cw.getWebhook(), []);
  const [secret, setSecret] = useState<string>();
  const save = async (body: Body<"update-webhook">) => {
    const saved = await cw.updateWebhook(body);
    if (saved.secret) {
      setSecret(saved.secret);
    }
    webhook.reload();
  };
  return (
    <Section title={t("Your server")}>
      <Await of={webhook}>{(data) => <EndpointForm webhook={data} save={save} />}</Await>
      {secret && <Secret text={secret} />}
      {may("write") && webhook.data?.url && (
        <Confirm
          button={t("Rotate the secret")} question={t("Events are signed with both secrets for a day, so that your server can change over.")}
          act={async () => setSecret((await cw.rotateWebhookSecret()).secret)}
        />
      )}
    </Section>
  );
}

function EndpointForm({ webhook, save }: { webhook: Result<"get-webhook">; save: (body: Body<"update-webhook">) => Promise<void> }) {
  return (
    <Form
      name={t("Your server")} button={t("Save")} done={t("Saved.")} keep takes="write"
      submit={(values) => save({ url: values.orNull("url"), enabled: values.checked("enabled"), events: values.all("events") as (typeof types)[number][] })}
    >
      {!webhook.enabled && webhook.disabled_reason && <p class="bad">{webhook.disabled_reason}</p>}
      <Field name="url" label={t("URL")} hint={t("Gets the events by POST; empty: nobody does.")} type="url" value={webhook.url} />
      <Field name="enabled" label={t("Send events")} type="checkbox" checked={webhook.enabled} />
      <fieldset disabled={!may("write")}>
        <legend>{t("Events that are sent")}</legend>
        <div class="columns tight">
          {types.map((type) => (
            <label class="check" key={type}><input type="checkbox" name="events" value={type} defaultChecked={webhook.events.includes(type)} />{type}</label>
          ))}
        </div>
      </fieldset>
    </Form>
  );
}

function Replay() {
  const [count, setCount] = useState<number>();
  return (
    <>
      <Form
        name={t("Send events again")} button={t("Send again")} keep
        submit={async (values) => setCount((await cw.replayEvents({ from: instant(values.text("from")), to: instant(values.text("to")) })).count)}
      >
        <Field name="from" label={t("From")} type="datetime-local" value={local(new Date(Date.now() - day).toISOString())} required />
        <Field name="to" label={t("Until")} type="datetime-local" value={local(new Date().toISOString())} required />
      </Form>
      {count !== undefined && <p role="status">{t("{count} events are sent again.", { count })}</p>}
    </>
  );
}

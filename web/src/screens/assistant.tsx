import { useState } from "preact/hooks";
import type { Body, Result } from "../sdk.js";
import { cw } from "../client.js";
import { go, href, useRoute } from "../route.js";
import { may } from "../session.js";
import { t } from "../text/text.js";
import { Confirm } from "../ui/dialog.js";
import { Field, Form } from "../ui/form.js";
import { useLoad } from "../ui/load.js";
import { Await, Page, Section } from "../ui/page.js";
import { AssistantForm } from "./assistant_form.js";
import { AssistantNumber } from "./assistant_number.js";

export type AssistantDetail = Result<"get-assistant">;

export function Assistant({ id }: { id: string }) {
  const assistant = useLoad((signal) => cw.getAssistant(id, { signal }), [id]);
  return (
    <Await of={assistant}>
      {(data) => (
        <Page
          title={data.assistant_name}
          actions={<>{may("write") && <a href={href(`/assistants/${id}/talk`)}>{t("Talk")}</a>}<a href={href("/calls", { assistant_id: id })}>{t("Its calls")}</a></>}
        >
          <p><a href={href("/assistants")}>{t("All assistants")}</a></p>
          <AssistantNumber assistant={data} reload={assistant.reload} />
          <Editor assistant={data} reload={assistant.reload} />
          {may("write") && (
            <Confirm button={t("Delete the assistant")} question={t("Its number takes no calls any more. Its past calls are kept.")} act={() => cw.deleteAssistant(id).then(() => go("/assistants"))} />
          )}
        </Page>
      )}
    </Await>
  );
}

/** The fields that most change, and all of them as JSON. */
function Editor({ assistant, reload }: { assistant: AssistantDetail; reload: () => void }) {
  const { path, query } = useRoute();
  const json = query.get("as") === "json";
  const tab = (as: string | undefined, name: string) => <a href={href(path, { as })} aria-current={json === (as === "json") ? "page" : undefined}>{name}</a>;
  return (
    <Section title={t("What it is")}>
      <nav class="tabs" aria-label={t("Forms of the assistant")}>{tab(undefined, t("Form"))}{tab("json", t("JSON"))}</nav>
      {json ? <Json assistant={assistant} reload={reload} key={assistant.updated_at} /> : <AssistantForm assistant={assistant} reload={reload} />}
    </Section>
  );
}

function Json({ assistant, reload }: { assistant: AssistantDetail; reload: () => void }) {
  const [wrong, setWrong] = useState("");
  const save = async (text: string) => {
    let body: Body<"update-assistant">;
    try {
      body = JSON.parse(text) as Body<"update-assistant">;
      setWrong("");
    } catch (error) {
      setWrong(t("This is not JSON: {reason}", { reason: String(error instanceof Error ? error.message : error) }));
      return;
    }
    await cw.updateAssistant(assistant.assistant_id, body);
    reload();
  };
  return (
    <Form name={t("The assistant as JSON")} button={t("Save")} keep takes="write" submit={(values) => save(values.text("json"))}>
      <Field name="json" label={t("The assistant as JSON")} hint={t("As the API returns it. Saving replaces all of it.")} rows={28} code value={JSON.stringify(assistant, null, 2)} />
      {wrong && <p role="alert" class="bad">{wrong}</p>}
    </Form>
  );
}

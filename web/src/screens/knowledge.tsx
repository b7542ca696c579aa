import { useState } from "preact/hooks";
import type { Result } from "../sdk.js";
import { cw } from "../client.js";
import { may } from "../session.js";
import { number, t, time, word } from "../text/text.js";
import { Act, Field, Form } from "../ui/form.js";
import { Confirm, Open } from "../ui/dialog.js";
import { List } from "../ui/list.js";
import { Badge, Page, Section, ToDo } from "../ui/page.js";

export function Knowledge() {
  const [turn, setTurn] = useState(0);
  const again = () => setTurn((n) => n + 1);
  return (
    <Page title={t("Knowledge base")} actions={may("write") && <Open button={t("Add knowledge")} title={t("Add knowledge")}>{(close) => <Add done={() => { again(); close(); }} />}</Open>}>
      <Trial />
      <Section title={t("What is known")}>
        <List
          name={t("What is known")} deps={[turn]} load={(page) => cw.listKnowledgeDocuments(page)} id={(one) => one.id}
          empty={<ToDo text="Nothing is known yet. Add a text, a page of your website, or a question with its answer." />}
          columns={[
            { head: t("Title"), cell: (one) => (one.url ? <a href={one.url} rel="noreferrer">{one.title}</a> : one.title) },
            { head: t("Kind"), cell: (one) => word(one.source_type) },
            { head: t("Status"), cell: (one) => <><Badge of={one.status} /> {one.error && <span class="bad">{one.error}</span>}</> },
            { head: t("Passages"), number: true, cell: (one) => one.chunk_count },
            { head: t("Changed"), cell: (one) => time(one.updated_at) },
            {
              head: t("Actions"), cell: (one) => may("write") && (
                <div class="bar">
                  {one.source_type === "url" && <Act act={() => cw.refreshKnowledgeDocument(one.id).then(again)}>{t("Fetch again")}</Act>}
                  <Confirm button={t("Delete")} question={t("Assistants no longer know it.")} act={() => cw.deleteKnowledgeDocument(one.id).then(again)} />
                </div>
              ),
            },
          ]}
        />
      </Section>
    </Page>
  );
}

function Trial() {
  const [found, setFound] = useState<Result<"query-knowledge-base">["documents"]>();
  return (
    <Section title={t("Try a question")}>
      <Form name={t("Try a question")} button={t("Look up")} inline keep submit={async (values) => setFound((await cw.queryKnowledgeBase({ query: values.text("query") })).documents)}>
        <Field name="query" label={t("Question")} required />
      </Form>
      <div aria-live="polite">
        {found && found.length === 0 && <p>{t("Nothing fits. Assistants say that they do not know.")}</p>}
        {found && found.length > 0 && <ol class="found">{found.map((one) => <li key={one.id}><strong>{one.title}</strong> <small>{number(one.score * 100)} %</small><p>{one.content}</p></li>)}</ol>}
      </div>
    </Section>
  );
}

const kinds = ["text", "url", "question"] as const;

function Add({ done }: { done: () => void }) {
  const [kind, setKind] = useState<(typeof kinds)[number]>("text");
  return (
    <Form
      name={t("Add knowledge")} button={t("Add")}
      submit={async (values) => {
        const fields = kind === "question" ? { question: values.text("question"), answer: values.text("answer") } : { [kind]: values.text(kind) };
        await cw.createKnowledgeDocument({ title: values.text("title"), ...fields });
        done();
      }}
    >
      <label class="field">
        {t("Kind")}
        <select value={kind} onChange={(event) => setKind(event.currentTarget.value as typeof kind)}>
          <option value="text">{t("a text")}</option><option value="url">{t("a page or a PDF")}</option><option value="question">{t("a question with its answer")}</option>
        </select>
      </label>
      <Field name="title" label={t("Title")} required />
      {kind === "text" && <Field name="text" label={t("Text")} rows={8} required />}
      {kind === "url" && <Field name="url" label={t("Address")} type="url" required />}
      {kind === "question" && <Field name="question" label={t("Question")} required />}
      {kind === "question" && <Field name="answer" label={t("Answer")} rows={4} required />}
    </Form>
  );
}

import type { Body } from "../sdk.js";
import { cw } from "../client.js";
import { t } from "../text/text.js";
import { Field, Form, type Values } from "../ui/form.js";
import type { AssistantDetail } from "./assistant.js";

const texts = [
  "assistant_name", "llm_content", "first_message", "first_message_outbound", "end_call_message", "voicemail_message", "notifications_email",
] as const;

const switches = ["first_message_interruptions_enabled", "knowledge_base_enabled", "end_call_function_enabled", "dial_keypad_function_enabled"] as const;

/** Returns what was changed: the rest stays as it is, whoever changes it meanwhile. */
function changed(values: Values, before: AssistantDetail): Body<"patch-assistant"> {
  const now: Record<string, unknown> = {
    ...Object.fromEntries(texts.map((name) => [name, values.text(name)])),
    ...Object.fromEntries(switches.map((name) => [name, values.checked(name)])),
    first_message_mode: values.text("first_message_mode"),
    max_duration_seconds: values.number("max_duration_seconds"),
    end_call_phrases: values.lines("end_call_phrases"),
  };
  const was = before as Record<string, unknown>;
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name])));
}

export function AssistantForm({ assistant, reload }: { assistant: AssistantDetail; reload: () => void }) {
  const at = <K extends keyof AssistantDetail>(name: K) => ({ name, value: assistant[name] as string | number | null });
  const choice = (value: string, text: string) => <option value={value} selected={assistant.first_message_mode === value}>{text}</option>;
  const check = (name: (typeof switches)[number], label: string) => <Field name={name} label={label} type="checkbox" checked={assistant[name]} />;
  return (
    <Form
      name={t("What it is")} button={t("Save")} done={t("Saved.")} keep takes="write"
      submit={async (values) => {
        await cw.patchAssistant(assistant.assistant_id, changed(values, assistant));
        reload();
      }}
    >
      <Field {...at("assistant_name")} label={t("Name")} required />
      <Field {...at("llm_content")} label={t("Instructions")} hint={t("Whom it works for, what it is to do, and how it speaks.")} rows={10} />
      <Field name="first_message_mode" label={t("Who speaks first")}>
        {choice("assistant-speaks-first", t("the assistant, with its first message"))}
        {choice("assistant-speaks-first-with-model-generated-message", t("the assistant, with words of its model"))}
        {choice("assistant-waits-for-user", t("the person"))}
      </Field>
      <Field {...at("first_message")} label={t("First message when it is called")} />
      <Field {...at("first_message_outbound")} label={t("First message when it calls")} hint={t("{{name}} stands for a variable of the call.")} />
      {check("first_message_interruptions_enabled", t("People may interrupt the first message"))}
      <Field {...at("end_call_message")} label={t("What it says before it hangs up")} />
      <Field name="end_call_phrases" label={t("Phrases that end the call")} hint={t("One a line: the call ends when the assistant says one.")} rows={3} value={assistant.end_call_phrases.join("\n")} />
      <Field {...at("voicemail_message")} label={t("Message for voicemail")} />
      <Field {...at("max_duration_seconds")} label={t("Longest call, in seconds")} type="number" min={10} />
      <Field {...at("notifications_email")} label={t("E-mail for messages from calls")} type="email" />
      {check("knowledge_base_enabled", t("It looks things up in the knowledge base"))}
      {check("end_call_function_enabled", t("It may hang up"))}
      {check("dial_keypad_function_enabled", t("It may press keys for menus of machines"))}
      <p><small>{t("Voice, model, transcriber, tools and plans are in the JSON.")}</small></p>
    </Form>
  );
}

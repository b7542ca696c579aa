import { useEffect, useRef, useState } from "preact/hooks";
import { Listening, type Mode } from "../listening.js";
import { t } from "../text/text.js";
import { Act, Field, Form } from "../ui/form.js";
import { Failure, Section } from "../ui/page.js";

/** Listening in on a live call, whispering to its assistant, and speaking to its caller. Another call is another component: give it a key. */
export function Listen({ callID }: { callID: string }) {
  const [mode, setMode] = useState<Mode>();
  const [why, setWhy] = useState("");
  const [wrong, setWrong] = useState<unknown>();
  const listening = useRef<Listening | undefined>(undefined);
  const changing = useRef(false);
  const gone = useRef(false);
  useEffect(() => {
    gone.current = false;
    return () => {
      gone.current = true;
      listening.current?.stop();
    };
  }, []);

  const changed = (now: Mode, reason: string | undefined) => {
    setMode(now);
    setWhy(reason ?? "");
  };
  const ended = () => {
    listening.current = undefined;
    setMode(undefined);
  };
  const start = async (wanted: Mode) => {
    const started = await Listening.start(callID, wanted, { changed, ended });
    if (gone.current) {
      started.stop(); // the screen was left meanwhile
    } else if (!started.over) {
      listening.current = started;
    }
  };
  const choose = async (wanted: Mode) => {
    setWrong(undefined);
    setWhy("");
    if (wanted === mode || changing.current) {
      return;
    }
    changing.current = true;
    try {
      if (listening.current) {
        await listening.current.change(wanted);
      } else {
        await start(wanted);
      }
    } catch (error) {
      setWrong(error);
    }
    changing.current = false;
  };
  return (
    <Section title={t("Listen in")}>
      <Failure error={wrong instanceof DOMException ? undefined : wrong} />
      {wrong instanceof DOMException && <p role="alert" class="bad">{t("The browser gives no microphone: {reason}", { reason: wrong.message })}</p>}
      <div class="bar" role="group" aria-label={t("Listen in")}>
        {modes().map(([one, label]) => (
          <button type="button" key={one} aria-pressed={mode === one} onClick={() => void choose(one)}>{label}</button>
        ))}
        {mode && <Act act={async () => listening.current?.stop()}>{t("Stop")}</Act>}
      </div>
      <p role="status">{why ? t("Not possible now: {why}.", { why }) : mode ? states()[mode] : t("The caller does not notice. That you listened is in the audit.")}</p>
      {mode === "whisper" && (
        <Form name={t("Tell the assistant")} button={t("Tell")} done={t("The assistant follows it from its next reply on.")} submit={async (values) => listening.current?.whisper(values.text("text"))}>
          <Field name="text" label={t("Tell the assistant")} required />
        </Form>
      )}
    </Section>
  );
}

const modes = (): readonly (readonly [Mode, string])[] => [["listen", t("Listen")], ["whisper", t("Whisper")], ["barge", t("Barge in")]];

const states = (): Record<Mode, string> => ({
  listen: t("You hear both sides. Nobody hears you."),
  whisper: t("The assistant follows what you say or type. The caller hears nothing of it."),
  barge: t("The caller hears you. The assistant is silent."),
});

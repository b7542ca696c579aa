import { useEffect, useState } from "preact/hooks";
import { WebCall, type WebCallQuality } from "../sdk.js";
import { number, t } from "../text/text.js";
import { Field, Form } from "../ui/form.js";

const keys = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "*", "0", "#"];
const every = 2000; // milliseconds between looks at the line

interface ControlsProps {
  call: WebCall;
  /** What the assistant is doing. */
  doing: string;
}

/** What a person does in a call beside speaking. */
export function Controls({ call, doing }: ControlsProps) {
  const microphone = call.options.microphone !== false;
  const [muted, setMuted] = useState(false);
  const mute = () => {
    call.mute(!muted);
    setMuted(!muted);
  };
  return (
    <div class="stack">
      <p role="status">{doing ? t("The assistant {doing}", { doing }) : t("Connected")}</p>
      <div class="bar">
        {microphone && <button type="button" aria-pressed={muted} onClick={mute}>{t("Mute")}</button>}
        <button type="button" class="danger" onClick={() => void call.end()}>{t("Hang up")}</button>
        {microphone && <Level of={call} />}
        <Line call={call} />
      </div>
      <Form name={t("Type what you say")} button={t("Say")} inline submit={(values) => Promise.resolve(call.say(values.text("say")))}>
        <Field name="say" label={t("Type what you say")} autocomplete="off" />
      </Form>
      {microphone && <OwnRecogniser call={call} />}
      <details>
        <summary>{t("Keypad")}</summary>
        <div class="keypad">{keys.map((key) => <button type="button" key={key} onClick={() => call.press(key)}>{key}</button>)}</div>
      </details>
    </div>
  );
}

function Level({ of }: { of: WebCall }) {
  const [level, set] = useState(0);
  useEffect(() => of.on("level", ({ microphone }) => set(microphone)), [of]);
  return <label class="check">{t("Microphone")} <meter min={0} max={1} value={level} /></label>;
}

function Line({ call }: { call: WebCall }) {
  const [quality, set] = useState<WebCallQuality>();
  useEffect(() => {
    const timer = setInterval(() => void call.quality().then(set), every);
    return () => clearInterval(timer);
  }, [call]);
  return <small>{quality && t("{lost} packets lost, jitter {jitter} ms, {trip} ms there and back", { lost: quality.lost, jitter: number(quality.jitter), trip: number(quality.roundTrip) })}</small>;
}

/** The browser's own recogniser, for assistants without one. Its maker hears the words, so the person decides. */
function OwnRecogniser({ call }: { call: WebCall }) {
  const [on, set] = useState(false);
  const choose = (wanted: boolean) => {
    call.recognise(wanted);
    set(wanted);
  };
  return !WebCall.recognises ? null : (
    <label class="check">
      <input type="checkbox" checked={on} onChange={(event) => choose(event.currentTarget.checked)} />
      {t("Let this browser recognise what I say, where the server has no recogniser. Its maker hears it too.")}
    </label>
  );
}

import { useEffect, useState } from "preact/hooks";
import type { Conversation, Quality } from "../conversation.js";
import { number, t } from "../text/text.js";
import { Field, Form } from "../ui/form.js";

const keys = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "*", "0", "#"];
const every = 2000; // milliseconds between looks at the line

interface ControlsProps {
  call: Conversation;
  microphone: MediaStream | undefined;
  /** What the assistant is doing. */
  doing: string;
}

/** What a person does in a call beside speaking. */
export function Controls({ call, microphone, doing }: ControlsProps) {
  const [muted, setMuted] = useState(false);
  const mute = () => {
    call.mute(!muted);
    setMuted(!muted);
  };
  return (
    <>
      <p role="status">{doing ? t("The assistant {doing}", { doing }) : t("Connected")}</p>
      <div class="bar">
        {microphone && <button type="button" aria-pressed={muted} onClick={mute}>{t("Mute")}</button>}
        <button type="button" class="danger" onClick={() => call.hangUp()}>{t("Hang up")}</button>
        {microphone && <Level of={microphone} />}
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
    </>
  );
}

function Level({ of }: { of: MediaStream }) {
  const [level, set] = useState(0);
  useEffect(() => {
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    context.createMediaStreamSource(of).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    let frame = requestAnimationFrame(function look() {
      analyser.getFloatTimeDomainData(samples);
      set(Math.min(1, Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length) * 4));
      frame = requestAnimationFrame(look);
    });
    return () => {
      cancelAnimationFrame(frame);
      void context.close();
    };
  }, [of]);
  return <label class="check">{t("Microphone")} <meter min={0} max={1} value={level} /></label>;
}

function Line({ call }: { call: Conversation }) {
  const [quality, set] = useState<Quality>();
  useEffect(() => {
    const timer = setInterval(() => void call.quality().then(set), every);
    return () => clearInterval(timer);
  }, [call]);
  return <small>{quality && t("{lost} packets lost, jitter {jitter} ms, {trip} ms there and back", { lost: quality.lost, jitter: number(quality.jitter), trip: number(quality.roundTrip) })}</small>;
}

interface Recogniser {
  continuous: boolean;
  onresult: (event: { resultIndex: number; results: { length: number; [i: number]: { isFinal: boolean; 0: { transcript: string } } } }) => void;
  start(): void;
  abort(): void;
}

/** The browser's own recogniser, for assistants without one. Its maker hears the words, so the person decides. */
function OwnRecogniser({ call }: { call: Conversation }) {
  const [on, set] = useState(false);
  const make = (window as unknown as { webkitSpeechRecognition?: new () => Recogniser }).webkitSpeechRecognition;
  useEffect(() => {
    if (!on || !make) {
      return undefined;
    }
    const recogniser = new make();
    recogniser.continuous = true;
    recogniser.onresult = ({ resultIndex, results }) => {
      for (let i = resultIndex; i < results.length; i++) {
        const result = results[i]!;
        if (result.isFinal) {
          call.caption(result[0].transcript.trim());
        }
      }
    };
    recogniser.start();
    return () => recogniser.abort();
  }, [on]);
  return !make ? null : (
    <label class="check">
      <input type="checkbox" checked={on} onChange={(event) => set(event.currentTarget.checked)} />
      {t("Let this browser recognise what I say, where the server has no recogniser. Its maker hears it too.")}
    </label>
  );
}

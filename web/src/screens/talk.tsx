import { useEffect, useRef, useState } from "preact/hooks";
import { cw, send } from "../client.js";
import { href } from "../route.js";
import { WebCall, type WebCallError, type WebCallState } from "../sdk.js";
import { may } from "../session.js";
import { t } from "../text/text.js";
import { Act } from "../ui/form.js";
import { useLoad } from "../ui/load.js";
import { Await, NotYours, Page } from "../ui/page.js";
import { Controls } from "./talk_controls.js";
import { Said, type Turn } from "./talk_said.js";

/** Talks with an assistant in the browser, by voice or by typing. */
export function Talk({ id }: { id: string }) {
  const assistant = useLoad((signal) => cw.getAssistant(id, { signal }), [id]);
  return (
    <Await of={assistant}>
      {(data) => (
        <Page title={t("Talk with {name}", { name: data.assistant_name })}>
          <p><a href={href(`/assistants/${id}`)}>{data.assistant_name}</a></p>
          {may("write") ? <Call id={id} /> : <NotYours />}
        </Page>
      )}
    </Await>
  );
}

function Call({ id }: { id: string }) {
  const [stage, setStage] = useState<WebCallState>("idle");
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [doing, setDoing] = useState("");
  const [wrong, setWrong] = useState<WebCallError>();
  const call = useRef<WebCall | undefined>(undefined);
  useEffect(() => () => void call.current?.end(), []);

  const start = async (spoken: boolean) => {
    setWrong(undefined);
    setTurns([]);
    setDoing("");
    const now = new WebCall({ assistantID: id, fetch: send, microphone: spoken && (sessionStorage.getItem(chosen) ?? true) });
    call.current = now;
    now.on("state", setStage);
    now.on("error", setWrong);
    now.on("transcript", (said) => setTurns((before) => [...before, said]));
    now.on("activity", ({ activity, tool }) => setDoing(activity === "tool" ? t("uses {tool}", { tool: tool ?? "" }) : activities()[activity]));
    now.on("keys", (keys) => setTurns((before) => [...before, { role: "assistant", text: keys, at_ms: before.at(-1)?.at_ms ?? 0, interrupted: false, latency_ms: null }]));
    await now.start().catch(() => undefined); // "error" says why
  };
  const before = stage === "idle" || stage === "ended";
  return (
    <>
      {wrong && <p role="alert" class="bad">{wordsOf(wrong)}</p>}
      {before && <Begin start={start} />}
      {stage === "ended" && call.current?.callID && <p role="status">{t("The call is over.")} <a href={href(`/calls/${call.current.callID}`)}>{t("Look at the call")}</a></p>}
      {stage === "connecting" && <p aria-busy="true">{t("Connecting…")}</p>}
      {!before && stage !== "connecting" && call.current && <Controls call={call.current} doing={stage === "interrupted" ? t("cannot be reached: waiting for the connection") : doing} />}
      {(stage !== "idle" && turns.length > 0 || stage === "connected") && <Said turns={turns} />}
    </>
  );
}

const activities = () => ({ listening: t("listens"), thinking: t("thinks"), speaking: t("speaks") });

const chosen = "callwright-microphone";

/** Says what to do about a call that failed. */
function wordsOf({ code, message }: WebCallError): string {
  switch (code) {
    case "microphone":
      return t("The browser gives no microphone: {reason} Allow it for this page, or type.", { reason: message });
    case "unreachable":
      return t("The server, or its ports for web calls, cannot be reached from here. Ask who runs it.");
    case "disconnected":
      return t("The connection to the assistant is lost.");
    default:
      return message;
  }
}

function Begin({ start }: { start: (spoken: boolean) => Promise<void> }) {
  const microphones = useLoad(async () => (await WebCall.devices()).microphones, []);
  const secure = !!navigator.mediaDevices;
  return (
    <>
      {!secure && <p class="remedy">{t("A browser gives its microphone to pages of https and of this machine alone. You can type.")}</p>}
      {(microphones.data?.length ?? 0) > 1 && (
        <label class="field">
          {t("Microphone")}
          <select onChange={(event) => sessionStorage.setItem(chosen, event.currentTarget.value)}>
            {microphones.data!.map((one, i) => <option value={one.deviceId} selected={one.deviceId === sessionStorage.getItem(chosen)} key={one.deviceId}>{one.label || `${t("Microphone")} ${i + 1}`}</option>)}
          </select>
        </label>
      )}
      <div class="bar">
        {secure && <button type="button" class="main" onClick={() => void start(true)}>{t("Talk")}</button>}
        <Act act={() => start(false)}>{t("Type only")}</Act>
      </div>
      <p><small>{t("It is a call as any other: it is recorded, analyzed and counted.")}</small></p>
    </>
  );
}

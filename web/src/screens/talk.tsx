import { useEffect, useRef, useState } from "preact/hooks";
import { cw } from "../client.js";
import { Conversation, type Told } from "../conversation.js";
import { href } from "../route.js";
import { t } from "../text/text.js";
import { Act } from "../ui/form.js";
import { useLoad } from "../ui/load.js";
import { Await, Failure, Page } from "../ui/page.js";
import { Controls } from "./talk_controls.js";
import { Said, type Turn } from "./talk_said.js";

type Stage = "before" | "connecting" | "talking" | "after";

/** Talks with an assistant in the browser, by voice or by typing. */
export function Talk({ id }: { id: string }) {
  const assistant = useLoad((signal) => cw.getAssistant(id, { signal }), [id]);
  return (
    <Await of={assistant}>
      {(data) => (
        <Page title={t("Talk with {name}", { name: data.assistant_name })}>
          <p><a href={href(`/assistants/${id}`)}>{data.assistant_name}</a></p>
          <Call id={id} />
        </Page>
      )}
    </Await>
  );
}

function Call({ id }: { id: string }) {
  const [stage, setStage] = useState<Stage>("before");
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [doing, setDoing] = useState("");
  const [wrong, setWrong] = useState<unknown>();
  const [microphone, setMicrophone] = useState<MediaStream>();
  const call = useRef<Conversation | undefined>(undefined);
  useEffect(() => () => call.current?.hangUp(), []);

  const told = (what: Told) => {
    if (what.type === "transcript") {
      setTurns((before) => [...before, what]);
    } else if (what.type === "activity") {
      setDoing(what.activity === "tool" ? t("uses {tool}", { tool: what.tool ?? "" }) : activities()[what.activity]);
    } else if (what.type === "keys") {
      setTurns((before) => [...before, { role: "assistant", text: what.keys, at_ms: before.at(-1)?.at_ms ?? 0, interrupted: false, latency_ms: null }]);
    }
  };
  const start = async (spoken: boolean) => {
    setStage("connecting");
    setWrong(undefined);
    setTurns([]);
    try {
      const sound = spoken ? await listen() : undefined;
      setMicrophone(sound);
      call.current = await Conversation.start(id, sound, { told, connected: () => setStage("talking"), ended: () => setStage("after") });
    } catch (error) {
      setWrong(error);
      setStage("before");
    }
  };
  return (
    <>
      <Failure error={wrong instanceof DOMException ? undefined : wrong} />
      {wrong instanceof DOMException && <p role="alert" class="bad">{t("The browser gives no microphone: {reason} Allow it for this page, or type.", { reason: wrong.message })}</p>}
      {(stage === "before" || stage === "after") && <Begin start={start} />}
      {stage === "after" && <p role="status">{t("The call is over.")} {call.current && <a href={href(`/calls/${call.current.callID}`)}>{t("Look at the call")}</a>}</p>}
      {stage === "connecting" && <p aria-busy="true">{t("Connecting…")}</p>}
      {stage === "talking" && call.current && <Controls call={call.current} microphone={microphone} doing={doing} />}
      {stage !== "before" && <Said turns={turns} />}
    </>
  );
}

const activities = () => ({ listening: t("listens"), thinking: t("thinks"), speaking: t("speaks") });

const chosen = "callwright-microphone";

/** Opens the microphone that was chosen before, or the browser's own choice. */
async function listen(): Promise<MediaStream> {
  const deviceId = sessionStorage.getItem(chosen);
  return navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: true, noiseSuppression: true, ...(deviceId ? { deviceId } : {}) } });
}

function Begin({ start }: { start: (spoken: boolean) => Promise<void> }) {
  const microphones = useLoad(async () => (await navigator.mediaDevices?.enumerateDevices() ?? []).filter(({ kind }) => kind === "audioinput"), []);
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

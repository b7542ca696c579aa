import { useEffect, useRef } from "preact/hooks";
import { clock, number, t, word } from "../text/text.js";
import type { Detail } from "./call.js";

type Turn = Detail["transcript"][number];

interface TurnsProps {
  turns: readonly Turn[];
  /** Seconds of the recording that are heard now; -1: none. */
  now: number;
  live: boolean;
  play: ((seconds: number) => void) | undefined;
}

/** What was said, in step with the recording, and how long each reply took. */
export function Turns({ turns, now, live, play }: TurnsProps) {
  const list = useRef<HTMLOListElement>(null);
  const spoken = turns.findLastIndex((turn) => turn.seconds_from_start <= now);
  useEffect(() => {
    if (spoken >= 0) {
      list.current?.children[spoken]?.scrollIntoView({ block: "nearest" });
    }
  }, [spoken]);
  if (turns.length === 0) {
    return <p>{live ? t("Nothing was said yet. What is said appears here.") : t("Nothing was said, or it is kept no longer.")}</p>;
  }
  return (
    <div class="turns-box" role="region" aria-label={t("Conversation")} tabIndex={0} aria-live={live ? "polite" : "off"}>
      <ol class="turns" ref={list}>
        {turns.map((turn, i) => (
          <li key={`${i}`} class={turn.role} aria-current={i === spoken ? "true" : undefined}>
            {play ? (
              <button type="button" class="plain" onClick={() => play(turn.seconds_from_start)} aria-label={t("Play from {time}", { time: clock(turn.seconds_from_start) })}>
                {clock(turn.seconds_from_start)}
              </button>
            ) : <small>{clock(turn.seconds_from_start)}</small>}
            <div>
              <small class="role">{word(turn.speaker ?? turn.role)}</small>
              <p>{turn.text}{turn.interrupted && <em> {t("(interrupted)")}</em>}</p>
              {turn.timing && <Latency timing={turn.timing} />}
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Latency({ timing }: { timing: NonNullable<Turn["timing"]> }) {
  const { speech_ended_ms: silent, last_words_ms: words, turn_ended_ms: over, first_token_ms: token, first_sound_ms: sound } = timing;
  const first = Math.max(token ?? over, over);
  const stages = [
    [t("recogniser"), words - silent], [t("end of the turn"), over - Math.max(words, silent)], [t("model"), first - over], [t("voice"), sound - first],
  ] as const;
  return (
    <details class="latency">
      <summary>{t("answered after {seconds} s", { seconds: number((sound - silent) / 1000, 1) })}</summary>
      {stages.map(([stage, ms]) => `${stage} ${Math.max(0, ms)} ms`).join(" · ")}
    </details>
  );
}

import { clock, number, t, word } from "../text/text.js";

export interface Turn {
  role: string;
  text: string;
  at_ms: number;
  interrupted: boolean;
  latency_ms: number | null;
}

/** What both sides say, as it is said. */
export function Said({ turns }: { turns: readonly Turn[] }) {
  return (
    <div class="turns-box" role="log" aria-label={t("Conversation")} tabIndex={0}>
      {turns.length === 0 && <p>{t("Nothing was said yet. What is said appears here.")}</p>}
      <ol class="turns">
        {turns.map((turn, i) => (
          <li key={`${i}`} class={turn.role}>
            <small>{clock(turn.at_ms / 1000)}</small>
            <div>
              <small class="role">{word(turn.role)}</small>
              <p>{turn.text}{turn.interrupted && <em> {t("(interrupted)")}</em>}</p>
              {turn.latency_ms !== null && <small>{t("answered after {seconds} s", { seconds: number(turn.latency_ms / 1000, 1) })}</small>}
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}

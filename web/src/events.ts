// The account's events as they happen: one stream, which all screens share. A hidden tab has none; it catches up.
import type { StreamEvent } from "./sdk.js";
import { cw } from "./client.js";

type Listener = (event: StreamEvent) => void;

const listeners = new Set<Listener>();
const pause = 10_000; // a session may have five streams: a sixth tab waits for its turn

export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follows the events until the function that it returns is called. */
export function follow(): () => void {
  let last: number | undefined;
  let reading: AbortController | undefined;
  const read = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      try {
        for await (const event of cw.events({ signal, ...(last === undefined ? {} : { after: last }) })) {
          last = event.sequence;
          listeners.forEach((tell) => tell(event));
        }
      } catch {
        await new Promise((resume) => setTimeout(resume, signal.aborted ? 0 : pause));
      }
    }
  };
  const update = () => {
    if (document.visibilityState === "visible" && !reading) {
      reading = new AbortController();
      void read(reading.signal);
    } else if (document.visibilityState === "hidden") {
      reading?.abort();
      reading = undefined;
    }
  };
  update();
  document.addEventListener("visibilitychange", update);
  return () => {
    document.removeEventListener("visibilitychange", update);
    reading?.abort();
  };
}

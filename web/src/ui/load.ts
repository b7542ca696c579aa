// Reading from the API, again when something happens.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { StreamEvent } from "../sdk.js";
import { listen } from "../events.js";

export interface Loaded<T> {
  data?: T;
  error?: unknown;
  reload: () => void;
}

type On = readonly string[] | ((event: StreamEvent) => boolean);

const together = 250; // milliseconds: events that come at once are one request
const apart = 1500; // between requests where events never cease: a busy account has more of them than a person reads

/** Calls reload again and again while something is under way of which no event tells. A hidden tab waits. */
export function useEvery(milliseconds: number, underWay: boolean, reload: () => void): void {
  useEffect(() => {
    if (!underWay) {
      return undefined;
    }
    const timer = setInterval(() => document.visibilityState === "visible" && reload(), milliseconds);
    return () => clearInterval(timer);
  }, [underWay]);
}

/** Loads when deps change, and again when an event of these types happens. What was loaded stays until the next is there. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, deps: readonly unknown[], on: On = []): Loaded<T> {
  const [state, set] = useState<{ data?: T; error?: unknown }>({});
  const [turn, again] = useState(0);
  const latest = useRef(on);
  latest.current = on;
  const reload = useCallback(() => again((n) => n + 1), []);
  const pending = useRef(false); // nothing that happens cuts a request off: where it takes long, none would ever come back
  const asked = useRef(-apart);
  useEffect(() => {
    const ended = new AbortController();
    pending.current = true;
    asked.current = performance.now();
    const done = (next: typeof state | ((before: typeof state) => typeof state)) => {
      if (!ended.signal.aborted) {
        pending.current = false;
        set(next);
      }
    };
    load(ended.signal).then((data) => done({ data }), (error: unknown) => done((before) => ({ ...before, error })));
    return () => ended.abort();
  }, [...deps, turn]);
  useEffect(() => {
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      waiting = pending.current ? setTimeout(look, together) : undefined;
      if (!waiting) {
        reload();
      }
    };
    const leave = listen((event) => {
      const wanted = latest.current;
      if (typeof wanted === "function" ? wanted(event) : wanted.includes(event.type)) {
        waiting ??= setTimeout(look, Math.max(together, asked.current + apart - performance.now()));
      }
    });
    return () => {
      leave();
      clearTimeout(waiting);
    };
  }, []);
  return { ...state, reload };
}

// The account's events as they happen: one stream, which all screens share. A hidden tab has none; it catches up.
import { useEffect, useState } from "preact/hooks";
import type { CallTurn, StreamEvent } from "./sdk.js";
import { cw } from "./client.js";

type Listener = (event: StreamEvent) => void;

const listeners = new Set<Listener>();
let watched: { call: string; tell: (turn: CallTurn) => void } | undefined;
let again: () => void = () => undefined; // connects anew
const pause = 10_000; // a session may have five streams: a sixth tab waits for its turn

export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns what is said in a call as it is said, while it is to be watched. It begins with the first turn. */
export function useTurns(call: string, watch: boolean): readonly CallTurn["turn"][] {
  const [turns, set] = useState<readonly CallTurn["turn"][]>([]);
  useEffect(() => {
    if (!watch) {
      return undefined;
    }
    const mine = { call, tell: ({ position, turn }: CallTurn) => set((before) => [...before.slice(0, position), turn, ...before.slice(position + 1)]) };
    watched = mine;
    again();
    return () => {
      if (watched === mine) {
        watched = undefined;
        again();
      }
      set([]);
    };
  }, [call, watch]);
  return turns;
}

/** Returns the sequence of the newest event: they have no gaps, and the oldest that is kept is the first of the list. */
export async function newest(): Promise<number> {
  const { data, pagination } = await cw.listEvents({ limit: 1 }).first();
  return (data[0]?.sequence ?? 1) - 1 + (pagination.total ?? 0);
}

/** Follows the events until the function that it returns is called. */
export function follow(): () => void {
  let last: number | undefined;
  let reading: AbortController | undefined;
  const read = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      try {
        last ??= await newest();
        for await (const event of cw.events({ signal, after: last, watch_call_id: watched?.call })) {
          if (event.type === "call-turn") {
            watched?.tell(event);
          } else {
            last = event.sequence;
            listeners.forEach((tell) => tell(event));
          }
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
  again = () => {
    if (reading) {
      reading.abort();
      reading = new AbortController();
      void read(reading.signal);
    }
  };
  document.addEventListener("visibilitychange", update);
  return () => {
    again = () => undefined;
    document.removeEventListener("visibilitychange", update);
    reading?.abort();
  };
}

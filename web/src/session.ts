// Who is signed in, and what they may do there. The server decides; the screens leave out what it would refuse.
import { useEffect, useState } from "preact/hooks";
import { cw, ended } from "./client.js";
import { speak } from "./text/text.js";

export type Session = Awaited<ReturnType<typeof cw.getSession>>;

type State = { session?: Session; known: boolean };

let state: State = { known: false };
let latest = state;
const listeners = new Set<(state: State) => void>();

// What is known counts once its language is there, unless something else is known by then.
async function set(next: State): Promise<void> {
  latest = next;
  await speak(next.session?.person.locale, next.session?.person.time_zone);
  if (latest !== next) return;
  state = next;
  listeners.forEach((tell) => tell(next));
}

ended.signal = () => void set({ known: true });

/** Takes the session that a sign-in, or a change of it, returned. */
export const enter = (session: Session) => set({ session, known: true });

/** Finds out who is signed in. */
export const resume = () => cw.getSession().then(enter, () => set({ known: true }));

export const leave = () => cw.signOut().finally(() => set({ known: true }));

export function useSession(): State {
  const [seen, see] = useState(state);
  useEffect(() => {
    listeners.add(see);
    see(state); // an answer may come between drawing and here
    return () => void listeners.delete(see);
  }, []);
  return seen;
}

/** Whoever is signed in: screens behind the sign-in alone ask. */
export const person = () => state.session!;

/** The roles; each contains those before it. */
export const roles = ["viewer", "developer", "admin", "owner"] as const;

export type Role = (typeof roles)[number];

/** Reports whether the person's role contains another one. */
export const contains = (role: Role) => roles.indexOf(state.session?.role ?? "viewer") >= roles.indexOf(role);

/** Reports whether the person's role changes things, or manages members, live keys and the account. */
export const may = (what: "write" | "manage") => contains(what === "write" ? "developer" : "admin");

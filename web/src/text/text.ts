// Texts in the person's language, and times in the person's zone. English is the source; a text without a Dutch one does not compile.
// The Dutch ones are loaded by those who read Dutch.
import type * as Dutch from "./nl.js";

export type Text = keyof typeof Dutch.nl;
export type Language = "en" | "nl";

const person = { language: "en" as Language, zone: Intl.DateTimeFormat().resolvedOptions().timeZone };

let dutch: typeof Dutch | undefined;

/** Speaks a person's language, or that of the browser, or English where the language cannot be loaded. */
export async function speak(locale: string | null | undefined, zone: string | null | undefined): Promise<void> {
  const wanted = (locale || navigator.language).toLowerCase().startsWith("nl");
  if (wanted) dutch ??= await import("./nl.js").catch(() => undefined);
  person.language = wanted && dutch ? "nl" : "en";
  person.zone = zone || Intl.DateTimeFormat().resolvedOptions().timeZone;
  document.documentElement.lang = person.language;
}

/** Returns a text; {name} in it stands for a value. */
export function t(text: Text, values: Record<string, string | number> = {}): string {
  const said: string = person.language === "nl" ? dutch!.nl[text] : text;
  return said.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** Returns what a word of the API, such as a status, is for people. */
export function word(name: string): string {
  const spaced = name.replace(/[-_]/g, " ");
  return person.language === "nl" ? (dutch!.words[spaced] ?? spaced) : spaced;
}

const format = (options: Intl.DateTimeFormatOptions) => (iso: string | null | undefined) =>
  iso ? new Intl.DateTimeFormat(person.language === "nl" ? "nl-NL" : "en-GB", { timeZone: person.zone, ...options }).format(new Date(iso)) : "–";

/** Returns the day and the time, which may stand on two lines and no more. */
export const time = (iso: string | null | undefined) => (iso ? `${day(iso)}, ${hour(iso)}` : "–");
const date = format({ dateStyle: "medium" });
export const day = (iso: string | null | undefined) => date(iso).replaceAll(" ", "\u00a0");
export const hour = format({ timeStyle: "medium" });

export const number = (value: number, digits = 0) =>
  new Intl.NumberFormat(person.language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);

/** Returns an amount in US dollars, with the hundredths of a cent that a call may cost. */
export const dollars = (amount: number) =>
  new Intl.NumberFormat(person.language, { style: "currency", currency: "USD", maximumFractionDigits: amount < 1 ? 4 : 2 }).format(amount);

/** Returns today in the person's zone, or some days from it. */
export const today = (days = 0) => shown(new Date(Date.now() + days * 86_400_000), person.zone).slice(0, 10);

/** Returns seconds as minutes and seconds. */
export const clock = (seconds: number) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

/** Returns the instant at which a wall clock in the person's zone shows a local time, such as 2026-03-01T09:00. */
export function instant(local: string): string {
  const guess = new Date(`${local}Z`);
  const off = (at: Date) => new Date(`${shown(at, person.zone)}Z`).getTime() - at.getTime();
  const once = new Date(guess.getTime() - off(guess));
  return new Date(guess.getTime() - off(once)).toISOString();
}

/** Returns what a wall clock in the person's zone shows, as inputs take it. */
export const local = (iso: string) => shown(new Date(iso), person.zone).slice(0, 16);

// Swedish writes dates as ISO 8601 does.
const shown = (at: Date, timeZone: string) =>
  new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(at).replace(" ", "T");

// What every screen is made of: its heading, what it waits for, what went wrong.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { APIConnectionError, APIError } from "../sdk.js";
import { isNotFound } from "../client.js";
import { may, person } from "../session.js";
import { refusal } from "../text/mistakes.js";
import { type Text, t, word } from "../text/text.js";
import type { Loaded } from "./load.js";

export function Page({ title, actions, children }: { title: string; actions?: ComponentChildren; children?: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · Callwright`;
  }, [title]);
  return (
    <>
      <header class="page">
        <h1>{title}</h1>
        {actions && <div class="bar">{actions}</div>}
      </header>
      {children}
    </>
  );
}

const notYours = () => t("Your role here is {role}, which does not do this. An admin of the account does, or gives you another role.", { role: word(person().role) });

/** Stands where somebody's role is too small for what others find there. */
export const NotYours = () => <p class="remedy">{notYours()}</p>;

/** Says what to do about an error, without what is shown at its field. */
export function explain(error: unknown, shown?: (field: string) => boolean): string {
  if (error instanceof APIConnectionError) {
    return t("The server cannot be reached. Try again in a moment.");
  }
  if (isNotFound(error)) {
    return t("This is not there, or no longer.");
  }
  if (error instanceof APIError && error.status === 403 && error.code === "forbidden") {
    return notYours();
  }
  if (error instanceof APIError && error.code === "test_key") {
    return t("This changes what is real. Switch test mode off to do it.");
  }
  if (error instanceof APIError) {
    return refusal(error, shown);
  }
  return t("Something went wrong. Load the page again.");
}

export function Failure({ error }: { error: unknown }) {
  return error ? <p role="alert" class="bad">{explain(error)}</p> : null;
}

/** Shows what was loaded, and until then that it is awaited. */
export function Await<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  if (of.data !== undefined) {
    return <>{children(of.data)}{of.error !== undefined && <Failure error={of.error} />}</>;
  }
  return of.error === undefined ? <p aria-busy="true">{t("Loading…")}</p> : <Failure error={of.error} />;
}

export function Badge({ of, text }: { of: string; text?: string }) {
  return <span class={`badge ${of}`}>{text ?? word(of)}</span>;
}

/** Facts as terms and what they are; those without a value are left out. */
export function Facts({ of }: { of: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl>
      {of.filter(([, value]) => value !== undefined && value !== null && value !== false && value !== "").map(([term, value]) => (
        <div key={term}><dt>{term}</dt><dd>{value}</dd></div>
      ))}
    </dl>
  );
}

/** What a screen says that has nothing to show yet: what to do. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}

/** What a list says that is empty: what to do, to who may do it. */
export const ToDo = ({ text }: { text: Text }) => <p>{may("write") ? t(text) : t("None yet.")}</p>;

export function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return <section><h2>{title}</h2>{children}</section>;
}

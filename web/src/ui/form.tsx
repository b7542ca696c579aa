// Forms. What the server finds wrong with a field is shown at that field, by the name that the API gives it.
import { type ComponentChildren, createContext } from "preact";
import { useContext, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { detailsOf } from "../client.js";
import { may } from "../session.js";
import { mistake } from "../text/mistakes.js";
import { t } from "../text/text.js";
import { NotYours, explain } from "./page.js";

interface State {
  details: Readonly<Record<string, string>>;
  busy: boolean;
  /** Whoever looks may not change it. */
  fixed?: boolean;
}

const FormState = createContext<State>({ details: {}, busy: false });

/** What was entered, by the names of fields. */
export class Values {
  constructor(private readonly data: FormData) {}

  text = (name: string) => String(this.data.get(name) ?? "").trim();
  /** undefined where nothing was entered. */
  some = (name: string) => this.text(name) || undefined;
  /** null where nothing was entered. */
  orNull = (name: string) => this.text(name) || null;
  checked = (name: string) => this.data.has(name);
  all = (name: string) => this.data.getAll(name).map(String);
  lines = (name: string) => this.text(name).split("\n").map((line) => line.trim()).filter(Boolean);
  number = (name: string) => (this.text(name) === "" ? undefined : Number(this.text(name)));
  file = (name: string) => this.data.get(name) as File;
}

interface FormProps {
  /** What the form does, for who cannot see it. */
  name: string;
  button: string;
  submit: (values: Values) => Promise<unknown>;
  children: ComponentChildren;
  /** What is said when it succeeded. */
  done?: string;
  keep?: boolean;
  inline?: boolean;
  danger?: boolean;
  /** What it takes to change what the form shows; others only look. */
  takes?: "write" | "manage";
}

export function Form({ name, button, submit, children, done, keep, inline, danger, takes }: FormProps) {
  const fixed = takes !== undefined && !may(takes);
  const form = useRef<HTMLFormElement>(null);
  const [state, set] = useState<State & { wrong?: string; finished?: boolean }>({ details: {}, busy: false });
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const details = missing(form.current!);
    if (Object.keys(details).length > 0) {
      set({ details, busy: false });
      return;
    }
    const values = new Values(new FormData(form.current!));
    set({ details: {}, busy: true });
    try {
      await submit(values);
      set({ details: {}, busy: false, finished: true });
      if (!keep) {
        form.current?.reset();
      }
    } catch (error) {
      set({ ...mistakes(error, form.current), busy: false });
    }
  };
  // at once: later it would take the cursor from whoever types on
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus(), [state.details]);
  return (
    <FormState.Provider value={{ ...state, fixed }}>
      <form ref={form} aria-label={name} onSubmit={(event) => void send(event)} class={inline ? "bar" : "stack"} noValidate>
        {children}
        {state.wrong && <p role="alert" class="bad">{state.wrong}</p>}
        {fixed ? <NotYours /> : (
          <div class="bar">
            <button class={danger ? "danger" : "main"} disabled={state.busy}>{button}</button>
            <span role="status">{state.finished && done}</span>
          </div>
        )}
      </form>
    </FormState.Provider>
  );
}

// Returns the fields that want something and have nothing, of which some are required here alone.
function missing(form: HTMLFormElement): State["details"] {
  const fields = [...form.elements] as (HTMLInputElement | HTMLButtonElement)[];
  return Object.fromEntries(fields.filter((one) => "required" in one && one.required && !one.value.trim()).map(({ name }) => [name, t("Fill this in.")]));
}

// Returns what is wrong by field, and the rest in a sentence: of a field that the form does not have, too.
function mistakes(error: unknown, form: HTMLFormElement | null): { details: State["details"]; wrong?: string } {
  const details = Object.fromEntries(Object.entries(detailsOf(error)).map(([field, what]) => [field, mistake(what)]));
  const shown = (field: string) => !!form?.elements.namedItem(field);
  const fields = Object.keys(details);
  return fields.length > 0 && fields.every(shown) ? { details } : { details, wrong: explain(error, shown) };
}

interface FieldProps {
  name: string;
  label: string;
  hint?: string | undefined;
  /** Lines of a text; without, a field of one line. */
  rows?: number;
  /** The options of a choice. */
  children?: ComponentChildren;
  code?: boolean;
  type?: "text" | "email" | "password" | "tel" | "url" | "number" | "date" | "datetime-local" | "checkbox" | "file";
  value?: string | number | null | undefined;
  checked?: boolean;
  required?: boolean;
  maxLength?: number;
  min?: number;
  max?: number;
  accept?: string;
  autocomplete?: string;
}

export function Field({ name, label, hint, rows, children, code, value, checked, ...rest }: FieldProps) {
  const id = useId();
  const { details, fixed } = useContext(FormState);
  const wrong = details[name];
  const about = [hint && `${id}-hint`, wrong && `${id}-wrong`].filter(Boolean).join(" ");
  const common = { id, name, "aria-invalid": wrong ? ("true" as const) : undefined, "aria-describedby": about || undefined };
  const kind = children ? "select" : rows ? "textarea" : "input";
  const looks = kind === "select" || rest.type === "checkbox" ? { disabled: fixed } : { readOnly: fixed };
  const input = { ...rest, ...looks, defaultValue: value ?? undefined, defaultChecked: checked } as object;
  return (
    <div class={rest.type === "checkbox" ? "field check" : "field"}>
      <label for={id}>{label}{rest.required && <span aria-hidden="true"> *</span>}</label>
      {kind === "select" && <select {...common} {...input}>{children}</select>}
      {kind === "textarea" && <textarea {...common} rows={rows} class={code ? "code" : ""} spellcheck={!code} {...input} />}
      {kind === "input" && <input {...common} {...input} />}
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      {wrong && <small id={`${id}-wrong`} class="bad">{wrong}</small>}
    </div>
  );
}

/** A button that does one thing, and says why it could not. */
export function Act({ act, children, danger }: { act: () => Promise<unknown>; children: ComponentChildren; danger?: boolean }) {
  const [state, set] = useState<{ busy?: boolean; wrong?: string }>({});
  const click = () => {
    set({ busy: true });
    act().then(() => set({}), (error: unknown) => set({ wrong: explain(error) }));
  };
  return (
    <>
      <button type="button" class={danger ? "danger" : ""} disabled={!!state.busy} onClick={click}>{children}</button>
      {state.wrong && <span role="alert" class="bad">{state.wrong}</span>}
    </>
  );
}

/** A secret that is shown once. */
export function Secret({ text }: { text: string }) {
  const [copied, set] = useState(false);
  return (
    <div role="status" class="made">
      <p>{t("Copy it now: it is shown once.")}</p>
      <code>{text}</code>{" "}
      <button type="button" onClick={() => void navigator.clipboard.writeText(text).then(() => set(true))}>{copied ? t("Copied") : t("Copy")}</button>
    </div>
  );
}

// Dialogs are the browser's own: it keeps the focus within, and Escape closes them.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { t } from "../text/text.js";
import { Act } from "./form.js";

export function Dialog({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={close}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/** A button that opens a dialog. */
export function Open({ button, title, children }: { button: string; title: string; children: (close: () => void) => ComponentChildren }) {
  const [open, set] = useState(false);
  const close = () => set(false);
  return (
    <>
      <button type="button" aria-haspopup="dialog" onClick={() => set(true)}>{button}</button>
      {open && (
        <Dialog title={title} close={close}>
          {children(close)}
          <button type="button" class="plain" onClick={close}>{t("Close")}</button>
        </Dialog>
      )}
    </>
  );
}

/** A button for what cannot be undone: it asks first. */
export function Confirm({ button, question, act }: { button: string; question: string; act: () => Promise<unknown> }) {
  return (
    <Open button={button} title={button}>
      {(close) => (
        <>
          <p>{question}</p>
          <Act danger act={() => act().then(close)}>{button}</Act>
        </>
      )}
    </Open>
  );
}

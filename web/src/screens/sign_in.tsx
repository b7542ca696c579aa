import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { cw } from "../client.js";
import { go, href } from "../route.js";
import { enter } from "../session.js";
import { t } from "../text/text.js";
import { Field, Form } from "../ui/form.js";
import { useLoad } from "../ui/load.js";
import { Await } from "../ui/page.js";

/** What is seen by whoever is not signed in. */
export function Door({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · Callwright`;
  }, [title]);
  return (
    <main class="door">
      <img src="logo.svg" alt="" width="48" height="48" />
      <h1>{title}</h1>
      {children}
    </main>
  );
}

export function SignIn() {
  return (
    <Door title={t("Sign in")}>
      <Form
        name={t("Sign in")} button={t("Sign in")} keep
        submit={async (values) => enter(await cw.signIn({ email: values.text("email"), password: values.text("password") }))}
      >
        <Field name="email" label={t("E-mail")} type="email" autocomplete="username" required />
        <Field name="password" label={t("Password")} type="password" autocomplete="current-password" required />
      </Form>
      <p><a href={href("/reset")}>{t("Password forgotten?")}</a></p>
    </Door>
  );
}

export function Reset() {
  const [sent, set] = useState(false);
  return (
    <Door title={t("Password forgotten")}>
      {sent ? <p role="status">{t("If somebody has this address here, a link is on its way by mail. It works for an hour, once.")}</p> : (
        <Form name={t("Password forgotten")} button={t("Send me a link")} submit={(values) => cw.requestReset({ email: values.text("email") }).then(() => set(true))}>
          <Field name="email" label={t("E-mail")} type="email" autocomplete="username" required />
        </Form>
      )}
      <p><a href={href("/")}>{t("Sign in")}</a></p>
    </Door>
  );
}

// Who joins is shown the language and the times of their browser, until they say otherwise.
const ofBrowser = () => ({
  locale: navigator.language.startsWith("nl") ? ("nl" as const) : ("en" as const), time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});

/** A link works once, by a click: programs that read mail open links too. */
export function SetUp({ token }: { token: string }) {
  const link = useLoad(() => cw.checkLink({ token }), [token]);
  if (link.error !== undefined) {
    return (
      <Door title={t("This link does not work")}>
        <p role="alert">{t("It was used, or it is too old. Ask for another.")}</p>
        <p><a href={href("/reset")}>{t("Send me a link")}</a> <a href={href("/")}>{t("Sign in")}</a></p>
      </Door>
    );
  }
  return (
    <Door title={t("Welcome")}>
      <Await of={link}>
        {({ purpose, email, account, password: wanted }) => (
          <Form
            name={t("Welcome")} button={wanted === "new" ? t("Save and sign in") : t("Sign in")} keep
            submit={async (values) => {
              const [password, name] = [values.some("password"), values.some("name")];
              const session = await cw.useLink({ token, ...(password ? { password } : {}), ...(name ? { name } : {}) });
              enter(wanted === "new" && purpose !== "reset" ? await cw.patchSession(ofBrowser()) : session);
              go("/");
            }}
          >
            <p>{email}<br /><small>{account.name}</small></p>
            <input type="hidden" autocomplete="username" value={email} />
            {wanted === "new" && purpose !== "reset" && <Field name="name" label={t("Your name")} autocomplete="name" />}
            {wanted === "new" && <Field name="password" label={t("New password")} hint={t("At least ten characters.")} type="password" autocomplete="new-password" required />}
            {wanted === "current" && <Field name="password" label={t("Your password")} type="password" autocomplete="current-password" required />}
          </Form>
        )}
      </Await>
    </Door>
  );
}

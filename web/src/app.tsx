// The shell: which screen is shown, and the way to the others.
import { Component, type ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { cw, setTesting, testing } from "./client.js";
import { follow } from "./events.js";
import { href, useRoute } from "./route.js";
import { screens } from "./screens.js";
import { Reset, SetUp, SignIn } from "./screens/sign_in.js";
import { enter, leave, person, useSession } from "./session.js";
import { type Text, t } from "./text/text.js";
import { Page } from "./ui/page.js";

const menu: readonly (readonly [string, Text])[] = [
  ["/", "Today"], ["/calls", "Calls"], ["/assistants", "Assistants"], ["/contacts", "Contacts"], ["/scheduled", "Scheduled calls"], ["/numbers", "Numbers"],
  ["/knowledge", "Knowledge base"], ["/webhooks", "Webhooks"], ["/keys", "API keys"], ["/members", "Members"], ["/usage", "Usage"], ["/account", "Account"],
];

export function App() {
  const { path } = useRoute();
  const { session, known } = useSession();
  const link = /^\/setup\/(.+)$/.exec(path)?.[1];
  if (link) {
    return <SetUp token={link} key={link} />;
  }
  if (!session) {
    if (!known) {
      return <p class="door" aria-busy="true">{t("Loading…")}</p>;
    }
    return path === "/reset" ? <Reset /> : <SignIn />;
  }
  return <Shell path={path} key={`${session.account.id} ${session.person.locale} ${session.person.time_zone}`} />;
}

function Shell({ path }: { path: string }) {
  useEffect(follow, []);
  const main = useRef<HTMLElement>(null);
  const nav = useRef<HTMLElement>(null);
  const before = useRef(path);
  useEffect(() => { // on a telephone the menu is wider than the screen
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [path]);
  useLayoutEffect(() => { // who cannot see the screen hears that it is another
    if (before.current !== path) {
      before.current = path;
      main.current?.focus();
      scrollTo(0, 0);
    }
  }, [path]);
  return (
    <div class="shell">
      <header class="menu">
        <a class="skip" href={`#${path}`} onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>{t("Skip to the content")}</a>
        <a href={href("/")} class="logo"><img src="logo.svg" alt="" width="24" height="24" />Callwright</a>
        <nav ref={nav} aria-label={t("Main")}>
          {menu.map(([to, name]) => <a key={to} href={href(to)} aria-current={within(path, to) ? "page" : undefined}>{t(name)}</a>)}
          <a href="/docs">{t("API documentation")}</a>
        </nav>
        <Person />
      </header>
      <main ref={main} tabIndex={-1}><Guard key={path}><Screen path={path} /></Guard></main>
    </div>
  );
}

const within = (path: string, to: string) => path === to || (to !== "/" && path.startsWith(`${to}/`));

function Person() {
  const { person: who, account, accounts } = person();
  return (
    <div class="person">
      <a href={href("/you")}>{who.name || who.email}</a>
      {accounts.length < 2 ? <small>{account.name}</small> : (
        <select aria-label={t("Account")} value={account.id} onChange={(event) => void cw.switchAccount({ account_id: event.currentTarget.value }).then(enter)}>
          {accounts.map((one) => <option value={one.id} key={one.id}>{one.name}</option>)}
        </select>
      )}
      <label class="check">
        <input type="checkbox" checked={testing()} onChange={(event) => setTesting(event.currentTarget.checked)} />{t("Test mode")}
      </label>
      <button type="button" class="plain" onClick={() => void leave()}>{t("Sign out")}</button>
    </div>
  );
}

function Screen({ path }: { path: string }) {
  for (const [pattern, screen] of screens) {
    const match = pattern.exec(path);
    if (match) {
      return screen(match[1] ?? "");
    }
  }
  return <Page title={t("There is no such page")}><p><a href={href("/")}>{t("Today")}</a></p></Page>;
}

/** Shows what to do where a screen fails, in place of an empty page. */
class Guard extends Component<{ children: ComponentChildren }, { failed: boolean }> {
  override state = { failed: false };

  static override getDerivedStateFromError = () => ({ failed: true });

  override render() {
    return this.state.failed ? (
      <Page title={t("This page does not work")}>
        <p role="alert">{t("Something went wrong. Load the page again.")}</p>
        <button type="button" class="main" onClick={() => location.reload()}>{t("Load again")}</button>
      </Page>
    ) : this.props.children;
  }
}

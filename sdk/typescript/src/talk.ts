// A talk button for any page, by one script tag:
//
//   <script src="https://api.example.com/talk.js" data-token-url="/callwright-token" data-label="Talk to us"></script>
//
// data-token-url is a path of the page's own server, which answers {"token": "cw_web_…"}; data-token is a token itself.
import { WebCall, WebCallError } from "./web.js";

const words = {
  en: { talk: "Talk to us", connecting: "Connecting…", end: "Hang up", type: "Type a message", send: "Send", lost: "The connection is lost.", microphone: "The microphone is blocked: you can type.", busy: "All lines are busy. Try again in a moment.", failed: "The call did not come about.", ended: "The call has ended." },
  nl: { talk: "Praat met ons", connecting: "Verbinden…", end: "Ophangen", type: "Typ een bericht", send: "Stuur", lost: "De verbinding is weg.", microphone: "De microfoon is geblokkeerd: u kunt typen.", busy: "Alle lijnen zijn bezet. Probeer het zo nog eens.", failed: "Het gesprek kwam niet tot stand.", ended: "Het gesprek is voorbij." },
};

const style = `:host{all:initial;position:fixed;right:1rem;bottom:1rem;z-index:2147483000;font:16px/1.4 system-ui,sans-serif;color-scheme:light dark}
button,input{font:inherit;border-radius:.6rem;border:1px solid light-dark(#8a919c,#6b7480);padding:.5rem .9rem;background:light-dark(#fff,#1d2127);color:light-dark(#1b1f24,#e6e8eb)}
button.talk{background:#0b57d0;border-color:#0b57d0;color:#fff}button:focus-visible,input:focus-visible{outline:3px solid #7aa7f0;outline-offset:2px}
section{width:min(22rem,calc(100vw - 2rem));padding:.8rem;border-radius:.9rem;border:1px solid light-dark(#c9ced6,#444b57);background:light-dark(#fff,#14171c);color:light-dark(#1b1f24,#e6e8eb)}
section>button{margin-top:.5rem}div.log{max-height:14rem;overflow:auto;margin:.5rem 0}p{margin:.3rem 0}p.user{text-align:right}form{display:flex;gap:.4rem;margin-top:.5rem}input{flex:1;min-width:0}[hidden]{display:none}`;

const script = document.currentScript as HTMLScriptElement | null;

function element<K extends keyof HTMLElementTagNameMap>(tag: K, more: Partial<HTMLElementTagNameMap[K]> = {}): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(tag), more);
}

function mount(from: HTMLScriptElement): void {
  const data = from.dataset;
  const text = (data.language ?? document.documentElement.lang).startsWith("nl") ? words.nl : words.en;
  const host = element("div", { role: "region", ariaLabel: data.label ?? text.talk });
  const root = host.attachShadow({ mode: "open" });
  const talk = element("button", { className: "talk", type: "button", textContent: data.label ?? text.talk });
  const panel = element("section", { hidden: true });
  const status = element("p");
  status.setAttribute("role", "status");
  const log = element("div", { className: "log", tabIndex: 0 });
  log.setAttribute("role", "log");
  const form = element("form");
  const input = element("input", { placeholder: text.type, autocomplete: "off", maxLength: 900 });
  input.setAttribute("aria-label", text.type);
  const hangUp = element("button", { type: "button", textContent: text.end });
  form.append(input, element("button", { textContent: text.send }));
  panel.append(status, log, form, hangUp);
  root.append(element("style", { textContent: style }), talk, panel);
  document.body.append(host);

  let call: WebCall | undefined;
  const token = async (): Promise<string> => {
    if (data.token) return data.token;
    const response = await fetch(data.tokenUrl ?? "", { method: "POST" });
    if (!response.ok) throw new WebCallError("refused", "no token", response.status);
    return ((await response.json()) as { token: string }).token;
  };
  const begin = (withMicrophone: boolean): void => {
    const options = { token, baseURL: new URL(from.src).origin, microphone: withMicrophone, recognise: data.recognise !== undefined };
    const now = (call = new WebCall(data.language ? { ...options, language: data.language } : options));
    now.on("state", (state) => {
      status.textContent = state === "connecting" ? text.connecting : state === "interrupted" ? text.lost : state === "ended" ? text.ended : "";
      form.hidden = hangUp.hidden = state === "ended";
      talk.hidden = state !== "ended";
    });
    now.on("transcript", (said) => {
      log.append(element("p", { className: said.role, textContent: said.text }));
      log.scrollTop = log.scrollHeight;
    });
    now.on("activity", (doing) => (panel.dataset.activity = doing.activity));
    now.start().catch((error: WebCallError) => {
      if (error.code === "microphone" && withMicrophone) {
        begin(false);
        status.textContent = text.microphone;
        return;
      }
      status.textContent = error.status === 429 || error.status === 503 ? text.busy : text.failed;
    });
  };
  talk.onclick = () => {
    log.replaceChildren();
    panel.hidden = false;
    begin(true);
  };
  hangUp.onclick = () => void call?.end();
  form.onsubmit = (e) => {
    e.preventDefault();
    if (input.value.trim()) call?.say(input.value);
    input.value = "";
  };
}

if (script) {
  if (document.body) mount(script);
  else addEventListener("DOMContentLoaded", () => mount(script));
}

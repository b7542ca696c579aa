// Calls of browsers, with the whole product behind them: of people at the dashboard and of pages of customers' sites.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { after, before, describe, test } from "node:test";
import { inspect, join, newPerson, startBrowser, startMortal, visit } from "./browser.mjs";
import { startDev } from "./dev.mjs";
import { startSite } from "./site.mjs";
import { loudness, sides, startRecogniser, writeMicrophone } from "./speech.mjs";

const words = "What are your opening hours?";
const answer = "Yes, from nine to one.";

// Both names that the flag has had.
const noUDP = ["--webrtc-ip-handling-policy=disable_non_proxied_udp", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"];

let recogniser, dev, site, folder, spoken, browser, person, assistant, short;

before(async () => {
  recogniser = await startRecogniser(words);
  dev = await startDev({ CALLWRIGHT_STT_PROVIDER: "openai-compatible", CALLWRIGHT_STT_BASE_URL: recogniser.url, CALLWRIGHT_STT_MODEL: "any" });
  site = await startSite(dev.url);
  const { data } = await dev.ask("GET", "/v1/assistants");
  assistant = data.find(({ assistant_name: name }) => name === "Demo receptionist").assistant_id;
  short = await token({ ttl_seconds: 10 });
  folder = await mkdtemp(path(tmpdir(), "web-calls-"));
  const { data: [first] } = await dev.ask("GET", "/v1/calls");
  await writeMicrophone(path(folder, "microphone.wav"), await recording(first.call_id));
  spoken = `--use-file-for-fake-audio-capture=${path(folder, "microphone.wav")}%noloop`;
  browser = await startBrowser(spoken);
  person = await join(browser, dev, "tessa@example.com", "developer", "Tessa");
});

after(async () => {
  await person?.close();
  await browser?.close();
  site?.stop();
  await dev?.stop();
  recogniser?.stop();
  await (folder && rm(folder, { recursive: true, force: true }));
});

async function token(about = {}) {
  return dev.ask("POST", "/v1/web-tokens", { ...site.tokenBody, assistant_id: assistant, origins: [site.origin], ...about });
}

/** Waits for a call to be over and kept, and returns its recording. */
async function recording(id) {
  const { recording_url: url } = await dev.until(`/v1/calls/${id}`, (call) => call.recording_url);
  return (await fetch(new URL(url, dev.url), { headers: { Authorization: `Bearer ${dev.key}` } })).arrayBuffer();
}

/** Opens a page of the customer's site, which gets a token. */
async function open(path, { token }) {
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1280, height: 800 } });
  await context.addCookies([{ name: "token", value: token, url: site.origin }]);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(site.origin + path);
  return { page, close: () => context.close() };
}

/** Notes the connections that a page makes. */
const noted = () => {
  const Real = window.RTCPeerConnection;
  window.RTCPeerConnection = function (...how) {
    return (window.peer = new Real(...how));
  };
};

/** How the sound of a page's connection travels. */
const carrier = () => window.peer.getStats().then((all) => {
  const stats = [...all.values()];
  const pair = stats.find(({ type, nominated }) => type === "candidate-pair" && nominated);
  return stats.find(({ id }) => id === pair.localCandidateId).protocol;
});

/** Has somebody talk at the dashboard, and returns their call. */
async function talk(page) {
  await visit(page, dev, `/assistants/${assistant}/talk`, "Talk with Demo receptionist");
  const asked = page.waitForResponse((response) => response.url().endsWith("/v1/calls/web"));
  await page.getByRole("button", { name: "Type only" }).click();
  await page.getByRole("button", { name: "Hang up" }).waitFor();
  return (await (await asked).json()).call_id;
}

describe("at once", { concurrency: true }, () => {
  for (const [name, protocol, flags] of [
    ["by UDP", "udp", []], ["where UDP is closed", "tcp", noUDP],
  ]) {
    test(`what is spoken is heard, answered, transcribed and recorded ${name}`, async (t) => {
      const other = await startBrowser(spoken, ...flags);
      t.after(() => other.close());
      const { page, problems } = await newPerson(other, dev.url, { storageState: await person.page.context().storageState() });
      await page.addInitScript(noted);
      await visit(page, dev, `/assistants/${assistant}/talk`, "Talk with Demo receptionist");
      await page.getByRole("button", { name: "Talk", exact: true }).click();
      const log = page.getByRole("log");
      await log.getByText(words).first().waitFor();
      await log.getByText(answer).first().waitFor();
      await page.getByText(/packets lost, jitter/).waitFor();
      assert.equal(await page.evaluate(carrier), protocol);
      await page.getByRole("button", { name: "Hang up" }).click();
      const id = (await page.getByRole("link", { name: "Look at the call" }).getAttribute("href")).split("/").at(-1);
      const [caller, assistants] = sides(await recording(id)).map(loudness);
      assert.ok(caller > 1000 && assistants > 1000, `${caller} and ${assistants} samples of the recording are loud`);
      const { transcript, ended_reason: why } = await dev.ask("GET", `/v1/calls/${id}`);
      assert.ok(transcript.some(({ role, text }) => role === "user" && text.includes(words)));
      assert.equal(why, "customer-ended-call");
      assert.deepEqual(problems, []);
    });
  }

  test("a page of another origin has a button by one script tag, as often as its token says", async () => {
    const { page, close } = await open("/button", await token());
    const button = page.getByRole("button", { name: "Talk to us" });
    await button.click();
    await page.getByRole("textbox", { name: "Type a message" }).fill(words);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("log").getByText(answer).first().waitFor();
    await inspect(page, "talk-button");
    await page.getByRole("button", { name: "Hang up" }).click();
    await page.getByText("The call has ended.").waitFor();
    await button.click();
    await page.getByText("The call did not come about.").waitFor();
    await close();
  });

  test("a token is of no use to pages of others, nor when its time is over", async () => {
    const refused = async (made) => {
      const { page, close } = await open("/button", made);
      await page.getByRole("button", { name: "Talk to us" }).click();
      await page.getByText("The call did not come about.").waitFor();
      await close();
      const { data } = await dev.ask("GET", "/v1/web-tokens");
      assert.ok(!data.some(({ id, calls }) => id === made.id && calls > 0));
    };
    await refused(await token({ origins: ["https://www.example.com"] }));
    await new Promise((resume) => setTimeout(resume, new Date(short.expires_at) - Date.now()));
    await refused(short);
  });

  test("a page of one's own talks with WebCall of the SDK", async () => {
    const made = await token({ variables: { name: "Ada" } });
    const { page, close } = await open("/own", made);
    const happened = await page.evaluate(async ([options, words, answer]) => {
      const call = new WebCall(options);
      const happened = { states: [], loudest: 0 };
      const answered = new Promise((resolve) => call.on("transcript", ({ text }) => text.includes(answer) && resolve()));
      call.on("state", (state) => {
        happened.states.push(state);
        if (state === "connected") {
          call.say(words);
        }
      });
      call.on("level", ({ assistant }) => { happened.loudest = Math.max(happened.loudest, assistant); });
      await call.start();
      await answered;
      call.mute(true);
      const quality = await call.quality();
      await call.end();
      return { ...happened, heard: quality !== undefined, id: call.callID };
    }, [{ token: made.token, baseURL: dev.url, visitor: "ada" }, words, answer]);
    assert.deepEqual([happened.states, happened.heard], [["connecting", "connected", "ended"], true]);
    assert.ok(happened.loudest > 0.05, `the assistant is ${happened.loudest} loud`);
    const call = await dev.until(`/v1/calls/${happened.id}`, ({ call_status: status }) => status === "completed");
    assert.deepEqual([call.contact_phone_number, call.ended_reason], ["web:ada", "customer-ended-call"]);
    await close();
  });

  test("the example of the guide talks", async () => {
    const { page, close } = await open("/example", await token());
    const connected = page.waitForEvent("console", (message) => message.text() === "connected");
    const said = page.waitForEvent("console", (message) => message.text().startsWith("assistant "));
    await page.getByRole("button", { name: "Talk" }).click();
    await Promise.all([connected, said]);
    await close(); // it leaves the call
  });

  test("any client of WHIP calls and hangs up, without a line of ours", async () => {
    const made = await token();
    const { page, close } = await open("/own", made);
    const { status, left, place } = await page.evaluate(async ([url, assistant, token]) => {
      const peer = new RTCPeerConnection();
      peer.addTransceiver("audio", { direction: "recvonly" });
      await peer.setLocalDescription();
      const headers = { Authorization: `Bearer ${token}` };
      const response = await fetch(`${url}/v1/calls/web?assistant_id=${assistant}`, {
        method: "POST", headers: { ...headers, "Content-Type": "application/sdp" }, body: peer.localDescription.sdp,
      });
      const connected = new Promise((resolve) => {
        peer.onconnectionstatechange = () => peer.connectionState === "connected" && resolve();
      });
      const place = response.headers.get("Location");
      await peer.setRemoteDescription({ type: "answer", sdp: await response.text() });
      await connected;
      const left = await fetch(new URL(place, url), { method: "DELETE", headers });
      return { status: response.status, left: left.status, place };
    }, [dev.url, assistant, made.token]);
    assert.deepEqual([status, left], [201, 204]);
    const { ended_reason: why } = await dev.until(`/v1/calls/${place.split("/").at(-1)}`, ({ call_status: status }) => status === "completed");
    assert.equal(why, "customer-ended-call");
    await close();
  });

  test("a browser that is killed is missed", async (t) => {
    const mortal = await startMortal();
    const { page } = await newPerson(mortal.browser, dev.url, { storageState: await person.page.context().storageState() });
    const id = await talk(page);
    const killed = Date.now();
    await mortal.kill();
    const { ended_reason: why, ended_at: at } = await dev.until(`/v1/calls/${id}`, (call) => call.ended_at);
    assert.equal(why, "customer-connection-lost");
    const noticed = (new Date(at) - killed) / 1000;
    t.diagnostic(`noticed after ${noticed} s`);
    assert.ok(noticed < 15, `noticed after ${noticed} s`);
  });
});

test("a person whose server is killed is told so", async () => {
  const { page } = person;
  await talk(page);
  await dev.stop("SIGKILL");
  await page.getByRole("alert").getByText("The connection to the assistant is lost.").waitFor();
  await page.getByText("The call is over.").waitFor();
});

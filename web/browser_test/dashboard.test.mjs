// People at the dashboard of the whole product, in a browser.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { accessible, fits, inspect, join as joins, newPerson, password, startBrowser, visit as visits } from "./browser.mjs";
import { startDev } from "./dev.mjs";
import { mistakes } from "./mistakes.mjs";
import { numbers } from "./numbers.mjs";
import { everyScreenAsEachRole } from "./roles.mjs";

let dev;
let browser;
let admin; // signed in, who may do everything but remove owners

before(async () => {
  [dev, browser] = await Promise.all([startDev(), startBrowser()]);
  admin = await join("admin@example.com", "admin", "Ada");
});

after(async () => {
  await admin?.close();
  await browser?.close();
  await dev?.stop();
});

const join = (email, role, name) => joins(browser, dev, email, role, name);
const visit = (page, path, heading) => visits(page, dev, path, heading);

/** Looks again until something is there. */
async function look(page, what) {
  while (!(await what().first().isVisible())) {
    await page.getByRole("button", { name: "Look again" }).click();
    await page.locator("[aria-busy]").first().waitFor({ state: "detached" });
  }
}

const main = (page) => page.getByRole("main");

test("browsers get the dashboard, programs the documentation", async () => {
  const at = async (accept) => (await fetch(dev.url, { headers: { Accept: accept }, redirect: "manual" })).headers.get("Location");
  assert.deepEqual([await at("text/html,*/*;q=0.8"), await at("*/*")], ["/app/", "/docs"]);
});

test("signing in, and mistakes at it", async () => {
  const { page, problems, close } = await newPerson(browser, dev.url);
  await page.goto(`${dev.url}/app/#/calls`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await inspect(page, "sign-in");
  const sign = async (word) => {
    await page.getByLabel("E-mail").fill("admin@example.com");
    await page.getByLabel("Password", { exact: false }).first().fill(word);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  await sign("wrong horse battery");
  await page.getByRole("alert").waitFor();
  await sign(password);
  await page.getByRole("heading", { name: "Calls", level: 1 }).waitFor(); // where they were going
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.getByRole("link", { name: "Password forgotten?" }).click();
  await inspect(page, "reset");
  await page.getByLabel("E-mail").fill("nobody@example.com");
  await page.getByRole("button", { name: "Send me a link" }).click();
  await page.getByText("If somebody has this address here").waitFor();
  await page.goto(`${dev.url}/app/#/setup/${"X".repeat(26)}`);
  await page.getByRole("heading", { name: "This link does not work" }).waitFor();
  await inspect(page, "used-link");
  assert.deepEqual(problems, []);
  await close();
});

test("a key is made, shown once and revoked", async () => {
  const { page } = admin;
  await visit(page, "/keys", "API keys");
  await page.getByLabel("What it is for").fill("my server");
  await page.getByRole("button", { name: "Make a key" }).click();
  const key = await page.locator(".made code").innerText();
  assert.match(key, /^cw_test_/);
  await inspect(page, "keys");
  const asks = () => fetch(`${dev.url}/v1/user/profile`, { headers: { Authorization: `Bearer ${key}` } });
  assert.equal((await asks()).status, 200);
  const row = page.getByRole("row", { name: /my server/ });
  await row.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await row.waitFor({ state: "detached" });
  assert.equal((await asks()).status, 401);
});

test("calls are listed, filtered by the address, and shown whole", async () => {
  const { page } = admin;
  await visit(page, "/calls", "Calls");
  await main(page).getByLabel(/^Status/).selectOption("completed");
  await page.waitForURL(/call_status=completed/);
  await inspect(page, "calls");
  await main(page).locator("tbody a").first().click();
  await page.getByRole("heading", { name: "Call", exact: true }).waitFor();
  await page.getByText("Yes, from nine to one.").first().waitFor();
  await page.locator(".wave[data-ready]").waitFor();
  await page.locator("[aria-busy]").first().waitFor({ state: "detached" });
  await inspect(page, "call");
  await page.getByRole("button", { name: /^Play from/ }).last().click();
  await page.locator(".turns [aria-current]").waitFor();
  await visit(page, "/calls?call_status=busy", "Calls");
  await page.getByText("No call is like that.").waitFor();
});

test("another filter begins at the first page, with one request", async () => {
  const { page } = admin;
  const asked = [];
  await page.route(/\/v1\/calls\?/, async (route) => {
    asked.push(new URL(route.request().url()).searchParams);
    const whole = new URL(route.request().url());
    whole.searchParams.delete("cursor");
    const response = await route.fetch({ url: whole.href });
    const { data, pagination } = await response.json();
    await route.fulfill({ response, json: { data, pagination: { ...pagination, next_cursor: "another" } } });
  });
  await visit(page, "/calls", "Calls");
  const behind = page.waitForResponse(/cursor=another/);
  await main(page).getByRole("link", { name: "Next page" }).click();
  await (await behind).finished();
  const before = asked.length;
  const shown = page.waitForResponse((response) => /call_status=completed&limit=25$/.test(response.url()));
  await main(page).getByLabel(/^Status/).selectOption("completed");
  await (await shown).finished();
  await page.unrouteAll({ behavior: "wait" });
  assert.deepEqual(asked.slice(before).map((query) => Object.fromEntries(query)), [{ call_status: "completed", limit: "25" }]);
});

test("an assistant is made, changed in its form and as JSON, and mistakes are shown at their fields", async () => {
  const { page } = admin;
  await visit(page, "/assistants", "Assistants");
  await page.getByRole("button", { name: "New assistant" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Make it" }).click();
  await dialog.locator("[aria-invalid=true]").waitFor(); // it has no name
  await inspect(page, "new-assistant");
  await dialog.getByLabel("Name").fill("Front desk");
  await dialog.getByLabel("Instructions").fill("You answer for Linden Dental.");
  await dialog.getByRole("button", { name: "Make it" }).click();
  await page.getByRole("heading", { name: "Front desk", level: 1 }).waitFor();
  await page.getByLabel("Longest call, in seconds").fill("-5");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByLabel("Longest call, in seconds").and(page.locator("[aria-invalid=true]")).waitFor();
  await page.getByLabel("Longest call, in seconds").fill("300");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  await inspect(page, "assistant");
  await page.getByRole("link", { name: "JSON" }).click();
  const json = page.getByRole("textbox", { name: "The assistant as JSON" });
  const assistant = JSON.parse(await json.inputValue());
  assert.deepEqual([assistant.max_duration_seconds, assistant.llm_content], [300, "You answer for Linden Dental."]);
  await json.fill("{");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("This is not JSON").waitFor();
  await json.fill(JSON.stringify({ ...assistant, assistant_name: "Reception" }));
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Reception", level: 1 }).waitFor();
  await inspect(page, "assistant-json");
});

test("a contact is added, a call with it is planned and canceled", async () => {
  const { page } = admin;
  await visit(page, "/contacts", "Contacts");
  await page.getByRole("button", { name: "New contact" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Number").fill("12");
  const cursor = dialog.evaluate((form) => new Promise((found) => { // where it is as soon as the mistake is shown
    new MutationObserver(() => form.querySelector("[aria-invalid=true]") && found(document.activeElement.name)).observe(form, { subtree: true, attributes: true });
  }));
  await dialog.getByRole("button", { name: "Add" }).click();
  assert.equal(await cursor, "phone_number");
  await dialog.getByLabel("Number").fill("+31612345677");
  await dialog.getByLabel("Name").fill("Jan de Vries");
  await dialog.getByRole("button", { name: "Add" }).click();
  await page.getByRole("heading", { name: "Jan de Vries" }).waitFor();
  await inspect(page, "contact");
  await page.getByRole("button", { name: "Schedule a call" }).click();
  await dialog.getByLabel("When").fill("2027-07-01T09:30");
  await dialog.getByRole("button", { name: "Schedule", exact: true }).click();
  await page.getByRole("heading", { name: "Scheduled calls" }).waitFor();
  const row = page.getByRole("row", { name: /Jan de Vries/ });
  await row.getByText("1 Jul 2027, 09:30:00").waitFor(); // in the person's zone
  const { data } = await dev.ask("GET", "/v1/scheduled-calls?processed=false");
  assert.equal(new Date(data[0].scheduled_time).toISOString(), "2027-07-01T07:30:00.000Z");
  await row.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await row.getByRole("button", { name: "Cancel" }).first().waitFor({ state: "detached" });
});

test("knowledge is added and found by a question", async () => {
  const { page } = admin;
  await visit(page, "/knowledge", "Knowledge base");
  await page.getByRole("button", { name: "Add knowledge" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Title").fill("Opening hours");
  await dialog.getByRole("textbox", { name: "Text" }).fill("The practice is open from nine to five on weekdays.");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("cell", { name: "Opening hours" }).waitFor();
  await page.getByRole("textbox", { name: "Question" }).fill("open weekdays");
  await page.getByRole("button", { name: "Look up" }).click();
  await page.getByText("The practice is open from nine to five").waitFor();
  await inspect(page, "knowledge-found");
});

test("a server is named for events, and an event is delivered again", async () => {
  const { page } = admin;
  const received = [];
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
    received.push(request.headers["webhook-id"]);
    server.emit("received");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  await visit(page, "/webhooks", "Webhooks");
  await page.getByLabel("URL").fill("nowhere");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByLabel("URL").and(page.locator("[aria-invalid=true]")).waitFor();
  await page.getByLabel("URL").fill(`http://127.0.0.1:${server.address().port}/`);
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".made code").waitFor(); // the secret
  await page.locator("tbody a").first().click();
  await page.getByRole("button", { name: "Deliver again" }).click();
  if (received.length === 0) {
    await once(server, "received");
  }
  await look(page, () => page.getByRole("cell", { name: "204" }));
  await page.locator(".badge", { hasText: "delivered" }).waitFor(); // without looking again
  await inspect(page, "event");
  await dev.ask("PUT", "/v1/user/webhook", { url: null });
  server.close();
});

/** Places a call whose far end talks for a while. */
async function placeCall(page) {
  await visit(page, "/", "Today");
  await page.getByRole("button", { name: "Place a call" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Number").fill("+31612345612");
  await dialog.getByRole("button", { name: "Call now" }).click();
  await page.getByRole("heading", { name: "While it goes on" }).waitFor();
}

test("a call that goes on is followed, spoken in and hung up", async () => {
  const { page } = admin;
  const detail = /\/v1\/calls\/[0-9a-f-]{36}$/;
  await page.route(detail, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), transcript: [] } }); // what is said comes by the stream
  });
  await placeCall(page);
  await page.getByRole("textbox", { name: "Let the assistant say" }).fill("One moment please.");
  await page.getByRole("button", { name: "Say", exact: true }).click();
  await page.getByText("The assistant says it.").waitFor();
  await page.getByRole("region", { name: "Conversation" }).getByText("One moment please.").waitFor();
  await page.unrouteAll({ behavior: "wait" }); // else one that is being answered is answered twice
  await inspect(page, "live-call");
  await page.getByRole("button", { name: "Hang up" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Hang up" }).click();
  await page.getByRole("heading", { name: "While it goes on" }).waitFor({ state: "detached" });
  await page.getByText("somebody of your account ended it").waitFor();
});

test("a call that goes on is transferred to what is a number", async () => {
  const { page } = admin;
  await placeCall(page);
  const destination = page.getByLabel("Transfer the caller to");
  await destination.fill("12");
  await page.getByRole("button", { name: "Transfer", exact: true }).click();
  await destination.and(page.locator("[aria-invalid=true]")).waitFor();
  await destination.fill("+31612345600");
  await page.getByRole("button", { name: "Transfer", exact: true }).click();
  await page.getByText("The call is being transferred.").waitFor();
  await page.getByRole("heading", { name: "While it goes on" }).waitFor({ state: "detached" });
  await page.getByText("transferred", { exact: false }).first().waitFor();
});

test("the owner comes in by the link that dev prints, and makes another owner", async () => {
  const owner = await newPerson(browser, dev.url);
  const { page } = owner;
  await page.goto(dev.link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Today", level: 1 }).waitFor();
  await visit(page, "/members", "Members");
  await page.getByRole("form", { name: "Invite somebody" }).getByLabel("E-mail").fill("second@example.com");
  await page.getByRole("form", { name: "Invite somebody" }).getByLabel("Role").selectOption("owner");
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByRole("row", { name: /second@example.com owner/ }).waitFor();
  assert.deepEqual(owner.problems, []);
  await owner.close();
});

test("a person's language and zone are theirs, and a viewer changes nothing", async () => {
  const viewer = await join("viewer@example.com", "viewer", "Vera");
  const { page } = viewer;
  await visit(page, "/you", "You");
  await page.getByLabel("Language").selectOption("nl");
  await page.getByLabel("Time zone").selectOption("America/New_York");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "U", exact: true }).waitFor();
  await visit(page, "/calls", "Gesprekken");
  assert.equal(await page.evaluate(() => document.documentElement.lang), "nl");
  assert.equal(await page.getByRole("button", { name: "Laten bellen" }).count(), 0);
  await inspect(page, "calls-nl");
  await visit(page, "/keys", "API-sleutels");
  assert.equal(await page.getByRole("button", { name: "Sleutel maken" }).count(), 0);
  assert.deepEqual(viewer.problems, []);
  await viewer.close();
});

test("a member is invited, gets another role and is removed, and the audit has it", async () => {
  const { page } = admin;
  await visit(page, "/members", "Members");
  await page.getByRole("form", { name: "Invite somebody" }).getByLabel("E-mail").fill("dev@example.com");
  await page.getByRole("button", { name: "Invite" }).click();
  assert.match(await page.locator(".made code").innerText(), /#\/setup\//);
  const row = page.getByRole("row", { name: /dev@example.com/ });
  await row.getByRole("button", { name: "Change the role" }).click();
  await page.getByRole("dialog").getByRole("combobox", { name: "Role" }).selectOption("developer");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await row.getByRole("cell", { name: "developer" }).waitFor();
  await row.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await row.waitFor({ state: "detached" });
  await visit(page, "/audit", "Who changed what");
  await page.getByRole("link", { name: "delete member" }).first().waitFor();
});

numbers(() => ({ page: admin.page, dev }));

test("an assistant is talked with in the browser, by typing and with a microphone", async () => {
  const { page } = admin;
  const { data } = await dev.ask("GET", "/v1/assistants");
  const { assistant_id: id } = data.find(({ assistant_name: name }) => name === "Demo receptionist");
  await visit(page, `/assistants/${id}/talk`, "Talk with Demo receptionist");
  await inspect(page, "talk");
  for (const button of ["Type only", "Talk"]) {
    await page.getByRole("button", { name: button, exact: true }).click();
    const box = page.getByRole("textbox", { name: "Type what you say" });
    await box.fill("What are your opening hours?");
    await page.getByRole("button", { name: "Say" }).click();
    await page.getByRole("log").getByText("Yes, from nine to one.").waitFor();
    await inspect(page, "talking");
    await page.getByText("Keypad").click();
    await page.getByRole("button", { name: "5", exact: true }).click();
    await page.getByRole("button", { name: "Hang up" }).click();
    await page.getByText("The call is over.").waitFor();
  }
  await page.getByRole("link", { name: "Look at the call" }).click();
  await page.getByText("the person hung up").waitFor();
});

test("a colleague listens in on a call, whispers to its assistant and barges in", async () => {
  const { page } = admin;
  const { data } = await dev.ask("GET", "/v1/assistants");
  const { assistant_id: id } = data.find(({ assistant_name: name }) => name === "Demo receptionist");
  await visit(page, `/assistants/${id}/talk`, "Talk with Demo receptionist");
  await page.getByRole("button", { name: "Talk", exact: true }).click();
  await page.getByRole("textbox", { name: "Type what you say" }).waitFor();
  const { data: [{ call_id: call }] } = await dev.until("/v1/calls?call_status=in-progress", ({ data }) => data.length > 0); // written soon after it is answered

  const colleague = await join("listens@example.com", "developer", "Lou");
  await colleague.page.addInitScript(() => {
    const Peer = RTCPeerConnection;
    globalThis.RTCPeerConnection = class extends Peer { constructor(...options) { super(...options); globalThis.peer = this; } };
  });
  await colleague.page.goto(`${dev.url}/app/#/calls/${call}`);
  await colleague.page.reload();
  const press = (name) => colleague.page.getByRole("button", { name, exact: true }).press("Enter");
  await press("Listen");
  await colleague.page.getByText("You hear both sides. Nobody hears you.").waitFor();
  await colleague.page.waitForFunction(async () => [...(await globalThis.peer.getStats()).values()].some(({ type, totalAudioEnergy }) => type === "inbound-rtp" && totalAudioEnergy > 0));
  await inspect(colleague.page, "listening");
  await press("Whisper");
  await colleague.page.getByText("The caller hears nothing of it.").waitFor();
  await colleague.page.getByRole("textbox", { name: "Tell the assistant" }).fill("when zebra: We have two zebras.");
  await colleague.page.getByRole("textbox", { name: "Tell the assistant" }).press("Enter");
  await page.getByRole("textbox", { name: "Type what you say" }).fill("Have you a zebra?");
  await page.getByRole("button", { name: "Say" }).click();
  await page.getByRole("log").getByText("We have two zebras.").waitFor();
  await press("Barge in");
  await colleague.page.getByText("The caller hears you. The assistant is silent.").waitFor();
  await press("Stop");
  await colleague.page.getByText("The caller does not notice.").waitFor();
  assert.deepEqual(colleague.problems, []);
  await colleague.close();
  await page.getByRole("button", { name: "Hang up" }).click();
  await page.getByText("The call is over.").waitFor();
});

test("a keyboard is enough: the first key leads past the menu, and a new screen is where it goes on", async () => {
  const { page } = admin;
  await visit(page, "/", "Today");
  await page.reload();
  await page.getByRole("heading", { name: "Today", level: 1 }).waitFor();
  const focused = (name) => page.locator(`${name}:focus`).waitFor();
  await page.keyboard.press("Tab");
  await focused(".skip");
  await page.keyboard.press("Enter");
  await focused("main");
  await page.getByRole("link", { name: "Contacts" }).press("Enter");
  await page.getByRole("heading", { name: "Contacts", level: 1 }).waitFor();
  await focused("main");
  await page.getByRole("button", { name: "New contact" }).press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await focused("button[aria-haspopup]");
});

/** Presses Tab until something has the focus. */
async function tabTo(page, wanted) {
  await wanted.waitFor();
  for (let step = 0; step < 80; step++) {
    if (await wanted.evaluate((element) => element === document.activeElement)) {
      return;
    }
    await page.keyboard.press("Tab");
  }
  assert.fail("a keyboard does not get there");
}

test("an assistant is made, talked with and its call read with a keyboard alone, at twice the size of letters", async () => {
  const { page } = admin;
  await page.setViewportSize({ width: 640, height: 400 }); // what 1280 by 800 are at 200 %
  await visit(page, "/assistants", "Assistants");
  const press = async (role, name) => {
    await tabTo(page, page.getByRole(role, { name, exact: true }));
    await page.keyboard.press("Enter");
  };
  await press("button", "New assistant");
  const dialog = page.getByRole("dialog");
  await tabTo(page, dialog.getByLabel("Name"));
  await page.keyboard.type("Keys alone");
  await tabTo(page, dialog.getByLabel("Instructions"));
  await page.keyboard.type("when hours: We are open from nine to five.");
  await press("button", "Make it");
  await page.getByRole("heading", { name: "Keys alone", level: 1 }).waitFor();
  await press("link", "Talk");
  await page.getByRole("heading", { name: "Talk with Keys alone", level: 1 }).waitFor();
  await press("button", "Type only");
  await tabTo(page, page.getByRole("textbox", { name: "Type what you say" }));
  await page.keyboard.type("What are your hours?");
  await page.keyboard.press("Enter");
  await page.getByRole("log").getByText("We are open from nine to five.").waitFor();
  assert.ok(await page.evaluate("document.documentElement.scrollWidth") <= 640, "the screen is wider than it may be");
  await press("button", "Hang up");
  await page.getByText("The call is over.").waitFor();
  await press("link", "Look at the call");
  await page.getByRole("heading", { name: "Call", exact: true }).waitFor();
  await page.getByText("We are open from nine to five.").first().waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });
});

mistakes(() => ({ browser, dev }));

test("whoever is signed out elsewhere is asked to sign in, and comes back to where they were", async () => {
  const here = await join("twice@example.com", "developer", "Tom");
  const there = await newPerson(browser, dev.url);
  await there.page.goto(`${dev.url}/app/#/you`);
  const sign = async (page) => {
    await page.getByLabel("E-mail").fill("twice@example.com");
    await page.getByLabel("Password").first().fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  await sign(there.page);
  await there.page.getByRole("button", { name: "Sign out everywhere else" }).click();
  await there.page.getByRole("button", { name: "Sign out there" }).waitFor({ state: "detached" });
  await here.page.getByRole("link", { name: "Webhooks" }).click();
  await here.page.getByRole("heading", { name: "Sign in" }).waitFor();
  await sign(here.page);
  await here.page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
  assert.deepEqual([here.problems, there.problems], [[], []]);
  await Promise.all([here.close(), there.close()]);
});

test("the other screens are accessible in both schemes and fit a telephone", async () => {
  const { page } = admin;
  const screens = [
    ["/", "Today"], ["/assistants", "Assistants"], ["/contacts", "Contacts"], ["/scheduled", "Scheduled calls"], ["/numbers", "Numbers"],
    ["/verification", "Verification"], ["/sip", "SIP connections"], ["/knowledge", "Knowledge base"], ["/webhooks", "Webhooks"], ["/members", "Members"],
    ["/audit", "Who changed what"], ["/account", "Account"], ["/usage", "Usage"], ["/you", "You"], ["/nowhere", "There is no such page"],
  ];
  for (const [path, heading] of screens) {
    await visit(page, path, heading);
    await inspect(page, path === "/" ? "today" : path.slice(1));
  }
});

everyScreenAsEachRole(() => ({ dev, browser }));

test("names that a machine or a joker writes break no screen", async () => {
  const { page } = admin;
  const name = `<img src=x onerror=alert(1)>${"W".repeat(150)}`;
  const { data } = await dev.ask("GET", "/v1/assistants");
  const demo = data.find(({ assistant_name: called }) => called === "Demo receptionist");
  const { assistant_id: assistant } = await dev.ask("POST", "/v1/assistants", { ...demo.configuration, assistant_name: name });
  const { contact_id: contact } = await dev.ask("POST", "/v1/contacts", { phone_number: "+31612345666", full_name: name });
  const { call_id: call } = await dev.ask("POST", "/v1/calls/direct", { assistant_id: demo.assistant_id, contact_id: contact });
  for (const [path, heading] of [
    ["/assistants", "Assistants"], [`/assistants/${assistant}`, name], ["/contacts", "Contacts"], [`/contacts/${contact}`, name],
    ["/calls", "Calls"], [`/calls/${call}`, "Call"], ["/scheduled", "Scheduled calls"], [`/assistants/${assistant}/talk`, `Talk with ${name}`],
  ]) {
    await visit(page, path, heading);
    await accessible(page, path);
    await fits(page, path);
  }
});

test("nothing went wrong meanwhile", () => assert.deepEqual(admin.problems, []));

// Every screen as each role: what a role may do works, what it may not is not offered, and a link that leads there says why.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, join, setUp, visit } from "./browser.mjs";

const roles = ["viewer", "developer", "admin", "owner"];
const contains = (role, other) => roles.indexOf(role) >= roles.indexOf(other);

/** A number of their own for what each role makes. */
const digit = (role) => roles.indexOf(role) + 1;

const said = (text) => (page) => page.getByText(text).first().waitFor();
const cell = (text) => (page, role) => page.getByRole("cell", { name: text(role) }).first().waitFor();
const heading = (text) => (page, role) => page.getByRole("heading", { name: text(role), level: 1, exact: true }).waitFor();

// What is done on a screen: the button that it begins with, what is filled in, the button that does it, and what is there then. Those
// without the role have no such button.
const acts = [
  ["developer", "/assistants", "Assistants", "New assistant", (role) => ({ Name: `Made by ${role}` }), "Make it", heading((role) => `Made by ${role}`)],
  ["developer", "/contacts", "Contacts", "New contact", (role) => ({ Number: `+3161234560${digit(role)}`, Name: `Of ${role}` }), "Add", heading((role) => `Of ${role}`)],
  ["developer", "/scheduled", "Scheduled calls", "Schedule a call", () => ({ When: "2027-07-01T09:30" }), "Schedule", (page) => page.getByRole("cell", { name: "1 Jul 2027, 09:30:00" }).first().waitFor()],
  ["developer", "/knowledge", "Knowledge base", "Add knowledge", (role) => ({ Title: `Hours of ${role}`, Text: "From nine to five." }), "Add", cell((role) => `Hours of ${role}`)],
  ["developer", "/sip", "SIP connections", "New connection", (role) => ({ Provider: `Of ${role}`, Number: `+3120123400${digit(role)}`, "Server of the provider": "sip.provider.example",
    "User name": role, Password: "a password of theirs" }), "Add", cell((role) => `Of ${role}`)],
  ["developer", "/verification", "Verification", "New business", (role) => ({ "What you call it": role, "Name of the business": `Business of ${role}`, "First name": "Jan",
    "Last name": "de Vries", "Dutch number": "+31612345678", Street: "Keizersgracht", "House number": "1", "Postal code": "1015 CN", City: "Amsterdam", Province: "Noord-Holland" }),
    "Add", (page, role) => page.getByRole("heading", { name: `Business of ${role}` }).waitFor()],
  ["developer", "/numbers", "Numbers", "Order a number", () => ({}), "Order", (page) => page.getByRole("dialog").waitFor({ state: "detached" })],
  ["developer", "/calls", "Calls", "Place a call", () => ({ Number: "+31612345600" }), "Call now", heading(() => "Call")],
  ["developer", "/keys", "API keys", undefined, (role) => ({ "What it is for": `server of ${role}` }), "Make a key", cell((role) => `server of ${role}`)],
  ["developer", "/webhooks", "Webhooks", undefined, () => ({}), "Save", said("Saved.")],
  ["admin", "/members", "Members", undefined, (role) => ({ "E-mail": `by-${role}@example.com` }), "Invite", cell((role) => `by-${role}@example.com`)],
  ["admin", "/usage", "Usage", undefined, () => ({ "US dollars in a month": "1000" }), "Save", said("Saved.")],
  ["admin", "/account", "Account", undefined, () => ({ Company: "Linden" }), "Save", said("Saved.")],
  ["viewer", "/you", "You", undefined, (role) => ({ "Your name": `The ${role}` }), "Save", said("Saved.")],
];

/** What is seen on every screen; the last ones are of a call, an assistant, a contact and an event. */
async function screens(dev, role) {
  const first = async (path) => (await dev.ask("GET", `${path}limit=1`)).data[0];
  const contact = await dev.ask("POST", "/v1/contacts", { phone_number: `+3161234561${digit(role)}`, full_name: `Jan of ${role}` });
  const [call, assistant, event] = await Promise.all(["/v1/calls?call_status=completed&", "/v1/assistants?", "/v1/events?"].map(first));
  return [
    ["/", "Today"], ...acts.map(([, path, title]) => [path, title]), ["/audit", "Who changed what", "admin"], [`/calls/${call.call_id}`, "Call"],
    [`/assistants/${assistant.assistant_id}`, assistant.assistant_name], [`/assistants/${assistant.assistant_id}?as=json`, assistant.assistant_name],
    [`/assistants/${assistant.assistant_id}/talk`, `Talk with ${assistant.assistant_name}`, "developer"], [`/contacts/${contact.contact_id}`, contact.full_name],
    [`/webhooks/${event.sequence}`, `Event ${event.sequence}`],
  ];
}

/** Does what a screen is for, or asserts that it is not offered. */
async function act(page, dev, role, [needed, path, title, opens, values, does, done]) {
  await visit(page, dev, path, title);
  const main = page.getByRole("main");
  if (!contains(role, needed)) {
    assert.equal(await main.getByRole("button", { name: opens ?? does, exact: true }).count(), 0, `${path} offers a ${role} ${opens ?? does}`);
    return;
  }
  if (opens) {
    await main.getByRole("button", { name: opens, exact: true }).first().click();
  }
  const form = (opens ? page.getByRole("dialog") : main).locator("form").filter({ has: page.getByRole("button", { name: does, exact: true }) });
  for (const [label, value] of Object.entries(values(role))) {
    await form.getByLabel(label).and(page.locator("input, textarea")).first().fill(value);
  }
  await form.getByRole("button", { name: does, exact: true }).click();
  await done(page, role);
}

/** Signs somebody in who has a role. */
async function signedIn(browser, dev, role) {
  return role === "owner" ? setUp(browser, dev, await dev.ownerLink()) : join(browser, dev, `${role}-walks@example.com`, role, role);
}

/** Tries that. at returns the product and a browser. */
export function everyScreenAsEachRole(at) {
  for (const role of roles.toReversed()) { // so that who only looks finds something
    test(`every screen and what is done there, as ${role}`, async () => {
      const { dev, browser } = at();
      const { page, problems, close } = await signedIn(browser, dev, role);
      page.setDefaultTimeout(20_000);
      for (const one of acts) {
        await act(page, dev, role, one).catch(async (error) => assert.fail(`${one[1]} as ${role}: ${error.message}\n${await page.locator("body").innerText()}`));
      }
      for (const [path, title, needed = "viewer"] of await screens(dev, role)) {
        await visit(page, dev, path, title);
        assert.equal(await page.getByText(`Your role here is ${role}`).first().isVisible(), !contains(role, needed) || role === "viewer" && await fixed(page), path);
        assert.deepEqual(await page.getByRole("alert").allInnerTexts(), [], path);
        await accessible(page, `${path} as ${role}`);
      }
      assert.deepEqual(problems, []);
      await close();
    });
  }
}

/** Reports whether the page has a form that may not be changed. */
const fixed = (page) => page.locator("main form [readonly]").first().isVisible();

// People at the dashboard of the whole product, in a browser.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inspect, newPerson, startBrowser } from "./browser.mjs";
import { startDev } from "./dev.mjs";

const password = "correct horse battery staple";

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

/** Has somebody join by a link, as they do. */
async function join(email, role, name) {
  const person = await newPerson(browser, dev.url);
  const { page } = person;
  await page.goto(await dev.invite(email, role));
  await page.getByLabel("Your name").fill(name);
  await page.getByLabel("New password").fill(password);
  await page.getByRole("button", { name: "Save and sign in" }).click();
  await page.getByRole("heading", { name: "Today", level: 1 }).waitFor();
  return person;
}

/** Goes to a screen and waits until it has loaded. */
async function visit(page, path, heading) {
  await page.goto(`${dev.url}/app/#${path}`);
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
  await page.locator("[aria-busy]").first().waitFor({ state: "detached" });
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

test("the other screens are accessible in both schemes and fit a telephone", async () => {
  const { page } = admin;
  const screens = [
    ["/", "Today"], ["/assistants", "Assistants"], ["/contacts", "Contacts"], ["/scheduled", "Scheduled calls"], ["/numbers", "Numbers"],
    ["/verification", "Verification"], ["/sip", "SIP connections"], ["/knowledge", "Knowledge base"], ["/webhooks", "Webhooks"], ["/members", "Members"],
    ["/audit", "Who changed what"], ["/account", "Account"], ["/you", "You"], ["/nowhere", "There is no such page"],
  ];
  for (const [path, heading] of screens) {
    await visit(page, path, heading);
    await inspect(page, path === "/" ? "today" : path.slice(1));
  }
});

test("nothing went wrong meanwhile", () => assert.deepEqual(admin.problems, []));

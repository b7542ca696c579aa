// Chromium, and what every page must be: without a mistake on its console, without a request to another server, accessible in both
// schemes, and as wide as a telephone.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join as path } from "node:path";
import { chromium } from "playwright-core";
import { shrink } from "./png.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const programs = ["/usr/lib/chromium/chromium", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const screenshots = process.env.SCREENSHOTS;

function options(flags) {
  const executablePath = programs.find(existsSync);
  assert.ok(executablePath, "no Chromium");
  return {
    executablePath, args: ["--no-sandbox", "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream", "--autoplay-policy=no-user-gesture-required",
      "--disable-lcd-text", ...flags], // letters without colors make small pictures
  };
}

export const startBrowser = (...flags) => chromium.launch(options(flags));

/** Starts a browser that can be killed, as an accident does. */
export async function startMortal(...flags) {
  const server = await chromium.launchServer(options(flags));
  const browser = await chromium.connect(server.wsEndpoint());
  return { browser, kill: () => server.kill() };
}

export const password = "correct horse battery staple";

/** Has somebody join by an invitation, as they do. */
export const join = async (browser, dev, email, role, name) => setUp(browser, dev, await dev.invite(email, role), name);

/** Has somebody choose a password by a link, and a name where it asks for one. */
export async function setUp(browser, dev, link, name) {
  const person = await newPerson(browser, dev.url);
  const { page } = person;
  await page.goto(link);
  if (name) {
    await page.getByLabel("Your name").fill(name);
  }
  await page.getByLabel("New password").fill(password);
  await page.getByRole("button", { name: "Save and sign in" }).click();
  await page.getByRole("heading", { name: "Today", level: 1 }).waitFor();
  return person;
}

/** Goes to a screen and waits until it has loaded. */
export async function visit(page, dev, path, heading) {
  await page.goto(`${dev.url}/app/#${path}`);
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
  await page.locator("[aria-busy]").first().waitFor({ state: "detached" });
}

/** Opens a page of a person of their own. problems holds what went wrong in it. */
export async function newPerson(browser, url, options = {}) {
  const context = await browser.newContext({ baseURL: url, locale: "en-GB", timezoneId: "Europe/Amsterdam", viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    // what the server refuses is shown on the page; the browser notes it besides
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      problems.push(message.text());
    }
  });
  page.on("request", (request) => {
    if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(url)) {
      problems.push(`request to ${request.url()}`);
    }
  });
  return { page, problems, close: () => context.close() };
}

const schemes = ["light", "dark"];

/** Asserts that the page is accessible in both schemes and fits a telephone, and takes its picture where that is asked for. */
export async function inspect(page, name) {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await accessible(page, `${name}, ${colorScheme}`);
  }
  await picture(page, name);
  await fits(page, name);
  await page.emulateMedia({ colorScheme: "light" });
}

/** Asserts that the page fits a telephone. */
export async function fits(page, name) {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 360, height: 740 });
  const wide = await page.evaluate("document.documentElement.scrollWidth");
  assert.ok(wide <= 360, `${name} is ${wide} px wide on a telephone`);
  await page.setViewportSize(size);
}

/** Asserts that axe finds nothing. */
export async function accessible(page, name) {
  if (!(await page.evaluate("typeof axe !== 'undefined'"))) {
    await page.evaluate(await axeSource());
  }
  const { violations } = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })");
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" ")}`), [], name);
}

let source;
async function axeSource() {
  source ??= await (await import("node:fs/promises")).readFile(axe, "utf8");
  return source;
}

async function picture(page, name) {
  if (screenshots) {
    await mkdir(screenshots, { recursive: true });
    await page.emulateMedia({ colorScheme: "light" });
    await writeFile(path(screenshots, `${name}.png`), shrink(await page.screenshot()));
  }
}

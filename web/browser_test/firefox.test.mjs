// Firefox has no candidate of loopback while there is a network: what `dev` offers it at 127.0.0.1 has to be more than that.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { firefox } from "playwright-core";
import { join } from "./browser.mjs";
import { startDev } from "./dev.mjs";

const executablePath = ["/usr/bin/firefox-esr", "/usr/bin/firefox"].find(existsSync);
const preferences = { "media.navigator.streams.fake": true, "media.navigator.permission.disabled": true, "media.autoplay.default": 0 };

test("an assistant is talked with in Firefox", { skip: !executablePath && "SKIP: no Firefox" }, async () => {
  const dev = await startDev();
  const browser = await firefox.launch({ channel: "moz-firefox", executablePath, firefoxUserPrefs: preferences });
  try {
    const { page, problems } = await join(browser, dev, "fox@example.com", "admin", "Fox");
    const { data } = await dev.ask("GET", "/v1/assistants");
    const { assistant_id: id } = data.find(({ assistant_name: name }) => name === "Demo receptionist");
    await page.evaluate((path) => { location.hash = path; }, `/assistants/${id}/talk`); // goto waits for a load that does not come
    await page.getByRole("heading", { name: "Talk with Demo receptionist", level: 1 }).waitFor();
    for (const button of ["Type only", "Talk"]) {
      await page.getByRole("button", { name: button, exact: true }).click();
      await page.getByRole("textbox", { name: "Type what you say" }).fill("What are your opening hours?");
      await page.getByRole("button", { name: "Say" }).click();
      await page.getByRole("log").getByText("Yes, from nine to one.").waitFor();
      await page.getByRole("button", { name: "Hang up" }).click();
      await page.getByText("The call is over.").waitFor();
    }
    assert.deepEqual(problems, []);
  } finally {
    await browser.close();
    await dev.stop();
  }
});

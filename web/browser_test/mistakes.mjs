// What people mistype, in both languages: each mistake is said at its field, in words of theirs.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { join, password, visit } from "./browser.mjs";

const source = await readFile(new URL("../src/text/nl.ts", import.meta.url), "utf8");
const nl = new Function(`return ${/export const nl = (\{[^]*?\n\}) as const;/.exec(source)[1]}`)();
const languages = { en: (text) => text, nl: (text) => nl[text] ?? assert.fail(`no Dutch text: ${text}`) };

const noNumber = "This is no phone number. Write it with its country, such as +31612345678.";
const empty = "Fill this in.";

const business = {
  "What you call it": "Practice", "Name of the business, as it is registered": "Linden Dental B.V.", "First name of the contact person": "Jan",
  "Last name of the contact person": "de Vries", "Dutch number of the contact person": "+31612345678", "Street": "Keizersgracht", "House number": "1", "Postal code": "1015 CN",
  "City": "Amsterdam", "Province": "Noord-Holland",
};
const connection = { "Provider": "x", "Number": "+31201234567", "Server of the provider": "sip.example.com", "User name": "x", "Password": "x" };

// The screen, the button that opens the form, what is filled in, where the mistake is, and what is said of it.
const forms = [
  ["/assistants", "Assistants", "New assistant", {}, "Name", empty],
  ["/contacts", "Contacts", "New contact", { Number: "12" }, "Number", noNumber],
  ["/contacts", "Contacts", "New contact", { Number: "+31612345678", "E-mail": "nobody" }, "E-mail", "This is no e-mail address."],
  ["/contacts", "Contacts", "New contact", { Number: "+31612345688" }, "Number", "Another contact has this number."],
  ["/calls", "Calls", "Place a call", { Number: "12" }, "Number", noNumber],
  ["/calls", "Calls", "Place a call", { Number: "+12125550123" }, "Number", "Your account may not call this country: {country}."],
  ["/webhooks", "Webhooks", undefined, { URL: "ftp://example.com" }, "URL", "Write the whole address, such as https://example.com/events."],
  ["/members", "Members", undefined, { "E-mail": "nobody" }, "E-mail", "This is no e-mail address."],
  ["/members", "Members", undefined, { "E-mail": "admin@example.com" }, "E-mail", "This person is a member already."],
  ["/account", "Account", undefined, { Number: "12" }, "Number", noNumber],
  ["/usage", "Usage", undefined, { "US dollars in a month": "-5" }, "US dollars in a month", "This is too little: {least} at least."],
  ["/sip", "SIP connections", "New connection", { ...connection, Number: "12" }, "Number", noNumber],
  ["/sip", "SIP connections", "New connection", { ...connection, "Server of the provider": "not a server" }, "Server of the provider", "This is no host name and no IP address."],
  ["/sip", "SIP connections", "New connection", { ...connection, Password: "" }, "Password", empty],
  ["/knowledge", "Knowledge base", "Add knowledge", { Title: "Hours" }, "Text", empty],
  ["/keys", "API keys", undefined, {}, "What it is for", empty],
  ["/you", "You", undefined, { "Your password": password, "New password": "short" }, "New password", "This is too short: it takes {least} characters or more."],
  ["/you", "You", undefined, { "Your password": "wrong horse", "New password": "another long password" }, "Your password", "This is not your password."],
  ["/scheduled", "Scheduled calls", "Schedule a call", { When: "2040-07-01T09:30" }, "When", "This is more than two years ahead."],
  ["/scheduled", "Scheduled calls", "Schedule a call", { When: "" }, "When", empty],
  ["/scheduled", "Scheduled calls", "Schedule a call", { "Attempts at most": "99" }, "Attempts at most", "This is too much: {most} at most."],
  ["/scheduled", "Scheduled calls", "Schedule a call", { "Attempts at most": "0" }, "Attempts at most", "This is too little: {least} at least."],
  ["/scheduled", "Scheduled calls", "Schedule a call", { "Attempts at most": "1.5" }, "Attempts at most", "Write a whole number."],
  ["/verification", "Verification", "New business", { ...business, "Dutch number of the contact person": "+4930123456" }, "Dutch number of the contact person", "This is no Dutch phone number."],
  ["/verification", "Verification", "New business", { ...business, "Postal code": "10" }, "Postal code", "Write four digits and two letters, such as 1012LG."],
  ["/verification", "Verification", "New business", { ...business, City: " " }, "City", empty],
  ["/verification", "Verification", "New business", { ...business, Street: "x".repeat(1000) }, "Street", "This is too long: {most} characters at most."],
  ["/numbers", "Numbers", "Order a number", { Number: "+4930123456" }, "Number", "This is no Dutch number that can be ordered."],
];

/** Fills a field in. A choice gets what it does not offer, as when somebody else was faster. */
async function fill(field, value) {
  if (await field.evaluate((element) => element.tagName === "SELECT")) {
    await field.evaluate((select, other) => { select.selectedOptions[0].value = other; }, value);
  } else {
    await field.fill(value);
  }
}

/** Tries that. at returns the browser and the product, where a business is verified. */
export function mistakes(at) {
  for (const [language, t] of Object.entries(languages)) {
    test(`mistakes are shown at their fields, in ${language}`, async () => {
      const { browser, dev } = at();
      await dev.ask("POST", "/v1/contacts", { phone_number: "+31612345688", full_name: "Els Smit" }).catch(() => {}); // of the language before
      const { page, problems, close } = await join(browser, dev, `mistaken-${language}@example.com`, "admin", "Max");
      await visit(page, dev, "/you", "You");
      await page.getByLabel("Language").selectOption(language);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { name: t("You"), level: 1, exact: true }).waitFor();
      for (const [path, heading, opens, values, wrong, says] of forms) {
        await visit(page, dev, path, t(heading));
        if (opens) {
          await page.getByRole("button", { name: t(opens), exact: true }).click({ timeout: 10_000 });
        }
        const form = (opens ? page.getByRole("dialog") : page.getByRole("main")).locator("form").filter({ has: page.getByLabel(t(wrong)) }).last();
        for (const [label, value] of Object.entries(values)) {
          await fill(form.getByLabel(t(label)).first(), value);
        }
        await form.locator("button[type=submit], button:not([type])").last().click();
        const field = form.locator(".field").filter({ has: page.getByLabel(t(wrong)).and(page.locator("[aria-invalid=true]")) });
        const text = t(says).replace(/[.()+]/g, "\\$&").replace(/\{\w+\}/g, ".+");
        await field.locator("small.bad").getByText(new RegExp(`^${text}$`)).waitFor({ timeout: 10_000 })
          .catch(async () => assert.fail(`${path}: at ${wrong} stands ${JSON.stringify(await form.locator(".bad").allInnerTexts())} for ${String(values[wrong]).slice(0, 80)}`));
        if (opens) {
          await page.keyboard.press("Escape");
        }
      }
      assert.deepEqual(problems, []);
      await close();
    });
  }
}

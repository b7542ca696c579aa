// What people do with numbers: they have their business verified, order one, or bring one of their own.
import { test } from "node:test";
import { inspect, visit } from "./browser.mjs";

const pdf = { name: "proof.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n") };

const business = {
  "What you call it": "Practice", "Name of the business": "Linden Dental B.V.", "First name": "Jan", "Last name": "de Vries", "Dutch number": "+31612345678",
  "Street": "Keizersgracht", "House number": "1", "Postal code": "1015 CN", "City": "Amsterdam", "Province": "Noord-Holland",
};

/** Tries that. at returns the page of somebody who may, and the product. */
export function numbers(at) {
  test("a business is verified by its documents, and orders a number", async () => {
    const { page, dev } = at();
    await visit(page, dev, "/verification", "Verification");
    await page.getByRole("button", { name: "New business" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Add" }).click();
    await dialog.locator("[aria-invalid=true]").first().waitFor(); // at the fields that are empty
    await inspect(page, "new-business");
    for (const [label, text] of Object.entries(business)) {
      await dialog.getByLabel(label).fill(text);
    }
    await dialog.getByRole("button", { name: "Add" }).click();
    const card = page.locator(".card", { hasText: "Linden Dental B.V." });
    await card.getByRole("button", { name: "Submit for review" }).click();
    await card.getByRole("alert").getByText("This is still missing: company registration; copy of an identity document; proof of address").waitFor();
    await card.getByRole("button", { name: "Upload" }).click();
    await card.getByLabel("File").and(page.locator("[aria-invalid=true]")).waitFor(); // there is none
    await card.locator("input[type=file]").setInputFiles({ ...pdf, buffer: Buffer.from("a text") });
    await card.getByRole("button", { name: "Upload" }).click();
    await card.getByText("PDF, JPG or PNG", { exact: false }).and(page.locator(".bad")).waitFor();
    for (const [i, document] of ["company-registration", "proof-of-address", "copy-id"].entries()) {
      await card.getByLabel("Document", { exact: true }).selectOption(document);
      await card.locator("input[type=file]").setInputFiles(pdf);
      await card.getByRole("button", { name: "Upload" }).click();
      await card.getByRole("listitem").nth(i).waitFor();
    }
    await card.getByRole("alert").waitFor({ state: "detached" }); // nothing is missing any more
    await inspect(page, "business");
    await card.getByRole("button", { name: "Submit for review" }).click();
    await card.getByText("approved").waitFor();
    await visit(page, dev, "/numbers", "Numbers");
    await page.getByRole("button", { name: "Order a number" }).click();
    await dialog.getByRole("button", { name: "Order", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("region", { name: "Orders" }).getByText("completed").waitFor();
    await inspect(page, "numbers-ordered");
  });

  test("the account of a SIP provider is added, tried and deleted", async () => {
    const { page, dev } = at();
    await visit(page, dev, "/sip", "SIP connections");
    await page.getByRole("button", { name: "New connection" }).click();
    const dialog = page.getByRole("dialog");
    const account = { Provider: "Linden Telecom", Number: "+31201234567", "Server of the provider": "not a server", "User name": "linden", Password: "a password of theirs" };
    for (const [label, text] of Object.entries(account)) {
      await dialog.getByRole("textbox", { name: label }).or(dialog.getByLabel(label)).first().fill(text);
    }
    await dialog.getByRole("button", { name: "Add" }).click();
    await dialog.getByLabel("Server of the provider").and(page.locator("[aria-invalid=true]")).waitFor();
    await inspect(page, "new-sip-connection");
    await dialog.getByLabel("Server of the provider").fill("sip.provider.example");
    await dialog.getByRole("button", { name: "Add" }).click();
    const row = page.getByRole("row", { name: /Linden Telecom/ });
    await row.getByRole("button", { name: "Test" }).click();
    await row.locator(".badge").waitFor();
    await row.getByRole("button", { name: "Change" }).click();
    await dialog.getByRole("combobox", { name: "Putting callers through" }).selectOption({ label: "We ring the colleague and join both" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByText("We ring the colleague and join both").waitFor();
    await inspect(page, "sip-connections");
    await row.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
  });
}

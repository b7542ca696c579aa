// A customer on the way, with a whole product at CALLWRIGHT_URL: from an assistant to the report of the call that it made.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { APIConnectionError, APIError, type Body, Callwright, verifyWebhook, type WebhookMessage } from "../src/index.js";

const secret = "what the front desk knows";
const baseUrl = process.env["CALLWRIGHT_URL"]!;
const cw = new Callwright({ baseUrl, apiKey: process.env["CALLWRIGHT_API_KEY"]! });

// A server that verifies the webhooks that it gets.
const received: WebhookMessage[] = [];
const receiver = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  await assert.rejects(verifyWebhook(body, request.headers, "another secret"), /no signature/);
  received.push(await verifyWebhook(body, request.headers, secret));
  response.writeHead(204).end();
  receiver.emit("received");
});
await once(receiver.listen(0, "127.0.0.1"), "listening");

async function refused(code: string, status: number, act: Promise<unknown>): Promise<APIError> {
  const error: unknown = await act.then(() => undefined, (thrown: unknown) => thrown);
  assert.ok(error instanceof APIError, `no ${code}`);
  assert.deepEqual([error.code, error.status], [code, status]);
  assert.ok(error.requestId);
  return error;
}

async function mistakes(): Promise<void> {
  const wrong: object = { assistant_name: "Ava", assistant_nme: "Ava", max_duration_seconds: "long" };
  const { details } = await refused("invalid_request", 400, cw.createAssistant(wrong as Body<"create-assistant">));
  assert.ok(details["assistant_nme"] && details["max_duration_seconds"]);
  await refused("not_found", 404, cw.getCall("01980000-0000-7000-8000-000000000000"));
  const stranger = new Callwright({ baseUrl, apiKey: `cw_test_${"x".repeat(32)}` });
  await refused("unauthorized", 401, stranger.listCalls().first());
  await refused("unauthorized", 401, stranger.events().next());
  const nowhere = new Callwright({ baseUrl: "http://127.0.0.1:1", apiKey: "key", maxRetries: 1 });
  await assert.rejects(nowhere.getProfile(), APIConnectionError);
}

const { assistant_id } = await cw.createAssistant({
  assistant_name: "Ava", first_message_outbound: "Hello, this is Ava.", max_duration_seconds: 30,
  server: { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/calls`, secret, events: ["status-update", "end-of-call-report"] },
});
const number = (await cw.listPhoneNumbers().first()).data[0]!;
await cw.linkAssistantPhoneNumber(assistant_id, { phone_number_id: number.id });
const contacts: string[] = [];
for (const phone_number of ["+31612340405", "+31612340505", "+31612340605"]) {
  for (const attempt of [1, 2]) {
    const { contact_id } = await cw.createContact({ phone_number, full_name: "Jan" }, { idempotencyKey: `typescript-${phone_number}` });
    assert.equal(contacts.includes(contact_id), attempt === 2, "sent twice, made once");
    contacts.push(contact_id);
  }
}
const listed: string[] = [];
for await (const contact of cw.listContacts({ limit: 1 })) {
  listed.push(contact.contact_id);
}
assert.ok(contacts.every((contact) => listed.includes(contact)) && new Set(listed).size === listed.length);

const after = (await cw.listEvents({ limit: 1 }).first()).pagination.total!;
const { call_id } = await cw.createDirectCall({ assistant_id, contact_id: contacts[0]!, custom_data: { order: 1017 } });
const heard: string[] = [];
for await (const event of cw.events({ after, call_id })) {
  heard.push(event.type);
  if (event.type === "end-of-call-report") {
    assert.equal(event.message.callStatus, "completed");
    break;
  }
}
assert.equal(heard[0], "status-update");
for (let report = received.at(-1); ; report = received.at(-1)) {
  if (report?.type === "end-of-call-report") {
    assert.deepEqual([report.call.id, report.callStatus], [call_id, "completed"]);
    break;
  }
  await once(receiver, "received", { signal: AbortSignal.timeout(60_000) });
}
assert.equal((await cw.getCall(call_id)).call_status, "completed");
assert.equal(await (await cw.getCallRecording(call_id)).slice(0, 4).text(), "RIFF");

await mistakes();
for (const contact of new Set(contacts)) {
  await cw.deleteContact(contact);
}
await cw.deleteAssistant(assistant_id);
receiver.close();
receiver.closeAllConnections();
console.log("the journey is over");

// What the document rules out does not compile.
export async function wrong(): Promise<void> {
  // @ts-expect-error: phone_number is required
  await cw.createContact({ full_name: "Jan" });
  // @ts-expect-error: no such mode
  await cw.createAssistant({ assistant_name: "Ava", first_message_mode: "sings" });
  // @ts-expect-error: no such filter
  cw.listCalls({ colour: "red" });
  // @ts-expect-error: no such field
  console.log((await cw.getCall("1")).colour);
}

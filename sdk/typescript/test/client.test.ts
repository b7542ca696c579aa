// Retries, errors, pages and the stream, against a server that fails as a network does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { APIConnectionError, APIError, Callwright, type ClientOptions } from "../src/index.js";
import { type Answer, refusal, serve } from "./server.js";

const contact = { phone_number: "+31612345600" };

function client(baseUrl: string, options: Partial<ClientOptions> = {}): Callwright {
  return new Callwright({ baseUrl, apiKey: "key-1", ...options });
}

function page(entries: string[], pagination: object): Answer {
  return { body: { data: entries.map((call_id) => ({ call_id })), pagination: { limit: 2, offset: 0, total: 3, ...pagination } } };
}

function stream(events: number[], { start = "retry: 0\n", cut = false } = {}): Answer {
  const text = events.map((n) => `id: ${n}\r\nevent: hang\r\ndata: {"sequence": ${n},\ndata: "text": "\u2028\u0085é"}\n\n`).join("");
  return { text: `${start}\n${text}${cut ? 'id: 99\ndata: {"sequ' : ""}`, headers: { "Content-Type": "text/event-stream" }, cut };
}

test("the same key on every retry", async () => {
  const cut = { status: 201, text: '{"contact', cut: true };
  const failures = [cut, refusal(503, "unavailable", "0"), refusal(429, "rate_limited", "0"), refusal(409, "idempotency_in_progress", "0")];
  const asked = await serve([...failures, { status: 201, body: { contact_id: "1" } }], async (url) => {
    assert.equal((await client(url).createContact(contact)).contact_id, "1");
  });
  assert.equal(asked.length, 5);
  assert.equal(new Set(asked.map(({ headers }) => headers["idempotency-key"])).size, 1);
  assert.deepEqual([...new Set(asked.map(({ body }) => body))], [JSON.stringify(contact)]);
  assert.deepEqual([...new Set(asked.map(({ headers }) => headers.authorization))], ["Bearer key-1"]);
});

test("an own key", async () => {
  const asked = await serve([{ status: 201 }, { status: 202 }], async (url) => {
    await client(url).createContact(contact, { idempotencyKey: "mine" });
    await client(url).endCall("a/b");
  });
  assert.equal(asked[0]?.headers["idempotency-key"], "mine");
  assert.equal(asked[1]?.line, "POST /v1/calls/a%2Fb/end");
  assert.match(String(asked[1]?.headers["idempotency-key"]), /^[0-9a-f]{32}$/);
});

test("refusals are not repeated", async () => {
  for (const failure of [refusal(400, "invalid_request"), refusal(409, "idempotency_conflict", "0"), refusal(429, "rate_limited", "61")]) {
    const asked = await serve([failure], async (url) => {
      await assert.rejects(client(url).createContact(contact), (error) => {
        assert.ok(error instanceof APIError);
        assert.equal(error.message, `${failure.status} ${error.code}: No.; field: is wrong (request request-1)`);
        assert.deepEqual([error.status, error.details, error.requestId], [failure.status, { field: "is wrong" }, "request-1"]);
        return true;
      });
    });
    assert.equal(asked.length, 1);
  }
});

test("retries end", async () => {
  const asked = await serve(Array(3).fill(refusal(500, "internal_error", "0")), async (url) => {
    await assert.rejects(client(url, { maxRetries: 2 }).getLimits(), /^APIError: 500 internal_error/);
  });
  assert.equal(asked.length, 3);
});

test("the page of a proxy", async () => {
  await serve([{ status: 502, text: "<html>" }], async (url) => {
    await assert.rejects(client(url, { maxRetries: 0 }).getLimits(), /502 unexpected_response: Bad Gateway$/);
  });
});

test("a lost network", async () => {
  let gone = "";
  await serve([], async (url) => {
    gone = url;
  });
  const nobody = client(gone, { maxRetries: 0 });
  await assert.rejects(nobody.getLimits(), (error) => error instanceof APIConnectionError && error.message.startsWith(`no response from ${gone}: `));
  await assert.rejects(nobody.events().next(), APIConnectionError);
});

test("no response in time, and an abort", async () => {
  await serve([{ cut: false }], async (url) => {
    const never: typeof fetch = (_, init) => new Promise((_, reject) => {
      init?.signal?.throwIfAborted();
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
    });
    await assert.rejects(client(url, { fetch: never, timeout: 0.01, maxRetries: 0 }).getLimits(), /nothing received for 0.01 s$/);
    const controller = new AbortController();
    const limits = client(url, { fetch: never }).getLimits({ signal: controller.signal });
    controller.abort(new Error("enough"));
    await assert.rejects(limits, /^Error: enough$/);
    await assert.rejects(client(url, { fetch: never }).events({ signal: controller.signal }).next(), /^Error: enough$/);
  });
});

test("pages", async () => {
  const asked = await serve([page(["1", "2"], { has_more: true, next_cursor: "next" }), page(["3"], { has_more: false, next_cursor: null })], async (url) => {
    const ids: string[] = [];
    for await (const call of client(url).listCalls({ limit: 2, offset: 0, call_status: "completed" })) {
      ids.push(call.call_id);
    }
    assert.deepEqual(ids, ["1", "2", "3"]);
  });
  assert.equal(asked[0]?.line, "GET /v1/calls?limit=2&offset=0&call_status=completed");
  assert.equal(asked[1]?.line, "GET /v1/calls?limit=2&call_status=completed&cursor=next");
});

test("pages by offset", async () => {
  const asked = await serve([page(["1", "2"], { has_more: true }), page(["3"], { has_more: false, offset: 2 }), page(["1"], { has_more: true })], async (url) => {
    let entries = 0;
    for await (const _ of client(url).listAvailableNumbers({ country: "NL" })) {
      entries++;
    }
    assert.equal(entries, 3);
    assert.equal((await client(url).listAvailableNumbers().first()).data.length, 1);
  });
  assert.equal(asked[1]?.line, "GET /v1/available-phone-numbers?country=NL&offset=2");
});

test("an upload, a download and no content", async () => {
  const asked = await serve([refusal(503, "unavailable", "0"), { status: 201 }, { text: "RIFF" }, { status: 204, text: "" }], async (url) => {
    await client(url).uploadVerificationDocument("1", { document_type: "copy-id", file: new Blob(["%PDF-"]) });
    assert.equal(await (await client(url).getCallRecording("1")).text(), "RIFF");
    assert.equal(await client(url).deleteContact("1", { erase: true }), undefined);
  });
  for (const { headers, body } of asked.slice(0, 2)) {
    assert.match(String(headers["content-type"]), /^multipart\/form-data/);
    assert.match(body, /copy-id[^]*%PDF-/);
  }
  assert.equal(asked[3]?.line, "DELETE /v1/contacts/1?erase=true");
});

test("the stream", async () => {
  const answers = [stream([], { start: "retry: 0\nid: 4\n" }), stream([5, 6], { cut: true }), refusal(503, "unavailable", "0"), stream([7]), refusal(401, "unauthorized")];
  const asked = await serve(answers, async (url) => {
    const events = client(url).events({ type: "hang" });
    for (const sequence of [5, 6, 7]) {
      assert.equal((await events.next()).value?.sequence, sequence);
    }
    await assert.rejects(events.next(), /401 unauthorized/);
  });
  assert.equal(asked[0]?.line, "GET /v1/events/stream?type=hang");
  assert.deepEqual(asked.map(({ headers }) => headers["last-event-id"]), [undefined, "4", "6", "6", "7"]);
});

test("a call that is watched", async () => {
  const turn = (position: number) => `event: call-turn\ndata: {"type": "call-turn", "call_id": "c", "position": ${position}, "turn": {"role": "user", "text": "Hello"}}\n\n`;
  const started = { text: `retry: 0\nid: 4\n\n${turn(0)}${turn(1)}`, headers: { "Content-Type": "text/event-stream" } };
  const asked = await serve([started, stream([5]), refusal(401, "unauthorized")], async (url) => {
    const events = client(url).events({ watch_call_id: "c" });
    for (const position of [0, 1]) {
      const { value } = await events.next();
      assert.ok(value?.type === "call-turn");
      assert.deepEqual([value.position, value.turn.text], [position, "Hello"]);
    }
    assert.equal((await events.next()).value?.type, undefined);
    await assert.rejects(events.next(), /401 unauthorized/);
  });
  assert.deepEqual(asked.map(({ line, headers }) => [line, headers["last-event-id"]]), [undefined, "4", "5"].map((last) => ["GET /v1/events/stream?watch_call_id=c", last]));
});

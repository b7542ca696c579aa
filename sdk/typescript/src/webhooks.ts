// Requests to your server: who sent them, and what is in them. The signatures are those of Standard Webhooks.
import { WebhookVerificationError } from "./errors.js";
import type { webhooks } from "./schema.gen.js";

type Described<W> = W extends { post: { requestBody?: { content: { "application/json": infer P } } } } ? P : never;

/** The body of a request to your server. */
export type WebhookPayload = [Described<webhooks[keyof webhooks]>] extends [never] ? { message: { type: string } } : Described<webhooks[keyof webhooks]>;
/** What an event carries; `type` tells which it is. */
export type WebhookMessage = WebhookPayload["message"];

type HeaderMap = Headers | Record<string, string | string[] | undefined>;

// Seconds that the clocks of sender and receiver may differ.
const tolerance = 300;

/**
 * Resolves to the message of a request that one of the secrets signed within five minutes, and rejects with a
 * WebhookVerificationError otherwise. `payload` is the body as it arrived, before anything parsed it. The same event may
 * arrive twice: its webhook-id is the same.
 */
export async function verifyWebhook(
  payload: string | Uint8Array, headers: HeaderMap, secrets: string | readonly string[], now: Date = new Date(),
): Promise<WebhookMessage> {
  const [id, sent, signatures] = ["id", "timestamp", "signature"].map((name) => header(headers, `webhook-${name}`));
  if (!id || !sent || !signatures) {
    throw new WebhookVerificationError("webhook-id, webhook-timestamp or webhook-signature is missing");
  }
  if (!/^\d+$/.test(sent)) {
    throw new WebhookVerificationError("webhook-timestamp is not a Unix time in seconds");
  }
  if (Math.abs(now.getTime() / 1000 - Number(sent)) > tolerance) {
    throw new WebhookVerificationError("webhook-timestamp is more than five minutes away from now");
  }
  const body = typeof payload === "string" ? new TextEncoder().encode(payload) : payload;
  const signed = concat(new TextEncoder().encode(`${id}.${sent}.`), body);
  const matches = await Promise.all([secrets].flat().map((secret) => matchesSecret(signed, signatures, secret)));
  if (!matches.includes(true)) {
    throw new WebhookVerificationError("no signature is by this secret");
  }
  return messageOf(body);
}

function header(headers: HeaderMap, name: string): string | undefined {
  if (headers instanceof Headers) {
    return headers.get(name) ?? undefined;
  }
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(value) ? value[0] : value;
}

async function matchesSecret(signed: BufferSource, signatures: string, secret: string): Promise<boolean> {
  // Node 18 has it in a module alone.
  const { subtle } = globalThis.crypto ?? (await import("node:crypto")).webcrypto;
  const key = await subtle.importKey("raw", keyOf(secret), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  let found = false;
  for (const signature of signatures.split(" ")) {
    const given = signature.startsWith("v1,") ? decode(signature.slice(3)) : undefined;
    if (given) {
      found = (await subtle.verify("HMAC", key, given, signed)) || found; // in constant time
    }
  }
  return found;
}

// Returns the key of a secret: whsec_ and base64, or any text.
function keyOf(secret: string): BufferSource {
  if (!secret) {
    throw new WebhookVerificationError("the secret is empty");
  }
  if (!secret.startsWith("whsec_")) {
    return new TextEncoder().encode(secret);
  }
  const key = decode(secret.slice("whsec_".length));
  if (!key) {
    throw new WebhookVerificationError("the secret is not whsec_ and base64");
  }
  return key;
}

function decode(text: string): BufferSource | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concat(a: Uint8Array, b: Uint8Array): BufferSource {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function messageOf(body: Uint8Array): WebhookMessage {
  try {
    const { message } = JSON.parse(new TextDecoder().decode(body));
    if (typeof message.type === "string") {
      return message;
    }
  } catch {
    // told below
  }
  throw new WebhookVerificationError("the body has no message with a type");
}

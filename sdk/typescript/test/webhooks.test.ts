// The requests of ../../testdata/webhooks.json, which all SDKs share.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { verifyWebhook, WebhookVerificationError } from "../src/index.js";

interface Case {
  name: string;
  now: number;
  secrets: string[];
  headers: Record<string, string>;
  payload: string;
  error?: string;
  type?: string;
}

const cases: Case[] = JSON.parse(readFileSync("../testdata/webhooks.json", "utf8"));

for (const { name, now, secrets, headers, payload, error, type } of cases) {
  test(`webhook: ${name}`, async () => {
    for (const body of [payload, new TextEncoder().encode(payload)]) {
      for (const map of [headers, new Headers(headers)]) {
        const verified = verifyWebhook(body, map, secrets, new Date(now * 1000));
        if (error === undefined) {
          assert.equal((await verified).type, type);
        } else {
          await assert.rejects(verified, (thrown: Error) => thrown instanceof WebhookVerificationError && thrown.message.includes(error));
        }
      }
    }
  });
}

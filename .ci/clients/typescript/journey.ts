// A customer who has nothing but the OpenAPI document: the types are generated from it. That this compiles is the test.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Assistant = components["schemas"]["Assistant"];

export async function journey(baseUrl: string, key: string): Promise<string[]> {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

  const made = await client.POST("/v1/assistants", {
    params: { header: { "Idempotency-Key": "assistant-1" } },
    body: { assistant_name: "Ava", first_message_mode: "assistant-waits-for-user", server: { url: "https://example.com" } },
  });
  if (made.error) {
    throw new Error(`${made.error.error.code}: ${JSON.stringify(made.error.error.details)}`);
  }
  const assistant: Assistant = made.data;

  const numbers = await client.GET("/v1/phone-numbers", { params: { query: { limit: 5 } } });
  const number = numbers.data?.data[0];
  if (number) {
    const linked = await client.POST("/v1/assistants/{id}/phone-number", {
      params: { path: { id: assistant.assistant_id } },
      body: { phone_number_id: number.id },
    });
    const before: string | null | undefined = linked.data?.data.previous_phone_number_id;
    console.log(before ?? "first number");
  }

  const contact = await client.POST("/v1/contacts", { body: { phone_number: "+31612345600", full_name: "Jan Jansen" } });
  if (contact.error) {
    throw new Error(contact.error.error.message);
  }
  await client.PATCH("/v1/contacts/{contact_id}", {
    params: { path: { contact_id: contact.data.contact_id } },
    body: { email: null },
  });
  const call = await client.POST("/v1/calls/direct", {
    body: { assistant_id: assistant.assistant_id, contact_id: contact.data.contact_id, custom_data: { order: 1017 } },
  });
  await client.POST("/v1/scheduled-calls", {
    body: {
      assistant_id: assistant.assistant_id,
      contact_id: contact.data.contact_id,
      scheduled_time: new Date(Date.now() + 86_400_000).toISOString(),
      retry: { on: ["busy", "no-answer"], max_attempts: 2, delay_seconds: 60 },
    },
  });

  const heard: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await client.GET("/v1/events", {
      params: { query: { limit: 100, ...(cursor ? { cursor } : {}), ...(call.data ? { call_id: call.data.call_id } : {}) } },
    });
    heard.push(...(page.data?.data ?? []).map((event) => event.type));
    cursor = page.data?.pagination.next_cursor;
  } while (cursor);
  return heard;
}

// What the document rules out does not compile.
export async function mistakes(baseUrl: string): Promise<void> {
  const client = createClient<paths>({ baseUrl });
  // @ts-expect-error: phone_number is required
  await client.POST("/v1/contacts", { body: { full_name: "Jan" } });
  // @ts-expect-error: no such mode
  await client.POST("/v1/assistants", { body: { assistant_name: "Ava", first_message_mode: "sings" } });
  // @ts-expect-error: no such path
  await client.GET("/v1/nothing");
}

export { Callwright, type EventOptions } from "./client.js";
export { APIConnectionError, APIError, CallwrightError, WebhookVerificationError } from "./errors.js";
export { Pages, type Page } from "./pages.js";
export type { Body, ClientOptions, CreateOptions, Item, Query, RequestOptions, Result } from "./request.js";
export type { components, operations, paths } from "./schema.gen.js";
export type { CallTurn, StreamEvent } from "./stream.js";
export { verifyWebhook, type WebhookMessage, type WebhookPayload } from "./webhooks.js";

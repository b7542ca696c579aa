// The client of the API, without its part for servers.
export { Callwright } from "../../sdk/typescript/src/client.js";
export { APIConnectionError, APIError } from "../../sdk/typescript/src/errors.js";
export type { Page } from "../../sdk/typescript/src/pages.js";
export type { Body, Item, Query, Result } from "../../sdk/typescript/src/request.js";
export type { components } from "../../sdk/typescript/src/schema.gen.js";
export type { CallTurn, StreamEvent } from "../../sdk/typescript/src/stream.js";
export { WebCall } from "../../sdk/typescript/src/web.js";
export type { WebCallError, WebCallQuality, WebCallState } from "../../sdk/typescript/src/web.js";

// The dashboard is a client of the public API like any other: the SDK, with the session's cookie in place of a key.
import { APIError, Callwright } from "./sdk.js";

/** What requests carry that are to stay on the simulated phone network. */
const testMode = "callwright-test-mode";

export const testing = () => sessionStorage.getItem(testMode) === "on";

export function setTesting(on: boolean): void {
  sessionStorage.setItem(testMode, on ? "on" : "off");
}

/** Is called when the session has ended. */
export const ended = { signal: () => {} };

/** Sends a request as all of the dashboard's are. */
export async function send(url: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (testing()) {
    headers.set("Callwright-Mode", "test");
  }
  const response = await fetch(url, { ...init, headers, credentials: "same-origin" });
  if (response.status === 401) {
    ended.signal();
  }
  return response;
}

export const cw = new Callwright({ baseUrl: location.origin, maxRetries: 1, timeout: 30, fetch: send });

/** Returns what the server says is wrong with a request, by field. */
export function detailsOf(error: unknown): Readonly<Record<string, string>> {
  return error instanceof APIError ? error.details : {};
}

/** Reports whether the server knows nothing by that name. */
export const isNotFound = (error: unknown) => error instanceof APIError && error.status === 404;

// Requests and their types, which are those of the document.
import { APIConnectionError, APIError, type CallwrightError } from "./errors.js";
import { Pages } from "./pages.js";
import { sleep, waitBefore } from "./retries.js";
import type { operations } from "./schema.gen.js";

type Name = keyof operations;
type Json<T> = T extends { content: { "application/json": infer J } } ? J : never;
type Success<R> = Json<R[Extract<keyof R, 200 | 201 | 202>]>;
type Form<T> = T extends { requestBody?: { content: { "multipart/form-data": infer F } } } ? F : never;

/** What an operation responds. */
export type Result<K extends Name> = [Success<operations[K]["responses"]>] extends [never] ? void : Success<operations[K]["responses"]>;
/** An entry of the list that an operation responds. */
export type Item<K extends Name> = Success<operations[K]["responses"]> extends { data: (infer T)[] } ? T : never;
/** The body of an operation. */
export type Body<K extends Name> = operations[K] extends { requestBody?: { content: { "application/json": infer B } } } ? B : never;
/** The query of an operation. */
export type Query<K extends Name> = NonNullable<operations[K]["parameters"]["query"]>;
/** The form of an operation that takes a file. */
export type Upload<K extends Name> = { [F in keyof Form<operations[K]>]: string extends Form<operations[K]>[F] ? Blob | string : Form<operations[K]>[F] };

export interface ClientOptions {
  /** Where the API is, such as `https://calls.example.com`. */
  baseUrl: string;
  /** Default none: the cookie of a session, in a browser. */
  apiKey?: string;
  /** Most retries of a request; default 4. */
  maxRetries?: number;
  /** Seconds for one attempt; default 60. */
  timeout?: number;
  /** In place of the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

export interface RequestOptions {
  signal?: AbortSignal;
}

export interface CreateOptions extends RequestOptions {
  /** Of all attempts; default a new one. */
  idempotencyKey?: string;
}

interface Parts {
  body?: unknown;
  query?: object | undefined;
  options?: CreateOptions | undefined;
}

/** Sends requests, again where that is safe. */
export class Requester {
  readonly maxRetries: number;
  private readonly timeout: number;

  constructor(private readonly client: ClientOptions) {
    this.maxRetries = client.maxRetries ?? 4;
    this.timeout = client.timeout ?? 60;
  }

  // biome-ignore lint: what is returned has the type that the operation's method declares
  send(method: string, path: string, parts: Parts): Promise<any> {
    const body = parts.body === undefined ? undefined : JSON.stringify(parts.body);
    const headers: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" };
    return this.repeat(method, path, parts, headers, body, async (response) => {
      const text = await response.text();
      return text === "" ? undefined : JSON.parse(text);
    });
  }

  upload(method: string, path: string, parts: Parts): Promise<any> {
    const form = new FormData();
    for (const [name, value] of Object.entries(parts.body as Record<string, string | Blob>)) {
      form.append(name, value);
    }
    return this.repeat(method, path, parts, {}, form, (response) => response.json());
  }

  download(method: string, path: string, parts: Parts): Promise<Blob> {
    return this.repeat(method, path, parts, {}, undefined, (response) => response.blob());
  }

  pages(path: string, parts: Parts): Pages<any> {
    return new Pages((query) => this.send("GET", path, { ...parts, query }), { ...parts.query });
  }

  private async repeat<T>(
    method: string, path: string, parts: Parts, headers: Record<string, string>, body: string | FormData | undefined, read: (response: Response) => Promise<T>,
  ): Promise<T> {
    if (method === "POST") {
      headers["Idempotency-Key"] = parts.options?.idempotencyKey ?? randomKey();
    }
    const signal = parts.options?.signal;
    for (let attempt = 1; ; attempt++) {
      const limit = new Deadline(signal, this.timeout);
      let failure: CallwrightError;
      try {
        const response = await this.open(method, path, parts.query, headers, body, limit.signal);
        if (response.ok) {
          return await read(response);
        }
        failure = await APIError.of(response);
      } catch (error) {
        signal?.throwIfAborted();
        failure = new APIConnectionError(this.url(path, undefined), error);
      } finally {
        limit.end();
      }
      const wait = waitBefore(attempt, this.maxRetries, failure);
      if (wait === undefined) {
        throw failure;
      }
      await sleep(wait, signal);
    }
  }

  /** Sends one request and resolves to the response, whatever its status is. */
  open(
    method: string, path: string, query: object | undefined, headers: Record<string, string>, body: string | FormData | undefined, signal: AbortSignal,
  ): Promise<Response> {
    const fetch = this.client.fetch ?? globalThis.fetch;
    const authorization = this.client.apiKey === undefined ? {} : { Authorization: `Bearer ${this.client.apiKey}` };
    return fetch(this.url(path, query), { method, headers: { ...authorization, ...headers }, signal, ...(body === undefined ? {} : { body }) });
  }

  url(path: string, query: object | undefined): string {
    const url = new URL(this.client.baseUrl.replace(/\/$/, "") + path);
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined && value !== null) {
        url.searchParams.set(name, String(value));
      }
    }
    return url.href;
  }
}

/** Aborts when time runs out, and with another signal. AbortSignal.any is younger than Node 18. */
export class Deadline {
  private readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly follow = () => this.controller.abort(this.outer?.reason);

  constructor(private readonly outer: AbortSignal | undefined, private readonly seconds: number) {
    if (outer?.aborted) {
      this.follow();
    }
    outer?.addEventListener("abort", this.follow, { once: true });
    this.extend();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Starts the time anew. */
  extend(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.controller.abort(new Error(`nothing received for ${this.seconds} s`)), this.seconds * 1000);
  }

  end(): void {
    clearTimeout(this.timer);
    this.outer?.removeEventListener("abort", this.follow);
  }
}

// 128 random bits; crypto.randomUUID is missing in Node 18 and on pages without TLS.
function randomKey(): string {
  return Array.from({ length: 4 }, () => Math.floor(Math.random() * 2 ** 32).toString(16).padStart(8, "0")).join("");
}

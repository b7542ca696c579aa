// Server-Sent Events, as WHATWG describes them.
import { CallwrightError } from "./errors.js";
import type { components } from "./schema.gen.js";
import type { WebhookMessage } from "./webhooks.js";

type Event = components["schemas"]["Event"];
type OfType<M> = M extends { type: infer T } ? Omit<Event, "type" | "message"> & { type: T; message: Omit<M, "eventId" | "sequence"> } : never;

/** An event; `type` tells what its message is. Of an event that was erased the message has the type, and the id of the call. */
export type StreamEvent = OfType<WebhookMessage>;

/** What somebody said in a call that is watched. It is no event: it has no sequence, and is not kept as one. */
export interface CallTurn {
  type: "call-turn";
  call_id: string;
  /** Which turn of the call it is; the first is 0. */
  position: number;
  turn: components["schemas"]["TranscriptTurn"];
}

/** Where a reader of the stream is, across its connections. */
export class EventReader {
  /** Seconds until the next connection behind one that ended well. */
  delay = 1;
  private last: string | undefined;
  private id: string | undefined;
  private data: string[] = [];
  private rest = "";
  private decoder = new TextDecoder();

  constructor(after: number | undefined) {
    this.last = after === undefined ? undefined : String(after);
  }

  /** Begins a connection and returns its headers. */
  headers(): Record<string, string> {
    [this.id, this.data, this.rest, this.decoder] = [this.last, [], "", new TextDecoder()];
    return { Accept: "text/event-stream", ...(this.last === undefined ? {} : { "Last-Event-ID": this.last }) };
  }

  /** Gives the events that a part of the stream completes. */
  *read(chunk: Uint8Array): Generator<StreamEvent | CallTurn, void, undefined> {
    const lines = (this.rest + this.decoder.decode(chunk, { stream: true })).split("\n");
    this.rest = lines.pop() ?? "";
    for (const line of lines) {
      const event = this.line(line.endsWith("\r") ? line.slice(0, -1) : line);
      if (event) {
        yield event;
      }
    }
  }

  private line(line: string): StreamEvent | CallTurn | undefined {
    if (line === "") {
      return this.dispatch();
    }
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
    if (name === "data") {
      this.data.push(value);
    } else if (name === "id") {
      this.id = value;
    } else if (name === "retry" && /^\d+$/.test(value)) {
      this.delay = Number(value) / 1000;
    }
    return undefined;
  }

  private dispatch(): StreamEvent | CallTurn | undefined {
    this.last = this.id;
    if (this.data.length === 0) {
      return undefined;
    }
    const text = this.data.join("\n");
    this.data = [];
    try {
      return JSON.parse(text) as StreamEvent | CallTurn;
    } catch (cause) {
      throw new CallwrightError("the stream has an event that is no JSON", { cause });
    }
  }
}

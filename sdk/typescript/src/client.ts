import { APIConnectionError, APIError, CallwrightError } from "./errors.js";
import { Operations } from "./operations.gen.js";
import { type ClientOptions, Deadline, type Query, Requester } from "./request.js";
import { backoff, sleep, waitBefore } from "./retries.js";
import { type CallTurn, EventReader, type StreamEvent } from "./stream.js";

export interface EventOptions extends Pick<Query<"stream-events">, "type" | "call_id"> {
  /** Events after this sequence; default: those from now on. */
  after?: number;
  /** Ends the iteration with the signal's reason. */
  signal?: AbortSignal;
}

// Seconds without a byte after which a stream counts as lost. The server writes every 15.
const silence = 45;

/** A client of the API. */
export class Callwright extends Operations {
  protected readonly requester: Requester;

  constructor(options: ClientOptions) {
    super();
    this.requester = new Requester(options);
  }

  /**
   * Iterates over events as they happen, without end. None is missed or comes twice: a lost connection is made again behind
   * the last event, for as long as it takes once it was there. With `watch_call_id` what is said in that call comes too, as it is
   * said: each turn has its position, and a connection that is made again begins with the first.
   */
  events(options?: EventOptions & { watch_call_id?: never }): AsyncGenerator<StreamEvent, void, undefined>;
  events(options: EventOptions & { watch_call_id: string | undefined }): AsyncGenerator<StreamEvent | CallTurn, void, undefined>;
  async *events({ after, signal, ...query }: EventOptions & { watch_call_id?: string | undefined } = {}): AsyncGenerator<StreamEvent | CallTurn, void, undefined> {
    const reader = new EventReader(after);
    for (let failures = 0, connected = false; ; ) {
      let failure: CallwrightError | undefined;
      const limit = new Deadline(signal, silence);
      try {
        const response = await this.requester.open("GET", "/v1/events/stream", query, reader.headers(), undefined, limit.signal);
        if (!response.ok) {
          throw await APIError.of(response);
        }
        [failures, connected] = [0, true];
        for await (const chunk of chunks(response)) {
          limit.extend();
          yield* reader.read(chunk);
        }
      } catch (error) {
        signal?.throwIfAborted();
        failure = error instanceof CallwrightError ? error : new APIConnectionError(this.requester.url("/", undefined), error);
      } finally {
        limit.end();
      }
      if (failure) {
        failures++;
      }
      await sleep(this.pause(reader, failure, failures, connected), signal);
    }
  }

  // Returns the seconds until the next connection, or throws the failure.
  private pause(reader: EventReader, failure: CallwrightError | undefined, failures: number, connected: boolean): number {
    if (!failure) {
      return reader.delay;
    }
    const wait = waitBefore(failures, this.requester.maxRetries, failure);
    if (wait !== undefined) {
      return wait;
    }
    if (connected && failure.temporary) {
      return failure.retryAfter ?? backoff(failures);
    }
    throw failure;
  }
}

async function* chunks(response: Response): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body!.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // it may have failed already
  }
}

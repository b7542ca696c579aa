// When a request is sent again.
import type { CallwrightError } from "./errors.js";

const first = 0.5;
const longest = 8;
const longestAsked = 60;

/**
 * Returns the seconds to wait before the retry that is numbered attempt, from 1; undefined: there is none. Every method may be
 * repeated: a POST carries one Idempotency-Key in all its attempts.
 */
export function waitBefore(attempt: number, most: number, failure: CallwrightError): number | undefined {
  if (attempt > most || !failure.temporary) {
    return undefined;
  }
  if (failure.retryAfter !== undefined) {
    return failure.retryAfter <= longestAsked ? failure.retryAfter : undefined;
  }
  return backoff(attempt);
}

/** Returns the seconds to wait where the server names none. */
export function backoff(attempt: number): number {
  return Math.min(longest, first * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}

/** Waits; an abort ends it with the signal's reason. */
export function sleep(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const aborted = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", aborted);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener("abort", aborted, { once: true });
  });
}

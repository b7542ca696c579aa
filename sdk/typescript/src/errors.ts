// What goes wrong, as errors. Each message is one line.

/** The base of all errors of this package. */
export class CallwrightError extends Error {
  override name = "CallwrightError";
  /** Whether the same request may succeed later. */
  readonly temporary: boolean = false;
  /** Seconds that the server asks to wait. */
  readonly retryAfter: number | undefined = undefined;
}

const temporary = new Set([408, 429, 500, 502, 503, 504]);

/** The server refused the request, or failed. */
export class APIError extends CallwrightError {
  override name = "APIError";
  override readonly temporary: boolean;

  constructor(
    readonly status: number,
    /** Stable word for programs, such as "invalid_request". */
    readonly code: string,
    message: string,
    /** What is wrong, by field. */
    readonly details: Readonly<Record<string, string>>,
    /** Names the request in the server's log. */
    readonly requestId: string | undefined,
    override readonly retryAfter: number | undefined,
  ) {
    const wrong = Object.entries(details).map(([field, what]) => `; ${field}: ${what}`);
    super(`${status} ${code}: ${message}${wrong.join("")}${requestId ? ` (request ${requestId})` : ""}`);
    // A repeated POST meets its own first attempt, which was cut off here and still runs there.
    this.temporary = temporary.has(status) || code === "idempotency_in_progress";
  }

  /** Returns the error that a response is which is no success. */
  static async of(response: Response): Promise<APIError> {
    const text = await response.text();
    const wait = response.headers.get("Retry-After") ?? "";
    const about = [response.headers.get("X-Request-Id") ?? undefined, /^\d+$/.test(wait) ? Number(wait) : undefined] as const;
    try {
      const { code, message, details } = JSON.parse(text).error;
      return new APIError(response.status, String(code), String(message), details ?? {}, ...about);
    } catch {
      return new APIError(response.status, "unexpected_response", response.statusText || "no reason given", {}, ...about); // a proxy's page
    }
  }
}

/** The server was not reached, or its response was lost. `cause` tells more. */
export class APIConnectionError extends CallwrightError {
  override name = "APIConnectionError";
  override readonly temporary: boolean = true;

  constructor(url: string, cause: unknown) {
    super(`no response from ${new URL(url).origin}: ${reason(cause)}`, { cause });
  }
}

// fetch says "fetch failed" and has the reason in its cause.
function reason(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return inner instanceof Error ? inner.message || inner.name : String(inner);
}

/** The request is not from Callwright, too old, or not an event. */
export class WebhookVerificationError extends CallwrightError {
  override name = "WebhookVerificationError";
}

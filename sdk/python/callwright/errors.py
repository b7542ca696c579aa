"""What goes wrong, as exceptions. Each reads as one line."""

from __future__ import annotations

import httpx

_TEMPORARY = {408, 429, 500, 502, 503, 504}


class CallwrightError(Exception):
    """The base of all errors of this package."""

    temporary = False
    """Whether the same request may succeed later."""

    retry_after: float | None = None
    """Seconds that the server asks to wait."""


class APIError(CallwrightError):
    """The server refused the request, or failed."""

    def __init__(self, status: int, code: str, message: str, details: dict[str, str], request_id: str | None) -> None:
        self.status = status
        self.code = code
        """Stable word for programs, such as "invalid_request"."""
        self.message = message
        self.details = details
        """What is wrong, by field."""
        self.request_id = request_id
        """Names the request in the server's log."""
        wrong = "".join(f"; {field}: {what}" for field, what in details.items())
        super().__init__(f"{status} {code}: {message}{wrong}" + (f" (request {request_id})" if request_id else ""))

    @property
    def temporary(self) -> bool:  # type: ignore[override]
        # A repeated POST meets its own first attempt, which was cut off here and still runs there.
        return self.status in _TEMPORARY or self.code == "idempotency_in_progress"


class APIConnectionError(CallwrightError):
    """The server was not reached, or its response was lost. __cause__ tells more."""

    temporary = True


class WebhookVerificationError(CallwrightError):
    """The request is not from Callwright, too old, or not an event."""


def lost(request: httpx.Request, error: httpx.TransportError) -> APIConnectionError:
    """Returns the error for a request without a response."""
    return APIConnectionError(f"no response from {request.url.scheme}://{request.url.netloc.decode()}: {error or type(error).__name__}")


def from_response(response: httpx.Response) -> APIError:
    """Returns the error that a response is which is no success. Its body has been read."""
    code, message, details = "unexpected_response", response.reason_phrase or "no reason given", {}
    try:
        body = response.json()["error"]
        code, message, details = str(body["code"]), str(body["message"]), dict(body.get("details") or {})
    except (ValueError, KeyError, TypeError):
        pass  # a proxy's page
    error = APIError(response.status_code, code, message, details, response.headers.get("X-Request-Id"))
    wait = response.headers.get("Retry-After", "")
    if wait.isdigit():
        error.retry_after = float(wait)
    return error

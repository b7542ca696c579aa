"""Server-Sent Events, as WHATWG describes them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import cast

import httpx

from . import types
from .errors import CallwrightError
from .retries import backoff, wait_before

SILENCE = 45.0
"""Seconds without a byte after which a connection counts as lost. The server writes every 15."""


class StreamEvent(types.Event):
    """An event. Of one that was erased the message has its type, and the id of the call."""

    message: types.WebhookMessage  # type: ignore[misc]


class EventStream:
    """Where a reader of the stream is, across its connections."""

    def __init__(self, after: int | None, type: str | None, call_id: str | None, most: int) -> None:
        self.last = None if after is None else str(after)
        self.query = {name: value for name, value in {"type": type, "call_id": call_id}.items() if value is not None}
        self._most = most
        self._failures = 0
        self._connected = False
        self._delay = 1.0  # until the next connection behind one that ended well
        self._reset()

    def _reset(self) -> None:
        self._buffer = b""
        self._data: list[str] = []
        self._id = self.last

    def headers(self) -> dict[str, str]:
        """Returns the headers of the next connection."""
        headers = {"Accept": "text/event-stream"}
        if self.last is not None:
            headers["Last-Event-ID"] = self.last
        return headers

    def connected(self) -> None:
        """Begins a connection."""
        self._reset()
        self._connected, self._failures = True, 0

    def wait(self, failure: CallwrightError | None) -> float:
        """Returns the seconds until the next connection, or raises the failure. None: the server ended the stream.

        A stream that was there once is sought until it is there again, or refused.
        """
        if failure is None:
            return self._delay
        self._failures += 1
        wait = wait_before(self._failures, self._most, failure)
        if wait is not None:
            return wait
        if self._connected and failure.temporary:
            return failure.retry_after or backoff(self._failures)
        raise failure

    def feed(self, chunk: bytes) -> Iterator[StreamEvent]:
        """Gives the events that a part of the stream completes."""
        *lines, self._buffer = (self._buffer + chunk).split(b"\n")
        for line in lines:
            event = self._line(line.removesuffix(b"\r").decode())
            if event is not None:
                yield event

    def _line(self, line: str) -> StreamEvent | None:
        if line == "":
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "id":
            self._id = value
        elif name == "retry" and value.isdigit():
            self._delay = int(value) / 1000
        return None

    def _dispatch(self) -> StreamEvent | None:
        self.last = self._id
        if not self._data:
            return None
        text, self._data = "\n".join(self._data), []
        try:
            return cast(StreamEvent, json.loads(text))
        except ValueError as error:
            raise CallwrightError(f"the stream has an event that is no JSON: {error}") from error


def read_timeout(timeout: float) -> httpx.Timeout:
    """Returns the timeouts of a connection that streams."""
    return httpx.Timeout(timeout, read=SILENCE)

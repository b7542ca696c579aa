"""The clients: one that blocks, and one to be awaited."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Any

import httpx

from .errors import APIError, CallwrightError, from_response, lost
from .operations import AsyncOperations, Operations
from .pages import AsyncPages, Page, Pages, Query
from .retries import wait_before
from .stream import EventStream, StreamEvent, read_timeout
from .version import VERSION

_STREAM = "/v1/events/stream"


def _settings(base_url: str, api_key: str, timeout: float) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {api_key}", "Accept": "*/*", "User-Agent": f"callwright-python/{VERSION}"}
    return {"base_url": base_url, "headers": headers, "timeout": timeout}


def _parts(
    method: str, query: Query | None, body: Any, data: Any, files: Any, idempotency_key: str | None
) -> dict[str, Any]:
    """Returns what httpx makes a request from, and makes it anew for every attempt."""
    parts: dict[str, Any] = {"headers": {}}
    if query is not None:
        parts["params"] = {name: value for name, value in query.items() if value is not None}
    if body is not None:
        parts["json"] = body
    if files is not None:
        parts["data"], parts["files"] = data, files
    if method == "POST":
        parts["headers"]["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
    return parts


def _decoded(response: httpx.Response) -> Any:
    return response.json() if response.content else None


class Client(Operations):
    """A client that blocks. It may be used by several threads. Close it, or use it in a with statement."""

    def __init__(
        self, base_url: str, api_key: str, *, timeout: float = 60.0, max_retries: int = 4, transport: httpx.BaseTransport | None = None
    ) -> None:
        """timeout is in seconds and is that of one attempt."""
        self._http = httpx.Client(**_settings(base_url, api_key, timeout), transport=transport)
        self._timeout, self._max_retries = timeout, max_retries

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def events(self, *, after: int | None = None, type: str | None = None, call_id: str | None = None) -> Iterator[StreamEvent]:
        """Gives events as they happen, without end: those after a sequence, or those from now on. None is missed or comes twice:
        a lost connection is made again behind the last event. Closing the iterator ends it."""
        stream = EventStream(after, type, call_id, self._max_retries)
        while True:
            failure: CallwrightError | None = None
            request = self._http.build_request(
                "GET", _STREAM, params=stream.query, headers=stream.headers(), timeout=read_timeout(self._timeout)
            )
            try:
                response = self._http.send(request, stream=True)
                try:
                    if not response.is_success:
                        response.read()
                        raise from_response(response)
                    stream.connected()
                    for chunk in response.iter_bytes():
                        yield from stream.feed(chunk)
                finally:
                    response.close()
            except httpx.TransportError as error:
                failure = lost(request, error)
                failure.__cause__ = error
            except APIError as error:
                failure = error
            time.sleep(stream.wait(failure))

    def _request(self, method: str, path: str, parts: dict[str, Any]) -> httpx.Response:
        attempt = 0
        while True:
            request = self._http.build_request(method, path, **parts)
            try:
                response = self._http.send(request)
                if response.is_success:
                    return response
                failure: CallwrightError = from_response(response)
            except httpx.TransportError as error:
                failure = lost(request, error)
                failure.__cause__ = error
            attempt += 1
            wait = wait_before(attempt, self._max_retries, failure)
            if wait is None:
                raise failure
            time.sleep(wait)

    def _send(
        self, method: str, path: str, *, query: Query | None = None, body: Any = None, data: Any = None, files: Any = None,
        idempotency_key: str | None = None,
    ) -> Any:  # fmt: skip
        return _decoded(self._request(method, path, _parts(method, query, body, data, files, idempotency_key)))

    def _download(self, method: str, path: str, *, query: Query | None = None) -> bytes:
        return self._request(method, path, _parts(method, query, None, None, None, None)).content

    def _pages(self, path: str, query: Query) -> Pages[Any]:
        def fetch(query: Query) -> Page[Any]:
            page: Page[Any] = self._send("GET", path, query=query)
            return page

        return Pages(fetch, query)


class AsyncClient(AsyncOperations):
    """A client to be awaited. Close it, or use it in an async with statement."""

    def __init__(
        self, base_url: str, api_key: str, *, timeout: float = 60.0, max_retries: int = 4, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        """timeout is in seconds and is that of one attempt."""
        self._http = httpx.AsyncClient(**_settings(base_url, api_key, timeout), transport=transport)
        self._timeout, self._max_retries = timeout, max_retries

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def events(self, *, after: int | None = None, type: str | None = None, call_id: str | None = None) -> AsyncIterator[StreamEvent]:
        """Gives events as they happen, without end: those after a sequence, or those from now on. None is missed or comes twice:
        a lost connection is made again behind the last event. Closing the iterator ends it."""
        stream = EventStream(after, type, call_id, self._max_retries)
        while True:
            failure: CallwrightError | None = None
            request = self._http.build_request(
                "GET", _STREAM, params=stream.query, headers=stream.headers(), timeout=read_timeout(self._timeout)
            )
            try:
                response = await self._http.send(request, stream=True)
                try:
                    if not response.is_success:
                        await response.aread()
                        raise from_response(response)
                    stream.connected()
                    async for chunk in response.aiter_bytes():
                        for event in stream.feed(chunk):
                            yield event
                finally:
                    await response.aclose()
            except httpx.TransportError as error:
                failure = lost(request, error)
                failure.__cause__ = error
            except APIError as error:
                failure = error
            await asyncio.sleep(stream.wait(failure))

    async def _request(self, method: str, path: str, parts: dict[str, Any]) -> httpx.Response:
        attempt = 0
        while True:
            request = self._http.build_request(method, path, **parts)
            try:
                response = await self._http.send(request)
                if response.is_success:
                    return response
                failure: CallwrightError = from_response(response)
            except httpx.TransportError as error:
                failure = lost(request, error)
                failure.__cause__ = error
            attempt += 1
            wait = wait_before(attempt, self._max_retries, failure)
            if wait is None:
                raise failure
            await asyncio.sleep(wait)

    async def _send(
        self, method: str, path: str, *, query: Query | None = None, body: Any = None, data: Any = None, files: Any = None,
        idempotency_key: str | None = None,
    ) -> Any:  # fmt: skip
        return _decoded(await self._request(method, path, _parts(method, query, body, data, files, idempotency_key)))

    async def _download(self, method: str, path: str, *, query: Query | None = None) -> bytes:
        return (await self._request(method, path, _parts(method, query, None, None, None, None))).content

    def _pages(self, path: str, query: Query) -> AsyncPages[Any]:
        async def fetch(query: Query) -> Page[Any]:
            page: Page[Any] = await self._send("GET", path, query=query)
            return page

        return AsyncPages(fetch, query)

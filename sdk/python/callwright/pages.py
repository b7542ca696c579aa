"""Lists, which arrive in pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Generic, TypedDict, TypeVar

T = TypeVar("T")
Query = dict[str, Any]


class Page(TypedDict, Generic[T]):
    """A page of a list."""

    data: list[T]
    pagination: dict[str, Any]
    """limit, total, has_more; where the list is followed by cursors, next_cursor."""


def following(query: Query, page: Page[Any]) -> Query | None:
    """Returns the query of the page that follows, or None."""
    pagination = page["pagination"]
    if not pagination["has_more"] or not page["data"]:
        return None
    if pagination.get("next_cursor"):
        return {**query, "offset": None, "cursor": pagination["next_cursor"]}
    return {**query, "offset": pagination["offset"] + len(page["data"])}


class Pages(Generic[T]):
    """A list. Iterating over it gives all entries and asks for a page when it gets there."""

    def __init__(self, fetch: Callable[[Query], Page[T]], query: Query) -> None:
        self._fetch, self._query = fetch, query

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page["data"]

    def pages(self) -> Iterator[Page[T]]:
        """Iterates over the pages."""
        query: Query | None = self._query
        while query is not None:
            page = self._fetch(query)
            yield page
            query = following(query, page)

    def first(self) -> Page[T]:
        """Returns the first page."""
        return self._fetch(self._query)


class AsyncPages(Generic[T]):
    """A list. Iterating over it gives all entries and asks for a page when it gets there."""

    def __init__(self, fetch: Callable[[Query], Awaitable[Page[T]]], query: Query) -> None:
        self._fetch, self._query = fetch, query

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for entry in page["data"]:
                yield entry

    async def pages(self) -> AsyncIterator[Page[T]]:
        """Iterates over the pages."""
        query: Query | None = self._query
        while query is not None:
            page = await self._fetch(query)
            yield page
            query = following(query, page)

    async def first(self) -> Page[T]:
        """Returns the first page."""
        return await self._fetch(self._query)

"""Retries, errors, pages and the stream, against a server that fails as a network does."""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
import unittest
from typing import Any

from callwright import APIConnectionError, APIError, AsyncClient, Client

from .server import Response, Server, refusal

CONTACT = {"phone_number": "+31612345600"}


def page(*entries: str, **pagination: Any) -> Response:
    return Response(body={"data": [{"call_id": entry} for entry in entries], "pagination": {"limit": 2, "offset": 0, "total": 3, **pagination}})


def stream(*events: int, start: str = "retry: 0\n", cut: bool = False) -> Response:
    text = start + "\n" + "".join(f"id: {n}\r\nevent: hang\r\ndata: {json.dumps({'sequence': n})[:-1]},\ndata: \"text\": \"\u2028\u0085\"}}\n\n" for n in events)
    return Response(text=text.encode() + (b'id: 99\ndata: {"sequ' if cut else b""), headers={"Content-Type": "text/event-stream"}, cut=cut)


class TestClient(unittest.TestCase):
    def test_same_key_on_every_retry(self) -> None:
        failures = [
            Response(201, text=b'{"contact', headers={}, cut=True), refusal(503, "unavailable", "0"), refusal(429, "rate_limited", "0"),
            refusal(409, "idempotency_in_progress", "0"),
        ]  # fmt: skip
        with Server(*failures, Response(201, {"contact_id": "1"})) as server, Client(server.url, "key-1") as client:
            made = client.create_contact(CONTACT)
        self.assertEqual("1", made["contact_id"])
        self.assertEqual(5, len(server.requests))
        self.assertEqual(1, len({headers["idempotency-key"] for _, headers, _ in server.requests}))
        self.assertEqual({json.dumps(CONTACT)}, {json.dumps(json.loads(body)) for _, _, body in server.requests})
        self.assertEqual({"Bearer key-1"}, {headers["authorization"] for _, headers, _ in server.requests})

    def test_own_key(self) -> None:
        with Server(Response(201, {}), Response(201, {})) as server, Client(server.url, "key") as client:
            client.create_contact(CONTACT, idempotency_key="mine")
            client.end_call("a/b")
        self.assertEqual("mine", server.requests[0][1]["idempotency-key"])
        self.assertEqual("POST /v1/calls/a%2Fb/end", server.requests[1][0])
        self.assertNotIn(server.requests[1][1]["idempotency-key"], ("", "mine"))

    def test_refusals_are_not_repeated(self) -> None:
        for failure in (refusal(400, "invalid_request"), refusal(409, "idempotency_conflict", "0"), refusal(429, "rate_limited", "61"), refusal(501, "x")):
            with Server(failure) as server, Client(server.url, "key") as client, self.assertRaises(APIError) as raised:
                client.create_contact(CONTACT)
            error = raised.exception
            self.assertEqual((failure.status, "No.", {"field": "is wrong"}, "request-1"), (error.status, error.message, error.details, error.request_id))
            self.assertEqual(f"{error.status} {error.code}: No.; field: is wrong (request request-1)", str(error))

    def test_retries_end(self) -> None:
        with Server(*[refusal(500, "internal_error", "0")] * 3) as server, Client(server.url, "key", max_retries=2) as client:
            with self.assertRaisesRegex(APIError, "^500 internal_error"):
                client.get_limits()
        self.assertEqual(3, len(server.requests))

    def test_page_of_a_proxy(self) -> None:
        with Server(Response(502, text=b"<html>")) as server, Client(server.url, "key", max_retries=0) as client:
            with self.assertRaisesRegex(APIError, "^502 unexpected_response: Bad Gateway$"):
                client.get_limits()

    def test_lost_network(self) -> None:
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{closed.getsockname()[1]}"
            with Client(url, "key", max_retries=0) as client:
                with self.assertRaisesRegex(APIConnectionError, f"^no response from {url}: .+"):
                    client.get_limits()
                with self.assertRaises(APIConnectionError):
                    next(client.events())

    def test_pages(self) -> None:
        with Server(page("1", "2", has_more=True, next_cursor="next"), page("3", has_more=False, next_cursor=None)) as server:
            with Client(server.url, "key") as client:
                self.assertEqual(["1", "2", "3"], [call["call_id"] for call in client.list_calls(limit=2, offset=0, call_status="completed")])
        self.assertEqual("GET /v1/calls?limit=2&offset=0&call_status=completed", server.requests[0][0])
        self.assertEqual("GET /v1/calls?limit=2&cursor=next&call_status=completed", server.requests[1][0])

    def test_pages_by_offset(self) -> None:
        with Server(page("1", "2", has_more=True), page("3", has_more=False, offset=2), page("1", has_more=True)) as server:
            with Client(server.url, "key") as client:
                self.assertEqual(3, len(list(client.list_available_numbers(country="NL"))))
                self.assertEqual(1, len(client.list_available_numbers().first()["data"]))
        self.assertEqual("GET /v1/available-phone-numbers?offset=2&country=NL", server.requests[1][0])

    def test_upload_and_download(self) -> None:
        with Server(refusal(503, "unavailable", "0"), Response(201, {}), Response(text=b"RIFF")) as server, Client(server.url, "key") as client:
            client.upload_verification_document("1", document_type="copy-id", file=b"%PDF-")
            self.assertEqual(b"RIFF", client.get_call_recording("1"))
        for _, headers, body in server.requests[:2]:
            self.assertIn("multipart/form-data", headers["content-type"])
            self.assertIn(b"copy-id", body)
            self.assertIn(b"%PDF-", body)

    def test_stream(self) -> None:
        responses = stream(start="retry: 0\nid: 4\n"), stream(5, 6, cut=True), refusal(503, "unavailable", "0"), stream(7), refusal(401, "unauthorized")
        with Server(*responses) as server, Client(server.url, "key") as client:
            events = client.events(type="hang")
            self.assertEqual([5, 6, 7], [event["sequence"] for event in itertools.islice(events, 3)])
            with self.assertRaisesRegex(APIError, "^401 unauthorized"):
                next(events)
        self.assertEqual("GET /v1/events/stream?type=hang", server.requests[0][0])
        self.assertEqual([None, "4", "6", "6", "7"], [headers.get("last-event-id") for _, headers, _ in server.requests])

    def test_async(self) -> None:
        async def walk(url: str) -> None:
            async with AsyncClient(url, "key") as client:
                self.assertEqual("1", (await client.create_contact(CONTACT))["contact_id"])
                self.assertEqual(["1", "2"], [call["call_id"] async for call in client.list_calls()])
                self.assertEqual(b"RIFF", await client.get_call_recording("1"))
                sequences = []
                async for event in client.events(after=4):
                    sequences.append(event["sequence"])
                    if len(sequences) == 2:
                        break
                self.assertEqual([5, 6], sequences)
                with self.assertRaisesRegex(APIError, "^404 not_found"):
                    await client.get_call("1")

        first, second = page("1", has_more=True, next_cursor="next"), page("2", has_more=False, next_cursor=None)
        made = Response(201, {"contact_id": "1"})
        responses = refusal(503, "unavailable", "0"), made, first, second, Response(text=b"RIFF"), stream(5, cut=True), stream(6), refusal(404, "not_found")
        with Server(*responses) as server:
            asyncio.run(walk(server.url))
        self.assertEqual(["4", "5"], [headers["last-event-id"] for path, headers, _ in server.requests if "stream" in path])


if __name__ == "__main__":
    unittest.main()

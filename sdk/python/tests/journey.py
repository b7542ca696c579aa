"""A customer on the way, with a whole product at CALLWRIGHT_URL: from an assistant to the report of the call that it made."""

from __future__ import annotations

import http.server
import os
import queue
import sys
import threading
from typing import Any

from callwright import APIConnectionError, APIError, Client, WebhookVerificationError, types, verify_webhook

SECRET = "what the front desk knows"


class Receiver:
    """A server that verifies the webhooks that it gets."""

    def __init__(self) -> None:
        received = self.received = queue.Queue[types.WebhookMessage]()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                try:
                    verify_webhook(body, dict(self.headers), "another secret")
                    raise AssertionError("verified with another secret")
                except WebhookVerificationError:
                    pass
                received.put(verify_webhook(body, dict(self.headers), SECRET))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/calls"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()


def refused(code: str, status: int, act: Any) -> APIError:
    try:
        act()
    except APIError as error:
        assert (error.code, error.status) == (code, status), error
        assert error.request_id, error
        return error
    raise AssertionError(f"no {code}")


def mistakes(client: Client, url: str) -> None:
    wrong: Any = {"assistant_name": "Ava", "assistant_nme": "Ava", "max_duration_seconds": "long"}
    details = refused("invalid_request", 400, lambda: client.create_assistant(wrong)).details
    assert {"assistant_nme", "max_duration_seconds"} <= set(details), details
    refused("not_found", 404, lambda: client.get_call("01980000-0000-7000-8000-000000000000"))
    with Client(url, "cw_test_" + "x" * 32) as stranger:
        refused("unauthorized", 401, lambda: list(stranger.list_calls()))
        refused("unauthorized", 401, lambda: next(stranger.events()))
    with Client("http://127.0.0.1:1", "key", max_retries=1) as nowhere:
        try:
            nowhere.get_profile()
            raise AssertionError("reached nobody")
        except APIConnectionError as error:
            assert "127.0.0.1:1" in str(error), error


def journey(client: Client, url: str) -> None:
    receiver = Receiver()
    server: types.AssistantServerInput = {"url": receiver.url, "secret": SECRET, "events": ["status-update", "end-of-call-report"]}
    body: types.AssistantInput = {"assistant_name": "Ava", "first_message_outbound": "Hello, this is Ava.", "max_duration_seconds": 30, "server": server}
    assistant = client.create_assistant(body)["assistant_id"]
    number = next(iter(client.list_phone_numbers()))
    client.link_assistant_phone_number(assistant, {"phone_number_id": number["id"]})
    phones = ["+31612340105", "+31612340205", "+31612340305"]
    contacts = [client.create_contact({"phone_number": phone, "full_name": "Jan"}, idempotency_key=f"python-{phone}") for phone in phones]
    again = client.create_contact({"phone_number": phones[0], "full_name": "Jan"}, idempotency_key=f"python-{phones[0]}")
    assert again["contact_id"] == contacts[0]["contact_id"], "sent twice, made once"
    listed = [contact["contact_id"] for contact in client.list_contacts(limit=1)]
    assert {contact["contact_id"] for contact in contacts} <= set(listed) and len(set(listed)) == len(listed), listed

    seen = client.list_events(limit=1).first()["pagination"]["total"]
    call = client.create_direct_call({"assistant_id": assistant, "contact_id": contacts[0]["contact_id"], "custom_data": {"order": 2**60 + 1}})["call_id"]
    heard = []
    for event in client.events(after=seen, call_id=call):
        heard.append(event["type"])
        said = event["message"]
        if said["type"] == "end-of-call-report":
            assert said["callStatus"] == "completed", said
            break
    assert heard[0] == "status-update", heard
    message = receiver.received.get(timeout=60)
    while message["type"] != "end-of-call-report":
        message = receiver.received.get(timeout=60)
    assert message["call"]["id"] == call and message["callStatus"] == "completed", message
    assert message["call"]["customData"]["order"] == 2**60 + 1, message
    assert client.get_call(call)["call_status"] == "completed"
    assert client.get_call_recording(call).startswith(b"RIFF")

    mistakes(client, url)
    for contact in contacts:
        client.delete_contact(contact["contact_id"])
    client.delete_assistant(assistant)


if __name__ == "__main__":
    address, key = os.environ["CALLWRIGHT_URL"], os.environ["CALLWRIGHT_API_KEY"]
    with Client(address, key) as way:
        journey(way, address)
    sys.stdout.write("the journey is over\n")

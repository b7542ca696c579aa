"""A server that responds as a test says: with what is left of its list, each time the next."""

from __future__ import annotations

import http.server
import json
import threading
from typing import Any, Self


class Response:
    """What the server does about one request."""

    def __init__(self, status: int = 200, body: Any = None, headers: dict[str, str] | None = None, text: bytes | None = None, cut: bool = False):
        self.status, self.headers, self.cut = status, headers or {}, cut  # cut: the connection breaks before all of the body is sent
        self.text = json.dumps(body).encode() if text is None else text


def refusal(status: int, code: str, wait: str | None = None) -> Response:
    """Returns an error as the API has it."""
    headers = {"X-Request-Id": "request-1"} | ({} if wait is None else {"Retry-After": wait})
    return Response(status, {"error": {"code": code, "message": "No.", "details": {"field": "is wrong"}}}, headers)


class Server:
    def __init__(self, *responses: Response) -> None:
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        rest = list(responses)
        requests = self.requests

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                requests.append((f"{self.command} {self.path}", {name.lower(): value for name, value in self.headers.items()}, body))
                response = rest.pop(0)
                self.send_response(response.status)
                self.send_header("Content-Type", "application/json")
                for name, value in response.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(response.text) + (100 if response.cut else 0)))
                self.end_headers()
                self.wfile.write(response.text)
                if response.cut:
                    self.wfile.flush()
                    self.close_connection = True

            do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = handle_any

            def log_message(self, *_: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

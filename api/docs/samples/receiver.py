import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))


def verified(headers, body: bytes) -> bool:
    """Reports whether a webhook is from Callwright and no older than five minutes."""
    id, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not at.isdigit() or abs(time.time() - int(at)) > 300:
        return False
    digest = hmac.new(KEY, f"{id}.{at}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected, signature) for signature in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not verified(self.headers, body):
            self.send_response(401)
            self.end_headers()
            return
        message = json.loads(body)["message"]
        if message["type"] == "end-of-call-report":
            print(message["call"]["id"], message["endedReason"], message.get("summary"), flush=True)
        self.send_response(204)  # taken: it is not sent again
        self.end_headers()


HTTPServer(("", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()

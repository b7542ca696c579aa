"""Requests to your server: who sent them, and what is in them. The signatures are those of Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import cast

from .errors import WebhookVerificationError
from .types import WebhookMessage

TOLERANCE = 300
"""Seconds that the clocks of sender and receiver may differ."""


def verify_webhook(payload: bytes | str, headers: Mapping[str, str], *secrets: str, now: float | None = None) -> WebhookMessage:
    """Returns the message of a request that one of the secrets signed within five minutes; its member "type" tells which it is.

    payload is the body as it arrived, before anything parsed it. The same event may arrive twice: its webhook-id is the same.
    Raises WebhookVerificationError.
    """
    body = payload.encode() if isinstance(payload, str) else payload
    lower = {name.lower(): value for name, value in headers.items()}
    event, sent, signatures = (lower.get("webhook-" + name, "") for name in ("id", "timestamp", "signature"))
    if not (event and sent and signatures):
        raise WebhookVerificationError("webhook-id, webhook-timestamp or webhook-signature is missing")
    if not sent.isascii() or not sent.isdigit():
        raise WebhookVerificationError("webhook-timestamp is not a Unix time in seconds")
    if abs((time.time() if now is None else now) - int(sent)) > TOLERANCE:
        raise WebhookVerificationError("webhook-timestamp is more than five minutes away from now")
    signed = f"{event}.{sent}.".encode() + body
    if not any([_matches(signed, signatures, secret) for secret in secrets]):
        raise WebhookVerificationError("no signature is by this secret")
    return _message(body)


def _matches(signed: bytes, signatures: str, secret: str) -> bool:
    expected = hmac.new(_key(secret), signed, hashlib.sha256).digest()
    found = False
    for signature in signatures.split(" "):
        version, _, encoded = signature.partition(",")
        if version == "v1":
            try:
                given = base64.b64decode(encoded, validate=True)
            except (binascii.Error, ValueError):
                continue
            found |= hmac.compare_digest(expected, given)
    return found


def _key(secret: str) -> bytes:
    """Returns the key of a secret: whsec_ and base64, or any text."""
    if not secret:
        raise WebhookVerificationError("the secret is empty")
    if not secret.startswith("whsec_"):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError) as error:
        raise WebhookVerificationError("the secret is not whsec_ and base64") from error


def _message(body: bytes) -> WebhookMessage:
    try:
        message = json.loads(body)["message"]
        if isinstance(message["type"], str):
            return cast(WebhookMessage, message)
    except (ValueError, KeyError, TypeError):
        pass
    raise WebhookVerificationError("the body has no message with a type")

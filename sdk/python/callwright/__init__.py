"""Client of the Callwright API.

>>> from callwright import Client
>>> client = Client("http://127.0.0.1:8080", "cw_test_…")
>>> for assistant in client.list_assistants(): ...
"""

from . import types
from .client import AsyncClient, Client
from .errors import APIConnectionError, APIError, CallwrightError, WebhookVerificationError
from .pages import AsyncPages, Page, Pages
from .stream import StreamEvent
from .version import VERSION as __version__
from .webhooks import verify_webhook

__all__ = [
    "APIConnectionError",
    "APIError",
    "AsyncClient",
    "AsyncPages",
    "CallwrightError",
    "Client",
    "Page",
    "Pages",
    "StreamEvent",
    "WebhookVerificationError",
    "__version__",
    "types",
    "verify_webhook",
]

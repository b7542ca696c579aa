"""When a request is sent again."""

from __future__ import annotations

import random

from .errors import CallwrightError

_FIRST, _LONGEST, _LONGEST_ASKED = 0.5, 8.0, 60.0


def wait_before(attempt: int, most: int, failure: CallwrightError) -> float | None:
    """Returns the seconds to wait before the retry that is numbered attempt, from 1; None: there is none.

    Every method may be repeated: a POST carries one Idempotency-Key in all its attempts.
    """
    if attempt > most or not failure.temporary:
        return None
    if failure.retry_after is not None:
        return failure.retry_after if failure.retry_after <= _LONGEST_ASKED else None
    return backoff(attempt)


def backoff(attempt: int) -> float:
    """Returns the seconds to wait where the server names none."""
    return float(min(_LONGEST, _FIRST * 2.0 ** min(attempt - 1, 16)) * random.uniform(0.5, 1))

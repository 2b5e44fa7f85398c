"""How a lost connection is resumed: the policy of the C++ client, for hosts that own the pipe or the tokens."""

from __future__ import annotations

import enum

from ._session import Status
from .enums import Code, Reason

WITHIN_SECONDS = 60.0  # from the loss, for all attempts
INTERVAL_SECONDS = 1.0  # between two attempts
NOT_NOW = (Code.BAD_TOKEN, Code.SOCKET, Code.CLOSED)  # errors of an attempt after which the next one is made


class Attempt(enum.Enum):
    """Ways to resume."""

    REJOIN = "rejoin"  # as the same player, with a token of the server
    RECONNECT = "reconnect"  # in a new session, with a new connect token


class Resumption:
    """Chooses the attempts after a loss.

    A restarted server does not answer the rejoin tokens of its former run. A server that cannot be reached does not
    answer either, and then no new token can be had. So the two kinds alternate while there is no answer.
    """

    def __init__(self, has_tokens: bool, can_rejoin: bool) -> None:
        self._has_tokens = has_tokens
        self._can_rejoin = can_rejoin  # else the library rejoins by itself
        self._lost_at: float | None = None
        self._last: Attempt | None = None
        self._next_at = 0.0

    def succeeded(self) -> None:
        """Ends the loss: the client plays."""
        self._lost_at = self._last = None

    def next(self, status: Status, reason: Reason | int, now: float) -> Attempt | None:
        """Returns the next attempt, to be made after `pause(now)` seconds. None if the client is closed for good."""
        if self._lost_at is None:
            self._lost_at = now
        rejoin = self._can_rejoin and status.can_rejoin
        reconnect = self._has_tokens and status.can_reconnect
        if now - self._lost_at > WITHIN_SECONDS or not (rejoin or reconnect):
            return None
        unanswered = reason == Reason.NO_ANSWER and self._last is not Attempt.RECONNECT
        self._last = Attempt.RECONNECT if reconnect and (not rejoin or unanswered) else Attempt.REJOIN
        return self._last

    def is_due(self, now: float) -> bool:
        """Returns whether the next attempt need not wait."""
        return now >= self._next_at

    def pause(self, now: float) -> float:
        """Returns how long to wait before the next attempt, and counts it as made then."""
        wait = max(0.0, self._next_at - now)
        self._next_at = now + wait + INTERVAL_SECONDS
        return wait

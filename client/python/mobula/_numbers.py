"""Numbers for calls of C. ctypes does not check them: those that do not fit lose their high bits."""

from __future__ import annotations

import operator
from typing import SupportsIndex

NANOSECONDS = 1_000_000_000


def unsigned(value: SupportsIndex, bits: int, what: str) -> int:
    """Returns a whole number of at most `bits` bits. Raises OverflowError for others."""
    number = operator.index(value)
    if not 0 <= number < 1 << bits:
        raise OverflowError(f"{what} is {number}, which is not 0 to 2**{bits} - 1")
    return number


def nanoseconds(seconds: float) -> int:
    """Returns a duration in nanoseconds. Raises OverflowError if it has more than 64 bits."""
    return unsigned(round(seconds * NANOSECONDS), 63, "a duration in nanoseconds")

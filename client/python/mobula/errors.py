"""The exception of this package."""

from __future__ import annotations

from .enums import Code, Reason, name_of


class Error(Exception):
    """A call that the library refused, or a connection that is closed.

    `code` is a Code, `text` is what was wrong. `reason` is why the connection is closed, if `code` is Code.CLOSED.
    """

    def __init__(self, code: int, text: str, reason: Reason | int = Reason.NONE) -> None:
        super().__init__(text)
        self.code = name_of(Code, code)
        self.text = text
        self.reason = reason

    def __str__(self) -> str:
        name = self.code.name if isinstance(self.code, Code) else str(self.code)
        return f"{self.text} [{name}]"

"""How the device says no."""

from __future__ import annotations


class RefusedError(Exception):
    """The device's own words for a line it does not take. `column` places a caret, None prints no caret."""

    def __init__(self, message: str, column: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.column = column

"""What stops a set-up, always with what to do about it."""


class SetupError(Exception):
    """A set-up cannot go on.

    `message` is one sentence on what is wrong, `remedy` one on what to do; both are shown.
    """

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}\n  what to do: {self.remedy}"

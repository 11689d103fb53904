"""The library `sushy`: imported on first use, and read with some care."""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import Any


def systems_of(root: Any) -> list[Any]:
    """The systems that a BMC lists. A DGX's lists a log service among them, which is passed over."""
    exceptions = sushy().exceptions
    found = []
    for path in root.get_system_collection().members_identities:
        with suppress(exceptions.ResourceNotFoundError, exceptions.MissingAttributeError):
            system = root.get_system(path)
            if "ComputerSystem" in str(system.json.get("@odata.type", "ComputerSystem")):
                found.append(system)
    return found


def sushy() -> Any:
    """`sushy`, imported on first use; previews do without."""
    with warnings.catch_warnings():
        # The library still reaches for package metadata in an old way on import.
        warnings.simplefilter("ignore", DeprecationWarning)
        import sushy as imported  # noqa: PLC0415 - on first use
    return imported


def hostile(error: BaseException) -> BaseException | None:
    """Why an answer was not acted upon, where that is behind the library's error."""
    from podwright.components.providers.redfish.connector import HostileError  # noqa: PLC0415 - on first use

    return error.__context__ if isinstance(error.__context__, HostileError) else None


def cause(error: BaseException) -> str:
    """The innermost reason in a chain of wrapped network errors."""
    text = str(error)
    for mark in ("Caused by ", "Error: ", "error: "):
        if mark in text:
            text = text.rsplit(mark, 1)[1]
    return text.strip("()' \n") or type(error).__name__

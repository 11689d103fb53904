"""A BMC's own restart, by itself after new firmware or by Manager.Reset (DSP0268: Manager). The host runs on.

While it lasts connections are closed without an answer. Sessions and tasks are gone afterwards, as is usual of BMCs
that keep them in memory (bmcweb's tasks).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import flask

from podwright.lab.redfish import errors

GRACE_SECONDS = 0.3
"""From an order, or the end of an update's task, to the restart; a BMC takes some seconds."""
SECONDS = 0.5
"""How long one takes; a BMC needs two to five minutes."""
RESET_TYPES = ("GracefulRestart", "ForceRestart")


class Restarts:
    """Whether one BMC is away. `happens` is called in the middle of each restart."""

    def __init__(self) -> None:
        self._until = 0.0
        self.happens: list[Callable[[], None]] = []

    def away(self) -> bool:
        """True while nobody is answered."""
        return time.monotonic() < self._until

    def order(self) -> None:
        """Restart in a moment."""
        timer = threading.Timer(GRACE_SECONDS, self._restart)
        timer.daemon = True
        timer.start()

    def _restart(self) -> None:
        self._until = time.monotonic() + SECONDS
        for each in self.happens:
            each()


def attach(app: flask.Flask, restarts: Restarts) -> None:
    """Serve the action Manager.Reset of the BMC's own manager."""

    def ordered(manager: str) -> flask.Response:
        del manager  # the one that the emulator lists; a baseboard's has no action
        body = flask.request.get_json(silent=True)
        kind = body.get("ResetType") if isinstance(body, dict) else None
        if kind not in RESET_TYPES:
            text = f"The value '{kind}' for the parameter ResetType in the action Manager.Reset is not in the list."
            return errors.answer(400, "ActionParameterValueNotInList", text)
        restarts.order()
        return flask.Response(status=204)

    app.add_url_rule("/redfish/v1/Managers/<manager>/Actions/Manager.Reset", "manager_reset", ordered, methods=["POST"])


def action(manager: str) -> dict[str, object]:
    """What the manager's resource says of it."""
    target = f"{manager}/Actions/Manager.Reset"
    return {"#Manager.Reset": {"target": target, "ResetType@Redfish.AllowableValues": list(RESET_TYPES)}}

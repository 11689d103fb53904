"""Orders of a controller's UpdateService, one request each: what it offers, an image, its task, its own restart."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from podwright.components.providers.protocol.kind import ProviderError
from podwright.components.providers.redfish import bios, library, tasks
from podwright.components.providers.redfish.image import Form
from podwright.components.providers.redfish.machine import BusyError, Machine

PUSH_SECONDS = 3600.0
"""For sending one image: a controller's network port takes some ten megabytes a second."""
ACTION = "#UpdateService.SimpleUpdate"
TIMES = "@Redfish.OperationApplyTimeSupport"


@dataclass(frozen=True)
class Offer:
    """What a controller's UpdateService takes: an order to fetch (`simple`) or an image (`push`), as places."""

    simple: str
    push: str
    protocols: tuple[str, ...]
    times: tuple[str, ...]


@dataclass(frozen=True)
class State:
    """How far a task is, in words for people; `failure` says why it came to nothing."""

    word: str
    over: bool = False
    failure: str = ""


def offered(machine: Machine) -> Offer:
    """What can be ordered. Raises ProviderError where nothing can."""
    with machine.asked("read its update service") as (connection, root):
        place = str((root.get("UpdateService") or {}).get("@odata.id") or "")
        service: Mapping[str, Any] = connection.get(place).json() if place else {}
    simple: Mapping[str, Any] = (service.get("Actions") or {}).get(ACTION) or {}
    target, push = str(simple.get("target") or ""), str(service.get("MultipartHttpPushUri") or "")
    if service.get("ServiceEnabled") is False or not (target or push):
        raise ProviderError(
            f"{machine.name}: its controller offers neither SimpleUpdate nor MultipartHttpPushUri; bring its firmware "
            "with the maker's tool, or take the images out of its approval, and it is compared only"
        )
    times = simple.get(TIMES) if target else service.get(f"MultipartHttpPushUri{TIMES}")
    protocols = tuple(simple.get("TransferProtocol@Redfish.AllowableValues") or ())
    return Offer(target, "" if target else push, protocols, tuple((times or {}).get("SupportedValues") or ()))


def pulled(machine: Machine, offer: Offer, body: Mapping[str, Any]) -> str:
    """Have the controller fetch an image; where its task is followed. Raises BusyError."""
    with machine.asked("order firmware") as (connection, _):
        return _begun(lambda: connection.ordered(offer.simple, body))


def pushed(machine: Machine, offer: Offer, form: Form) -> str:
    """Send an image to the controller; where its task is followed. Raises BusyError."""
    with machine.asked("send firmware", PUSH_SECONDS) as (connection, _):
        return _begun(lambda: connection.sent(offer.push, form, form.content_type))


def _begun(order: Any) -> str:
    try:
        reply = order()
    except library.sushy().exceptions.HTTPError as refused:
        if bios.for_a_while(refused):
            raise BusyError(f"{refused.detail or refused.code} (HTTP {refused.status_code})") from None
        raise
    return tasks.monitor(reply) or ""


def followed(machine: Machine, place: str) -> State:
    """One look at a task. One that is not there any more is over: what came of it is read from the inventory."""
    exceptions = library.sushy().exceptions
    with machine.asked("follow its update") as (connection, _):
        try:
            reply = connection.get(place)
        except exceptions.ResourceNotFoundError:
            return State("gone", over=True)
        except (exceptions.BadRequestError, exceptions.ServerSideError) as failed:
            # The answer of a monitor is that of the order: a refusal is how its task ended.
            if bios.for_a_while(failed):
                return State("not answering yet")
            return State("failed", failure=str(failed.detail or failed.code))
    found = tasks.document(reply)
    state, percent = found.get("TaskState"), found.get("PercentComplete")
    if state in tasks.FAILED:
        return State(str(state), failure=tasks.messages(reply) or f"its task ended as {state}")
    if state == "Completed" or (state is None and reply.status_code != 202):
        return State("Completed", over=True)
    return State(f"{state or 'Running'}, {percent} %" if percent is not None else str(state or "Running"))


def restarted(machine: Machine) -> bool:
    """Order the restart of the controller itself; False where it takes no such order."""
    system = machine.system
    with machine.asked("restart its controller") as (connection, _):
        for manager in system.managers:
            action = (manager.json.get("Actions") or {}).get("#Manager.Reset") or {}
            kinds = action.get("ResetType@Redfish.AllowableValues") or ["GracefulRestart"]
            able = [each for each in ("GracefulRestart", "ForceRestart") if each in kinds]
            if action.get("target") and able:
                with suppress(library.sushy().exceptions.ConnectionError):  # it may be gone before it answers
                    connection.ordered(str(action["target"]), {"ResetType": able[0]})
                return True
    return False

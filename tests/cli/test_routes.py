"""A Route on the status screen: named with its router's reason where users do not reach it."""

from typing import Any

import pytest

from podwright.cli.routes import unserved
from podwright.components.model import load
from podwright.components.providers.status.snapshot import Snapshot
from tools.generated import ROOT

CLUSTER = load(ROOT / "tests/examples/platform/Pulumi.platform.yaml")
TITLE = "Route chat/chat (chat.apps.platform.example.com)"
HELD = "a route in another namespace holds chat.apps.platform.example.com and is older than chat"
YES, NO = {"status": "True"}, {"status": "False", "reason": "HostAlreadyClaimed", "message": HELD}


def _unserved(*admitted: dict[str, Any], there: bool = True) -> list[str]:
    rows = [
        {"routerName": f"r{index}", "conditions": [{"type": "Admitted", **each}] if each else []}
        for index, each in enumerate(admitted)
    ]
    route = {
        "metadata": {"namespace": "chat", "name": "chat"},
        "spec": {"host": "chat.apps.platform.example.com"},
        "status": {"ingress": rows} if rows else {},
    }
    return [*unserved(CLUSTER, Snapshot({"Route": (route,) if there else ()}))]


@pytest.mark.parametrize(
    ("admitted", "found"),
    [
        ((YES,), []),
        ((), [f"{TITLE} is served by no router: none has admitted or refused it"]),
        ((NO,), [f"{TITLE} is not served by router r0: HostAlreadyClaimed: {HELD}"]),
        ((YES, NO), [f"{TITLE} is not served by router r1: HostAlreadyClaimed: {HELD}"]),
        (({},), [f"{TITLE} is not served by router r0"]),
    ],
)
def test_each_router_that_does_not_serve_it_is_named_with_its_reason(
    admitted: tuple[dict[str, Any], ...], found: list[str]
) -> None:
    assert _unserved(*admitted) == found


def test_one_that_is_not_there_is_the_plans_matter() -> None:
    assert _unserved(there=False) == []

"""Ports of interconnects that are Fibre Channel or broken out: refused where the model has none, else a restart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.intersight.blades import WORLD, deployed, port
from tests.lab.intersight.conftest import Bench
from tests.waiting import until


@pytest.fixture
def domain(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Bench]:
    form = f"variants: {{port-mode: {request.param}}}\n" if hasattr(request, "param") else ""
    bench = Bench(tmp_path, WORLD + form)
    bench.world.fault({"kind": "intersight", "validate": 0.02, "configure": 0.02, "discovery": 0.05})
    yield bench
    bench.close()


def policy(bench: Bench, model: str) -> dict[str, str]:
    return {"Moid": bench.client.create("fabric/PortPolicies", bench.named(f"p-{model}", DeviceModel=model))["Moid"]}


def mode(owner: dict[str, str], first: int, last: int, name: str) -> dict[str, Any]:
    return {"SlotId": 1, "PortIdStart": first, "PortIdEnd": last, "CustomMode": name, "PortPolicy": owner}


def refusal(bench: Bench, path: str, body: dict[str, Any]) -> str:
    answer = bench.client.raw("POST", path, body)
    assert answer.status_code == 400
    return str(answer.json()["message"])


@pytest.mark.parametrize(
    ("model", "first", "last", "name", "why"),
    [
        ("UCS-FI-6536", 1, 4, "FibreChannel", "Ports 1 to 4 of UCS-FI-6536 do not support 'FibreChannel'"),
        ("UCS-FI-6536", 32, 33, "BreakoutFibreChannel32G", "do not support 'BreakoutFibreChannel32G'"),
        ("UCS-FI-6454", 48, 49, "BreakoutEthernet25G", "do not support 'BreakoutEthernet25G'"),
        ("UCS-FI-6454", 5, 8, "FibreChannel", "begin with 1"),
        ("UCS-FI-6454", 8, 5, "FibreChannel", "ends before it begins"),
        ("UCS-FI-6664", 25, 41, "FibreChannel", "do not support"),
    ],
)
def test_a_mode_that_the_model_has_not_is_refused(
    domain: Bench, model: str, first: int, last: int, name: str, why: str
) -> None:
    answer = refusal(domain, "fabric/PortModes", mode(policy(domain, model), first, last, name))
    assert why in answer


def test_a_port_has_one_use(domain: Bench) -> None:
    owner = policy(domain, "UCS-FI-6536")
    domain.client.create("fabric/PortModes", mode(owner, 33, 34, "BreakoutFibreChannel32G"))
    role = {"SlotId": 1, "PortPolicy": owner}
    answer = refusal(domain, "fabric/ServerRoles", role | {"PortId": 34})
    assert "Port 34 is used by fabric.PortMode" in answer
    domain.client.create("fabric/ServerRoles", role | {"PortId": 1, "AggregatePortId": 34})
    domain.client.create("fabric/ServerRoles", role | {"PortId": 35})
    answer = refusal(domain, "fabric/PortModes", mode(owner, 35, 35, "BreakoutEthernet25G"))
    assert "Port 35 is used by fabric.ServerRole" in answer


@pytest.mark.parametrize("domain", ["restart", "running"], indirect=True)
def test_a_deployment_of_another_mode_restarts_the_interconnect(domain: Bench) -> None:
    found = deployed(domain)
    assert until(lambda: port(domain, "A", 9)["OperState"] == "up")
    (owner,) = domain.client.list("fabric/PortPolicies")
    domain.client.create("fabric/PortModes", mode({"Moid": owner["Moid"]}, 33, 36, "BreakoutFibreChannel32G"))
    restarts = domain.world.variants["port-mode"] == "restart"
    domain.world.fault({"kind": "intersight", "interconnect_restart": 0.3})
    path = f"fabric/SwitchProfiles/{found['A']['Moid']}"
    domain.until_state(path, "Pending-changes")
    domain.client.ok("PATCH", path, {"Action": "Deploy"})
    view = domain.world.interconnect_views["x-a"]
    assert until(lambda: len(view.configured.modes) == 4)
    assert view.alive is not restarts
    assert until(lambda: view.alive)
    assert until(lambda: port(domain, "A", 9)["OperState"] == "up")
    assert domain.world.interconnect_views["x-b"].configured.modes == frozenset()

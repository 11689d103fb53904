"""One password for all BMCs is not needed: from the stack file's field to the machine that takes no other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.cli.world import world
from podwright.components import model
from podwright.components.design import compute
from podwright.components.design.compute import install
from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.reach import Reach
from podwright.components.providers.redfish.module import KINDS
from podwright.lab.redfish.side import start
from tests.lab.bench import make_world
from tools import goldens

SERVER = KINDS[0]


def example() -> model.Cluster:
    return model.load(goldens.stack_file("top-of-rack"))


async def test_a_server_may_name_a_password_of_its_own(tmp_path: Path) -> None:
    """`node-d` of the example does; its machine in the lab takes that one and not the one of the others."""
    cluster = example()
    assert cluster.bmc is not None
    rack, lab = make_world(tmp_path, yaml.safe_dump(json.loads(json.dumps(world(cluster)))))
    side = start(rack, lab)
    try:
        side.fault({"power_seconds": 0.05})
        reach = Reach(forward=side.forward, ca=lab.ca.path, secrets=lab.secrets)
        ctx = Context(config={"credentials": {"user": "admin", "secret": "bmc-admin"}}, reach=reach)
        specs = {
            name: compute.redfish_server(name, cluster.servers[name], cluster.bmc) for name in ("node-c", "node-d")
        }
        assert {name: spec["credential"] for name, spec in specs.items()} == {
            "node-c": "bmc-admin",
            "node-d": "bmc-node-d",
        }
        for spec in specs.values():
            made = await SERVER.create({"spec": {**spec, "bios": {}}}, ctx)
            assert made.outputs["serial"] == spec["serial"]
        with pytest.raises(ProviderError, match="does not accept the login"):
            await SERVER.create({"spec": {**specs["node-d"], "bios": {}, "credential": "bmc-admin"}}, ctx)
    finally:
        side.stop()
        rack.close()


def test_the_installation_and_the_pools_take_it_too() -> None:
    cluster = example()
    assert cluster.bmc is not None
    given: Any = {name: install.bmc_secret(server, cluster.bmc) for name, server in cluster.servers.items()}
    assert {name for name, secret in given.items() if secret == "bmc-node-d"} == {"node-d"}
    hosts = [install._host(name, server, cluster.bmc) for name, server in cluster.servers.items()]
    assert {host["name"]: host["credential"] for host in hosts} == given

"""A whole `up` of servers on the lab's Intersight, without the engine: what depends on nothing missing runs at once."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from podwright.components.design.compute import RolePlan, role
from podwright.components.model import Domain, Intersight, Server, Site
from podwright.components.providers.protocol.kind import Incomplete
from tests.providers.intersight.conftest import BY_TOKEN, KEY_ID, Driver, Stand

ACCOUNT = Intersight(key_id=KEY_ID)
SITE = Site.model_validate_json(
    json.dumps(
        {"ntp": ["192.0.2.1"], "dns": ["192.0.2.1"], "domain": "x.example", "racks": {"r1": {"power_domain": "f"}}}
    )
)
COMMON = {"pool": "control-plane", "rack": "r1", "disk": "/dev/nvme0n1"}
SERVERS: dict[str, dict[str, Any]] = {
    "cp-01": {"model": "UCSC-C225-M8N", "serial": "WZP00000011", "bmc": "192.0.2.111"},
    "inf-01": {"model": "UCSC-845A-M8", "serial": "WZP00000021", "bmc": "192.0.2.121"},
    "blade-01": {"model": "UCSX-210C-M7", "serial": "FCH00000031", "domain": "x"},
}
DOMAIN = {
    "model": "UCS-FI-6536",
    "serials": {"A": "FDO000000A1", "B": "FDO000000B1"},
    "rack": "r1",
    "uplinks": [1, 2],
    "server_ports": [9, 10],
}


class Wave:
    """Every object of a plan, as an engine holds them in its state; left out, it is that of three servers and a pair of
    interconnects."""

    def __init__(self, stand: Stand, plan: RolePlan | None = None, organization: str = "default") -> None:
        self.stand = stand
        plan = plan or _small()
        self._drivers: dict[str, Driver] = {}
        self._needs: dict[str, frozenset[str]] = {}
        for each in (*plan.pools, *plan.policies):
            kind = BY_TOKEN["Pool" if each in plan.pools else "Policy"]
            self._add(each.name, Driver(stand, kind, each.spec(organization)), each.needs)
        policies = frozenset(self._drivers)
        for template in plan.templates:
            kind = BY_TOKEN[f"{template.of.capitalize()}ProfileTemplate"]
            self._add(f"template {template.name}", Driver(stand, kind, dict(template.spec)), policies)
        shared = frozenset(self._drivers)
        pairs = frozenset(f"domain {name}" for name in plan.domains)
        for name, profile in plan.domains.items():
            self._add(f"domain {name}", Driver(stand, BY_TOKEN["DomainProfile"], dict(profile.spec)), shared)
        for name, profile in plan.chassis.items():
            self._add(f"chassis {name}", Driver(stand, BY_TOKEN["ChassisProfile"], dict(profile.spec)), shared | pairs)
        for name, profile in plan.profiles.items():
            needs = shared | pairs if profile.spec["target_platform"] == "FIAttached" else shared
            self._add(f"profile {name}", Driver(stand, BY_TOKEN["ServerProfile"], dict(profile.spec)), needs)

    def _add(self, name: str, driver: Driver, needs: frozenset[str]) -> None:
        # What it needs and no plan makes (roles of the account) is there.
        self._drivers[name], self._needs[name] = driver, needs & set(self._drivers)

    async def up(self) -> list[Exception]:
        """Create what is not there, update what is not as asked; what failed, in any order."""
        done: set[str] = set()
        failed: list[Exception] = []
        left = dict(self._drivers)
        while ready := [name for name in left if self._needs[name] <= done]:
            ended = await asyncio.gather(*(_stand(left.pop(name)) for name in ready), return_exceptions=True)
            for name, problem in zip(ready, ended, strict=True):
                if problem is None:
                    done.add(name)
                elif isinstance(problem, Exception):
                    failed.append(problem)
                else:
                    raise problem
        assert failed or not left, f"never begun: {', '.join(left)}"
        return failed

    async def drift(self) -> dict[str, list[str]]:
        """What a refresh finds changed, by object."""
        found = {name: await driver.drift() for name, driver in self._drivers.items()}
        return {name: paths for name, paths in found.items() if paths}

    def specs(self) -> dict[str, dict[str, Any]]:
        """Every object's spec by the object's own name."""
        return {driver.spec["name"]: driver.spec for driver in self._drivers.values()}

    def put(self, specs: Mapping[str, dict[str, Any]]) -> None:
        """Take these specs in place of those of the same names."""
        for driver in self._drivers.values():
            driver.inputs["spec"] = specs.get(driver.spec["name"], driver.spec)

    def switches(self) -> list[tuple[str, str]]:
        """Properties of these policies that are on or off: the policy's name, and the property's."""
        return [
            (name, key)
            for name, driver in self._drivers.items()
            for key, value in driver.spec.get("properties", {}).items()
            if isinstance(value, bool)
        ]

    def turn(self, name: str, key: str) -> None:
        """Somebody turns a switch in Intersight."""
        spec = self._drivers[name].spec
        now = self.stand.live(spec["object_type"], spec["name"])[key]
        self.stand.edit(spec["object_type"], spec["name"], {key: not now})

    def objects(self) -> Counter[str]:
        """What the account has, by type and name."""
        return self._counted(lambda mo: mo.get("Name") and not mo["ObjectType"].startswith("workflow."))

    def workflows(self) -> Counter[str]:
        """What has run, by name; how many of each."""
        return self._counted(lambda mo: mo["ObjectType"] == "workflow.WorkflowInfo")

    def _counted(self, of: Callable[[Mapping[str, Any]], Any]) -> Counter[str]:
        return Counter(f"{mo['ObjectType']} {mo['Name']}" for mo in self.stand.store.objects.values() if of(mo))


async def _stand(driver: Driver) -> None:
    try:
        if not driver.id:
            await driver.create()
        elif await driver.gone():
            driver.id = ""
            await driver.create()
        else:
            await driver.update()
    except Incomplete as left:
        driver.id, driver.outputs = left.id, dict(left.outputs)
        raise


def drawn_plan(inventory: Mapping[str, Any]) -> RolePlan:
    """The plan of what `tests.e2e.inventory_of_servers` drew: of the servers that Intersight manages."""
    servers = {name: Server.model_validate_json(json.dumps(each)) for name, each in inventory["servers"].items()}
    domains = {name: Domain.model_validate_json(json.dumps(each)) for name, each in inventory["domains"].items()}
    account, site = (json.dumps(inventory[each]) for each in ("intersight", "site"))
    return role(
        inventory["cluster"],
        servers,
        domains,
        Intersight.model_validate_json(account),
        Site.model_validate_json(site),
        None,
    )


def _small() -> RolePlan:
    servers = {name: _server(number, each) for number, (name, each) in enumerate(SERVERS.items(), 1)}
    domains = {"x": Domain.model_validate_json(json.dumps(DOMAIN))}
    return role("t", servers, domains, ACCOUNT, SITE, None)


def _server(number: int, defined: dict[str, Any]) -> Server:
    place = {"index": number, "address": f"192.0.2.{30 + number}", "boot_mac": f"02:00:00:00:0a:0{number}"}
    return Server.model_validate_json(json.dumps({**COMMON, **place, **defined}))

"""Every leaf of a spec, changed alone, shows as exactly that change at exactly that place."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from podwright.components.providers.intersight.module import KINDS as INTERSIGHT
from podwright.components.providers.openshift.install import settled
from podwright.components.providers.openshift.module import KINDS as OPENSHIFT
from podwright.components.providers.protocol.kind import Kind
from podwright.components.providers.redfish.module import KINDS as REDFISH
from tests.providers.intersight import specs as intersight
from tests.providers.openshift import test_installer as installer
from tests.providers.redfish import test_server as redfish

BY_TOKEN = {kind.token.partition(":")[2]: kind for kind in (*INTERSIGHT, *OPENSHIFT, *REDFISH)}
BUCKET = [{"object_type": "ntp.Policy", "name": "a"}, {"object_type": "bios.Policy", "name": "b"}]
SPECS: dict[str, dict[str, Any]] = {
    "intersight:Policy": intersight.lan(),
    "intersight:Pool": intersight.macs(),
    "intersight:ServerProfile": intersight.profile(
        ("ntp.Policy", "a"), ("bios.Policy", "b"), digest="x", approved_disruptions=["Reboot"], adopt=False
    ),
    "intersight:DomainProfile": {
        "schema": 1,
        "name": "d",
        "organization": "default",
        "serials": {"A": "FDO1", "B": "FDO2"},
        "policies": {"A": copy.deepcopy(BUCKET), "B": copy.deepcopy(BUCKET)},
        "action": "deploy",
        "approved_disruptions": ["Reboot"],
    },
    "redfish:Server": redfish.SPEC,
    "openshift:Install": installer.spec(),
    "openshift:OperatorInstall": {
        "schema": 1,
        "namespace": "n",
        "subscription": "s",
        "csv": "c",
        "dependencies": ["d"],
    },
    "openshift:Rollout": {
        "schema": 1,
        "pool": "p",
        "nodes": [{"name": "a", "bmc": "192.0.2.1", "serial": "S", "credential": "c"}, "b"],
        "trigger": "t",
        "max_unavailable": 1,
        "drain_seconds": 60,
    },
}


def leaves(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    else:
        yield path


CASES = [(token, path) for token, spec in SPECS.items() for path in leaves({"spec": spec}, ()) if path[1] != "schema"]


@pytest.mark.parametrize(("token", "path"), CASES, ids=[f"{t}-{'.'.join(map(str, p[1:]))}" for t, p in CASES])
def test_a_leaf_changed_alone_shows_alone(token: str, path: tuple[str | int, ...]) -> None:
    kind: Kind = BY_TOKEN[token]
    old = {"spec": SPECS[token]}
    new = copy.deepcopy(old)
    place: Any = new
    for step in path[:-1]:
        place = place[step]
    value = place[path[-1]]
    place[path[-1]] = (not value) if isinstance(value, bool) else value + 1 if isinstance(value, int) else f"{value}x"
    changed = set(kind.diff(old, new, {}).changes)
    if token == "openshift:Install" and path[1] == "hosts" and path[-1] == "name":
        # Another name is another host: every leaf of it.
        assert {each[:3] for each in changed} == {path[:3]}
    elif token == "openshift:Install" and settled.of_the_program_alone(path):
        # What only the first boot reads is no difference of a cluster that runs.
        assert changed == set()
    else:
        assert changed == {path}
    assert kind.diff(old, copy.deepcopy(old), {}).changes == {}

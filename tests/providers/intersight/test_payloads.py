"""What is sent passes the classes of Cisco's SDK, which know nothing of our table; what they refuse is never sent."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from podwright.components.intersight_table.table import object_types, path_of
from podwright.components.providers.intersight.compare import merged
from podwright.components.providers.intersight.module import POLICIES
from podwright.components.providers.intersight.table import NOT_SAID_HERE, OWN, rules_of
from podwright.components.providers.intersight.transport import Client
from podwright.components.providers.protocol.kind import Unknown
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import standing
from tests.providers.intersight.sdk import refusal
from tests.providers.intersight.test_check import problems, syslog, twins
from tests.providers.intersight.test_other_forms import SECRETS, managed, text
from tests.providers.intersight.wave import Wave

KINDS = {path_of(kind): kind for kind in object_types()}
Sent = list[tuple[str, Mapping[str, Any]]]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """Type and body of every write."""
    found: Sent = []
    write = Client.write

    async def noted(self: Client, method: str, path: str, body: Any, headers: Mapping[str, str], what: str) -> Any:
        kind = next((KINDS[each] for each in (path, path.rpartition("/")[0]) if each in KINDS), path)
        found.extend([(kind, body)] if body is not None else [])
        return await write(self, method, path, body, headers, what)

    monkeypatch.setattr(Client, "write", noted)
    return found


@pytest.mark.parametrize("stack", [pytest.param(each, marks=pytest.mark.rough) for each in ("lab", "prod")])
async def test_every_value_of_every_payload_of_a_stack_passes_the_sdk(tmp_path: Path, stack: str, sent: Sent) -> None:
    plan, world, organization = managed(stack)
    with standing(tmp_path, text=text(world)) as stand:
        stand.fault(discovery=0.05)
        for name in SECRETS:
            (stand.lab.secrets / name).write_text("a-Password-1")
        assert await Wave(stand, plan, organization).up() == []
    assert len(sent) > 40
    assert [why for kind, body in sent if (why := refusal(kind, body))] == []


async def test_every_value_of_every_payload_passes_the_sdk(tmp_path: Path, sent: Sent) -> None:
    with standing(tmp_path) as stand:
        assert await Wave(stand).up() == []
    assert len({kind for kind, _ in sent}) > 20
    assert [why for kind, body in sent if (why := refusal(kind, body))] == []


def _body(spec: Mapping[str, Any]) -> dict[str, Any]:
    rules = rules_of(spec["object_type"])
    return {"Name": spec["name"]} | {
        name: merged(value, None, rules[name]) for name, value in spec["properties"].items() if value is not None
    }


def _unsettled(value: Any) -> bool:
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return isinstance(value, Unknown) or any(map(_unsettled, inner))


RIGHT = (
    specs.ntp(),
    specs.bios(),
    specs.qos(),
    specs.vlans(),
    specs.policy("boot.PrecisionPolicy", "b", {"BootDevices": [{"ObjectType": "boot.Nvme", "Name": "d"}]}),
    syslog("a.b"),
    specs.macs(),
)


def test_no_twin_that_the_sdk_refuses_passes_the_check() -> None:
    """Of each spec's properties one is of another type, out of its words or range, or misspelt."""
    tried, passed = 0, []
    for spec in (*RIGHT, *(specs.policy(kind, "t", {}) for kind in POLICIES)):
        token = "Pool" if spec["object_type"].endswith(".Pool") else "Policy"
        rules = rules_of(spec["object_type"])
        for properties in twins({**_some(rules), **spec["properties"]}):
            twin = {**spec, "properties": properties}
            tried += 1
            if not _unsettled(properties) and problems(token, twin) == []:
                passed.append(twin)
    assert tried >= 2500 and passed
    wrong = [(why, twin["properties"]) for twin in passed if (why := refusal(twin["object_type"], _body(twin)))]
    assert wrong == []


def _some(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Right values of further properties: the first word of their choice, their lowest number, on."""
    given: dict[str, Any] = {}
    for name, rule in rules.items():
        if rule.get("fixed") or rule.get("list") or rule.get("secret") or name in (*NOT_SAID_HERE, *OWN):
            continue
        if "one_of" in rule:
            given[name] = rule["one_of"][0]
        elif rule["kind"] == "integer":
            given[name] = rule.get("low", 1)
        elif rule["kind"] == "boolean":
            given[name] = True
    return dict(random.Random(10).sample(sorted(given.items(), key=lambda each: each[0]), min(40, len(given))))

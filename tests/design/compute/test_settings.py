"""Settings of roles and servers in the plan: whose policy a server has, and the node's threads beside the BIOS's."""

from typing import Any

import pytest

from podwright.components.design.compute import bios
from podwright.components.design.hardware import SERVERS
from podwright.components.model import Cluster, Settings, Smt, load
from podwright.components.providers.intersight.module import KINDS
from podwright.components.providers.protocol.kind import CheckContext
from tests.design import whole
from tools.generated import ROOT

OFF = {"enabled": False, "reason": "two ranks never share a core"}


def planned(**changes: Any) -> tuple[Cluster, Any]:
    """The large stack with settings: `roles`, and settings by server."""
    said = load(ROOT / "Pulumi.prod.yaml").model_dump(mode="json")
    said["compute"]["roles"] = changes.pop("roles", {})
    for name, settings in changes.items():
        said["servers"][name.replace("_", "-")] |= settings
    cluster = load(said)
    return cluster, whole.compute(cluster)


def bios_of(plan: Any, host: str) -> tuple[str, dict[str, Any]]:
    """Name and properties of a server's BIOS policy."""
    (profile,) = [each for each in plan.profiles if each.name == host]
    (policy,) = [each for each in profile.policies if each.object_type == "bios.Policy"]
    return policy.name, dict(policy.properties)


def test_a_roles_servers_share_a_policy_and_one_with_a_value_of_its_own_has_its_own() -> None:
    before = whole.compute(load(ROOT / "Pulumi.prod.yaml"))
    roles = {"serving": {"pools": ["inference"], "bios": {"Snc": "SNC2"}}}
    _, plan = planned(roles=roles, inf_02={"bios": {"PwrPerfTuning": "os"}})
    default, tokens = bios_of(before, "inf-01")
    assert bios_of(plan, "inf-01") == (f"{default}-serving", {**tokens, "Snc": "SNC2"})
    assert bios_of(plan, "inf-03") == bios_of(plan, "inf-01")
    assert bios_of(plan, "inf-02") == ("prod-bios-inf-02", {**tokens, "Snc": "SNC2", "PwrPerfTuning": "os"})
    assert bios_of(plan, "cp-01") == bios_of(before, "cp-01")
    changed = {host for host, digest in plan.digests.items() if digest != before.digests[host]}
    assert changed == {"inf-01", "inf-02", "inf-03"}, "only these have something that waits for a restart"


def test_the_example_of_roles_passes_the_providers_check() -> None:
    plan = whole.compute(load(ROOT / "tests/examples/roles/Pulumi.roles.yaml"))
    checks = {kind.token: kind for kind in KINDS}
    wrong = [
        failure
        for each in plan.policies
        for failure in checks["podwright:intersight:Policy"].check({"spec": each.spec("x")}, CheckContext())
    ]
    assert wrong == []
    assert {plan.redfish[host]["bios"]["TpmControl"] for host in plan.redfish} == {"enabled"}


def test_null_leaves_a_token_at_the_platforms_default() -> None:
    _, plan = planned(cp_01={"bios": {"Snc": None}})
    assert "Snc" not in bios_of(plan, "cp-01")[1]


@pytest.mark.parametrize(("enabled", "processors"), [(True, "2-63,66-127,130-191,194-255"), (False, "4-63,68-127")])
def test_one_value_sets_the_bios_and_the_isolated_processors(enabled: bool, processors: str) -> None:
    cluster, plan = planned(roles={"training": {"pools": ["training"], "smt": {**OFF, "enabled": enabled}}})
    assert plan.redfish["gpu-01"]["bios"]["SmtMode"] == ("Auto" if enabled else "Off")
    (profile,) = [each for each in whole.platform(cluster).manifests if each["kind"] == "PerformanceProfile"]
    assert profile["spec"]["cpu"]["isolated"] == processors


@pytest.mark.parametrize(
    ("model", "token"),
    [
        ("UCSC-845A-M8", {"CbsCpuSmtCtrl": "Disable"}),
        ("UCSC-C225-M8N", {"SmtMode": "Off"}),
        ("UCSX-210C-M7", {"IntelHyperThreadingTech": "disabled"}),
    ],
)
def test_threads_per_core_have_a_token_on_every_platform(model: str, token: dict[str, str]) -> None:
    settings = Settings(smt=Smt(enabled=False, reason="two ranks never share a core"))
    assert token.items() <= bios.attributes(SERVERS[model], 0, settings).items()


def test_a_c845a_takes_an_override_as_an_object_of_its_token() -> None:
    made = bios.policy(SERVERS["UCSC-845A-M8"], 8, Settings(bios={"CbsDfCmnDramNps": "NPS4"}))
    tokens = {each["ObjectType"]: each["Value"] for each in made["BiosConfigurations"][0]["BiosTokens"]}
    assert tokens["bios.CbsDfCmnDramNpsC845BiosToken"] == "NPS4"


def test_every_default_has_a_reason() -> None:
    for model in SERVERS.values():
        assert all(len(reason) > 15 for _, reason in bios.defaults(model, 8).values())

"""Which templates of chassis profiles a plan has, and which chassis share one."""

from typing import Any

import pytest

from podwright.components.model import load
from podwright.components.providers.intersight.module import KINDS
from podwright.components.providers.protocol.kind import CheckContext
from tests.design import whole
from tools.generated import ROOT

STACK = ROOT / "tests/examples/chassis/Pulumi.chassis.yaml"
KIND = {kind.token: kind for kind in KINDS}["podwright:intersight:ChassisProfileTemplate"]


def planned(**boxes: dict[str, Any]) -> Any:
    """The example with these chassis; each is what its profile says beside its serial number."""
    wanted = load(STACK).model_dump(mode="json")
    wanted["domains"]["x"]["derived"] = False
    former = wanted["domains"]["x"]["chassis"]["x-1"]
    wanted["domains"]["x"]["chassis"] = {
        name.replace("_", "-"): {
            **former, **about.pop("chassis", {}), "profile": {"serial": f"FOX0000004{number + 3}", **about},
        }
        for number, (name, about) in enumerate(boxes.items())
    }  # fmt: skip
    return whole.compute(load(wanted))


def derived(plan: Any) -> dict[str, list[str]]:
    """Chassis by the template that their profile names."""
    found: dict[str, list[str]] = {each.name: [] for each in plan.templates if each.of == "chassis"}
    for each in plan.chassis:
        if "template" in each.spec:
            found[each.spec["template"]].append(each.name)
    return found


def test_chassis_of_the_same_power_and_fans_share_a_template_with_what_their_profiles_list() -> None:
    plan = planned(
        x_1={"derived": True},
        x_2={"derived": True},
        x_3={"derived": True, "fans": "Acoustic"},
        x_4={"fans": "LowPower"},
    )
    assert derived(plan) == {
        "chassis-template-chassis-grid-balanced": ["x-1", "x-2"],
        "chassis-template-chassis-grid-acoustic": ["x-3"],
    }
    specs = {each.name: each.spec for each in plan.chassis}
    for each in plan.templates:
        assert KIND.check({"spec": each.spec}, CheckContext()) == []
        assert all(specs[name]["policies"] == each.spec["policies"] for name in derived(plan)[each.name])
    power = {spec["policies"][0]["name"] for spec in specs.values()}
    assert power == {"chassis-power-grid", "chassis-power-x-4"} <= {each.name for each in plan.policies}


@pytest.mark.parametrize(
    "other",
    [{"power_save": False}, {"lends_reserve": True}, {"limit_watts": 9000}, {"chassis": {"redundancy": "N+1"}}],
    ids=lambda other: next(iter(other)),
)
def test_a_value_of_its_own_is_a_template_of_its_own(other: dict[str, Any]) -> None:
    plan = planned(x_1={"derived": True}, x_2={"derived": True, **other})
    assert sorted(derived(plan).values()) == [["x-1"], ["x-2"]]
    one, two = (each.spec["policies"][0]["name"] for each in plan.chassis)
    policies = {each.name: each.properties for each in plan.policies}
    assert policies[one] != policies[two]


def test_a_profile_holds_its_policies_itself_where_the_file_does_not_say_otherwise() -> None:
    plan = planned(x_1={})
    (box,) = plan.chassis
    assert (plan.templates, "template" in box.spec, box.spec["policies"][0]["name"]) == ((), False, "chassis-power-x-1")


def test_a_template_is_taken_on_where_the_file_lists_it() -> None:
    cluster = load(STACK)
    assert cluster.intersight
    account = cluster.intersight.model_copy(update={"adopt": ("chassis-template-chassis-grid-highpower",)})
    plan = whole.compute(cluster.model_copy(update={"intersight": account}))
    (template,) = (each for each in plan.templates if each.of == "chassis")
    assert template.spec["adopt"] is True

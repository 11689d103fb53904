"""The example of a chassis, a rack server behind the same interconnects, and firmware by family."""

from podwright.cli import world as worlds
from podwright.components import model
from podwright.components.changes.impact import impacts
from podwright.components.changes.row import ChangeClass
from podwright.components.design import fabric
from podwright.components.design.compute import chassis, role, uuids
from podwright.components.design.fabric.failures import effects
from podwright.components.model import Domain, Role, blades
from podwright.components.model.port_modes import PortMode
from podwright.components.model.uuids import Uuids
from tests.design import whole
from tools.generated import ROOT

PROFILE = "podwright:intersight:ServerProfile"
CLUSTER = model.load(ROOT / "tests/examples/chassis/Pulumi.chassis.yaml")


def test_blades_and_the_rack_server_are_attached_and_each_has_the_firmware_of_its_family() -> None:
    plan = whole.compute(CLUSTER)
    found = {
        each.spec["name"]: (each.spec["target_platform"], (each.spec.get("firmware") or {}).get("version"))
        for each in plan.profiles
    }
    assert found == {
        **{f"cp-{number}": ("Standalone", None) for number in (1, 2, 3)},
        **{f"inf-{number}": ("FIAttached", "6.0(2.260040)") for number in (11, 12)},
        "inf-13": ("FIAttached", "6.0(2.260044)"),
        "big-14": ("FIAttached", "6.0(2.260040)"),
    }
    policies = [each.name for each in plan.policies if each.object_type == "firmware.Policy"]
    families = ("ucsx-215c-m8", "ucsc-c240-m8", "ucsx-410c-m7")
    assert sorted(policies) == sorted(f"{CLUSTER.name}-firmware-{family}-attached" for family in families)


def test_a_blade_without_a_serial_number_is_bound_to_its_slot_everywhere() -> None:
    bound = {each.spec["name"]: each.spec["serial"] for each in whole.compute(CLUSTER).profiles}
    assert (bound["inf-11"], bound["inf-12"]) == ("FCH00000011", "FOX00000043/3")
    installed = {host["name"]: host["serial"] for host in whole.compute(CLUSTER).install["hosts"]}
    assert installed == bound
    (box,) = worlds.world(CLUSTER)["domains"]["x"]["chassis"].values()
    made = worlds.world(CLUSTER)["servers"]["inf-12"]["serial"]
    assert box["slots"][3] == "inf-12" and made.startswith("FCH") and "/" not in made


def test_ports_of_fibre_channel_are_one_range_of_the_port_policy_and_a_broken_out_port_stands_alone() -> None:
    def modes(domain: Domain) -> list[tuple[int, int, str]]:
        pair = {"x": domain}
        assert CLUSTER.intersight is not None
        plan = role("chassis", CLUSTER.servers, pair, CLUSTER.intersight, CLUSTER.site, CLUSTER.fabric.frontend)
        (policy,) = (each for each in plan.policies if each.object_type == "fabric.PortPolicy")
        found = (each.properties for each in policy.children if each.object_type == "fabric.PortMode")
        return [(each["PortIdStart"], each["PortIdEnd"], each["CustomMode"]) for each in found]

    domain = CLUSTER.domains["x"]
    assert modes(domain) == [(25, 28, "FibreChannel")]
    lanes = (PortMode(mode="BreakoutEthernet25G", ports=(20, 19)),)
    other = domain.model_copy(update={"model": "UCS-FI-6536", "port_modes": lanes})
    assert modes(other) == [(19, 19, "BreakoutEthernet25G"), (20, 20, "BreakoutEthernet25G")]


def test_a_feed_of_the_two_takes_nothing_in_the_chassis_rack() -> None:
    found = effects(CLUSTER.network, fabric.plan(CLUSTER.network))
    lost = {each.loss.name: each for each in found if each.loss.kind == "feed"}
    here = {name for name, server in CLUSTER.servers.items() if server.rack == "r4"} | {"x-a", "x-b"}
    assert all(not each.loss.devices & here for each in lost.values())
    assert "not known" not in lost["b"].why
    assert lost["b"].loss.devices == {"cp-2"}


def test_the_chassis_is_told_its_power_and_fans_and_takes_an_address_of_the_pool() -> None:
    plan = whole.compute(CLUSTER)
    (box,) = plan.chassis
    assert {key: box.spec[key] for key in ("name", "domain", "serial", "model", "action", "template")} == {
        "name": "x-1",
        "domain": "x",
        "serial": "FOX00000043",
        "model": "UCSX-9508",
        "action": "deploy",
        "template": "chassis-template-chassis-grid-highpower",
    }
    held = {each.object_type: each for each in box.policies}
    assert held["power.Policy"].properties == {
        "RedundancyMode": "Grid",
        "ExtendedPowerCapacity": "Disabled",
        "PowerSaveMode": "Enabled",
        "DynamicRebalancing": "Enabled",
        "AllocatedBudget": 0,
        "PowerRestoreState": "LastState",
    }
    assert held["thermal.Policy"].properties == {"FanControlMode": "HighPower"}
    pool = held["access.Policy"].references["OutOfBandIpPool"]["name"]
    assert pool in {each.name for each in plan.pools}
    assert sorted(held) == ["access.Policy", "power.Policy", "thermal.Policy"]


def test_rules_read_what_stands_in_the_chassis_and_what_feeds_it() -> None:
    found = chassis.facts(CLUSTER.servers, CLUSTER.domains, CLUSTER.site)
    assert found == {
        "x-1": {
            "blades": ["inf-11", "inf-12", "big-14"],
            "watts": sum(blades.draw(CLUSTER.site, CLUSTER.servers[name]) for name in ("inf-11", "inf-12", "big-14")),
            "supplies": 6,
            "supply_watts": 2800,
            "feeds": 2,
        }
    }


def test_blades_take_their_uuid_from_a_pool_and_others_keep_their_own() -> None:
    plan = whole.compute(CLUSTER)
    pool = next(each for each in plan.pools if each.object_type == "uuidpool.Pool")
    assert pool.properties["Prefix"].startswith("000025B5-")
    assert [(block["From"], block["Size"]) for block in pool.properties["UuidSuffixBlocks"]] == [
        ("0000-000000000001", 256)
    ]
    taking = {each.name for each in plan.profiles if each.spec.get("uuid_pool") == pool.reference}
    assert taking == {"inf-11", "inf-12", "big-14"}
    assert not any("uuid_pool" in each.spec for each in plan.profiles if each.name not in taking)


def test_a_pool_of_uuids_is_a_change_with_a_restart_and_two_clusters_give_out_different_ones() -> None:
    account = CLUSTER.intersight
    assert account is not None
    without = CLUSTER.model_copy(update={"intersight": account.model_copy(update={"uuids": None})})
    before = {each.name: each.spec for each in whole.compute(without).profiles}
    after = {each.name: each.spec for each in whole.compute(CLUSTER).profiles}
    changed = {name for name in after if before[name]["restart_digest"] != after[name]["restart_digest"]}
    assert changed == {"inf-11", "inf-12", "big-14"}
    refused = [each for each in impacts(PROFILE, before["inf-11"], after["inf-11"]) if each.row.name == "uuid_pool"]
    assert [each.change_class for each in refused] == [ChangeClass.REFUSED]
    assert "own_uuid: true" in refused[0].row.reason
    pools = [uuids.pool(name, CLUSTER.servers, account) for name in ("one", "two")]
    assert pools[0] and pools[1] and pools[0].properties["Prefix"] != pools[1].properties["Prefix"]


def test_the_lab_that_is_made_of_the_file_has_the_chassis_of_the_profile() -> None:
    assert "FOX00000043" in worlds.text(CLUSTER)


def test_servers_of_another_organization_take_uuids_of_a_block_of_their_own() -> None:
    account = CLUSTER.intersight
    assert account is not None
    given = account.model_copy(update={"uuids": Uuids(prefix="000025B5-0000-0001")})
    roles = {"big": Role(models=("UCSX-410C-M7",), organization="other")}
    plan = role(CLUSTER.name, CLUSTER.servers, CLUSTER.domains, given, CLUSTER.site, None, roles)
    prefixes = [each.properties["Prefix"] for each in plan.pools if each.object_type == "uuidpool.Pool"]
    assert len(set(prefixes)) == len(prefixes) == 2

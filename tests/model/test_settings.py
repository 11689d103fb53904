"""Settings of roles and servers: what is wrong is found at its place, by the table, for the platform of each server."""

from pathlib import Path
from typing import Any

import pytest

from podwright.components import model
from podwright.components.intersight_table import bios
from podwright.components.model import coherence
from podwright.components.model.problems import Problem
from tests.model import drive_cases
from tests.model.changes import PROD, put
from tests.model.settings_cases import OBJECTS

SMT = {"enabled": False, "reason": "two ranks never share a core"}


def problems(*changes: tuple[str, Any]) -> list[Problem]:
    """Of the large stack with these values put in."""
    said = model.Cluster.model_validate(PROD).model_dump(mode="json")
    for path, value in changes:
        put(path, value)(said)
    try:
        model.load(said)
    except model.SpecErrors as errors:
        return list(errors.problems)
    return []


def role(**settings: Any) -> tuple[str, Any]:
    return "compute/roles", {"training": {"pools": ["training"], **settings}}


AT = ("compute", "roles", "training")
WRONG = {
    "a token nobody has": (role(bios={"SrIv": "enabled"}), (*AT, "bios", "SrIv"), "no BIOS token", "`SrIov`"),
    "a value of another case": (
        role(bios={"CbsCmnFixedSocPstate": "p0"}),
        (*AT, "bios", "CbsCmnFixedSocPstate"),
        "must be one of",
        "`P0`",
    ),
    "a number for a text": (
        role(bios={"CbsCmnApbdis": 1}),
        (*AT, "bios", "CbsCmnApbdis"),
        "must be of type string",
        'quote it: "1"',
    ),
    "Intel's on AMD": (
        role(bios={"CpuPerformance": "hpc"}),
        (*AT, "bios", "CpuPerformance"),
        "servers with Intel processors, not of gpu-01 (UCSC-885A-M8)",
        "delete it here",
    ),
    "a C845A's on another": (
        role(bios={"Pcid003": "Enabled"}),
        (*AT, "bios", "Pcid003"),
        "the UCSC-845A-M8, not of",
        "delete it here",
    ),
    "threads beside smt": (role(bios={"SmtMode": "Off"}), (*AT, "bios", "SmtMode"), "set by `smt`", "smt:"),
    "AMD's on a blade": (
        ("servers/cp-01/bios", {"CbsCmnApbdis": "1"}),
        ("servers", "cp-01", "bios", "CbsCmnApbdis"),
        "servers with AMD processors",
        "delete it here",
    ),
    "a role nobody defines": (("servers/cp-01/role", "trainin"), ("servers", "cp-01", "role"), "no role", "compute"),
    "a pool that is none": (
        ("compute/roles", {"training": {"pools": ["trainin"]}}),
        (*AT, "pools", 0),
        'no pool "trainin"',
        "`training`",
    ),
    "a model that is none": (
        ("compute/roles", {"training": {"models": ["UCSC-885A-M9"]}}),
        (*AT, "models", 0),
        "not in the server catalogue",
        "`UCSC-885A-M8`",
    ),
    "two roles for a pool": (
        ("compute/roles", {"one": {"pools": ["training"]}, "two": {"pools": ["training"]}}),
        ("compute", "roles", "two", "pools", 0),
        "has the role one already",
        "`role`",
    ),
    "a role that no server has": (
        ("compute/roles", {"later": {"bios": {"SrIv": "enabled"}}}),
        ("compute", "roles", "later", "bios", "SrIv"),
        "no BIOS token",
        "`SrIov`",
    ),
    "threads that differ in a pool with huge pages": (
        ("servers/gpu-02/smt", SMT),
        ("servers", "gpu-02", "smt"),
        "gpu-02 has one thread on each core and gpu-01 two threads",
        "alike for all of pool training",
    ),
}


@pytest.mark.parametrize(("change", "loc", "message", "hint"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_found_at_its_place(
    change: tuple[str, Any], loc: tuple[Any, ...], message: str, hint: str
) -> None:
    found = problems(change)
    assert [(each.loc, message in each.message, hint in each.hint) for each in found] == [(loc, True, True)], found


BELOW = {**OBJECTS, **drive_cases.WRONG}


@pytest.mark.parametrize(("settings", "below", "message", "hint"), BELOW.values(), ids=BELOW)
def test_what_is_wrong_in_an_object_is_found_at_its_place(
    settings: dict[str, Any], below: tuple[Any, ...], message: str, hint: str
) -> None:
    found = problems(("compute/roles", {"serving": {"pools": ["inference"], **settings}}))
    expected = ("compute", "roles", "serving", *below)
    assert [(each.loc, message in each.message, hint in each.hint) for each in found] == [(expected, True, True)], found


@pytest.mark.parametrize("settings", drive_cases.RIGHT.values(), ids=drive_cases.RIGHT)
def test_drives_that_a_server_can_make_are_taken(settings: dict[str, Any]) -> None:
    assert problems(("compute/roles", {"serving": {"pools": ["inference"], **settings}})) == []


def test_a_server_without_a_raid_controller_makes_no_group() -> None:
    settings = {"models": ["UCSC-C225-M8N"], **drive_cases.manual("Raid1", "1-2")}
    model_of = ("servers/inf-01/model", "UCSC-C225-M8N")
    found = [each for each in problems(("compute/roles", {"rack": settings}), model_of) if "RAID" in each.message]
    assert [each.loc for each in found] == [("compute", "roles", "rack", "drive_groups", "data")]


def test_a_vnic_of_a_server_that_is_behind_no_interconnects_has_no_template() -> None:
    settings = {"models": ["UCSC-C225-M8N"], "vnics": {"eth1": {"derived": True}}}
    model_of, alone = ("servers/inf-01/model", "UCSC-C225-M8N"), ("servers/inf-01/domain", None)
    found = [
        each for each in problems(("compute/roles", {"rack": settings}), model_of, alone) if "vNIC" in each.message
    ]
    assert [(each.loc, each.message.partition(":")[0]) for each in found] == [
        (("compute", "roles", "rack", "vnics", "eth1", "derived"), "inf-01 is not behind Fabric Interconnects")
    ]


@pytest.mark.parametrize("field", ["boot", "disks", "vnics", "policies"])
def test_a_server_without_a_profile_takes_no_objects(field: str) -> None:
    value = (
        {"ipmi": {"type": "ipmioverlan.Policy"}} if field == "policies" else {"eth2": {}} if field == "vnics" else {}
    )
    (found,) = problems((f"servers/gpu-01/{field}", value or {"Description": "by hand"}))
    assert (found.loc, "management controller" in found.message) == (("servers", "gpu-01", field), True)


def test_a_server_behind_its_own_controller_takes_the_ids_of_its_own_bios() -> None:
    assert problems(("servers/gpu-01/bios", {"PCIS007": "Enabled", "NWSK000": "Disabled"})) == []
    (found,) = problems(("servers/inf-01/bios", {"PCIS007": "Enabled"}))
    assert (found.loc, found.message) == (("servers", "inf-01", "bios", "PCIS007"), "there is no BIOS token PCIS007")


def test_a_list_of_intersight_is_never_taken_in_turn(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "Pulumi.prod.yaml").read_text()
    devices = "[{ObjectType: boot.Nvme, Name: disk}, {ObjectType: boot.UefiShell, Name: shell}]"
    pattern = f"      inf-[01-03]: {{boot: {{BootDevices: {devices}}}}}\n"
    (tmp_path / "Pulumi.prod.yaml").write_text(text.replace("    servers:\n", f"    servers:\n{pattern}", 1))
    servers = model.load(tmp_path / "Pulumi.prod.yaml").servers
    assert [len(servers[f"inf-0{number}"].boot["BootDevices"]) for number in (1, 2, 3)] == [2, 2, 2]


def test_the_caret_stands_below_the_value_in_a_role(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "Pulumi.prod.yaml").read_text()
    roles = '    compute: {roles: {training: {pools: [training], bios: {CbsDfCmnDramNps: "NPS9"}}}}\n'
    (tmp_path / "Pulumi.wrong.yaml").write_text(text.replace("    servers:\n", f"{roles}    servers:\n", 1))
    with pytest.raises(model.SpecErrors) as wrong:
        model.load(tmp_path / "Pulumi.wrong.yaml")
    _, line, caret, hint, count = wrong.value.render().splitlines()
    assert line[caret.index("^") : caret.rindex("^") + 1] == '"NPS9"'
    assert hint == "  hint: did you mean `NPS4`?"
    assert count.startswith("1 problem")


def test_a_secret_in_clear_is_never_repeated_whatever_else_is_wrong_in_its_line(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "Pulumi.prod.yaml").read_text()
    mail = "{type: smtp.Policy, properties: {AuthPassword: Hunter2, SmtpPot: 3}}"
    roles = f"    compute: {{roles: {{serving: {{pools: [inference], policies: {{mail: {mail}}}}}}}}}\n"
    (tmp_path / "Pulumi.wrong.yaml").write_text(text.replace("    servers:\n", f"{roles}    servers:\n", 1))
    with pytest.raises(model.SpecErrors) as wrong:
        model.load(tmp_path / "Pulumi.wrong.yaml")
    assert "did you mean `SmtpPort`?" in wrong.value.render()
    assert "{secret: NAME}" in wrong.value.render()
    assert "Hunter2" not in wrong.value.render()


def test_a_role_is_its_servers_its_pools_or_its_models() -> None:
    roles = {
        "named": model.Role(),
        "pooled": model.Role(pools=("training",)),
        "blade": model.Role(models=("UCSX-210C-M7", "UCSC-885A-M8")),
    }
    servers = model.Cluster.model_validate(PROD).servers
    found = {name: model.effective(name, servers[name], roles).role for name in ("gpu-01", "cp-01")}
    assert found == {"gpu-01": "pooled", "cp-01": "blade"}
    named = servers["gpu-01"].model_copy(update={"role": "named"})
    assert model.effective("gpu-01", named, roles).role == "named"


def test_a_servers_value_stands_over_its_roles_and_each_has_its_place() -> None:
    roles = {"training": model.Role(pools=("training",), bios={"SrIov": "disabled", "CbsCmnApbdis": "0"})}
    server = model.Cluster.model_validate(PROD).servers["gpu-01"]
    plain = model.effective("gpu-01", server, roles)
    assert (plain.owner("bios", "smt"), plain.owner("smt")) == ("training", "")
    own = model.effective("gpu-01", server.model_copy(update={"bios": {"SrIov": "enabled"}}), roles)
    assert own.settings.bios == {"SrIov": "enabled", "CbsCmnApbdis": "0"}
    assert own.places["bios", "SrIov"] == ("servers", "gpu-01", "bios", "SrIov")
    assert own.places["bios", "CbsCmnApbdis"] == ("roles", "training", "bios", "CbsCmnApbdis")
    assert own.owner("bios", "smt") == "gpu-01"


def test_a_component_finds_in_its_arguments_what_the_file_does() -> None:
    servers = model.Cluster.model_validate(PROD).servers
    roles = {"training": model.Role(pools=("training",), bios={"SrIv": "enabled"})}
    found = coherence.role_problems(servers, {}, roles)
    assert {each.loc for each in found} == {("roles", "training", "bios", "SrIv")}


@pytest.mark.parametrize("platform", bios.NAMES)
def test_each_platform_has_tokens_of_its_own_and_takes_its_defaults(platform: bios.Platform) -> None:
    others = set().union(*(bios.tokens(each) for each in bios.NAMES if each != platform))
    assert set(bios.tokens(platform)) - others
    assert set(bios.tokens(platform)) <= bios.every()

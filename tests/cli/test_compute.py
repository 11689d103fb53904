"""`podwright explain compute`: each value on a server, and where it is set."""

import json
from pathlib import Path
from typing import Any

import pytest

from podwright.cli import compute
from tests.cli import explained
from tests.cli.command import inside as run
from tools.generated import ROOT, changes, stale

SETTINGS = """    compute:
      roles:
        training:
          pools: [training]
          smt: {enabled: false, reason: "two ranks never share a core"}
          bios: {CbsDfCmnDramNps: NPS4, CbsCmnApbdis: null}
        serving:
          models: [UCSX-210C-M7]
          boot: {EnforceUefiSecureBoot: true}
          vnics:
            eth1: {properties: {Placement: {SwitchId: A}}}
            storage: {vlans: [20]}
          policies:
            ipmi: {type: ipmioverlan.Policy, properties: {Enabled: true, Privilege: admin}}
    servers:
      inf-02: {bios: {Snc: SNC2}}
"""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    text = (ROOT / "Pulumi.prod.yaml").read_text()
    lines = [each for each in text.splitlines() if not each.startswith("      inf-02:")]
    inf_02 = next(each for each in text.splitlines() if each.startswith("      inf-02:"))
    settings = SETTINGS.replace("inf-02: {", inf_02.strip().removesuffix("}") + ", ")
    path = tmp_path_factory.mktemp("stack") / "Pulumi.prod.yaml"
    path.write_text("\n".join(lines).replace("    servers:\n", settings, 1) + "\n")
    return path


def values(stack: Path, server: str) -> dict[str, dict[str, Any]]:
    return {each["key"]: each for each in compute.document(stack, server)["values"]}


def line(stack: Path, text: str) -> int:
    return next(number for number, each in enumerate(stack.read_text().splitlines(), 1) if text in each)


def test_each_value_has_its_source_its_line_and_its_reason(stack: Path) -> None:
    found = values(stack, "gpu-01")
    assert {each["object"] for each in found.values()} == {""}, "over Redfish"
    nps, pcie, smt, freed = (found[key] for key in ("CbsDfCmnDramNps", "SrIov", "SmtMode", "CbsCmnApbdis"))
    assert (nps["value"], nps["source"], nps["line"]) == ("NPS4", "role training", line(stack, "NPS4"))
    assert (pcie["source"], pcie["line"], pcie["reason"]) == (
        "catalogue",
        None,
        "virtual functions of the NICs need it",
    )
    assert (smt["value"], smt["line"], smt["reason"]) == ("Off", line(stack, "smt:"), "two ranks never share a core")
    assert (freed["value"], freed["source"]) == (None, "role training")


def test_threads_are_those_of_the_nodes_performance_profile(stack: Path) -> None:
    found = compute.document(stack, "gpu-01")
    assert (found["threads"], found["isolated"], found["role_by"]) == (128, True, "pool")
    assert compute.document(stack, "cp-01")["threads"] == 128, "64 cores, as shipped"


def test_a_profiles_values_name_the_policy_they_land_in(stack: Path) -> None:
    found = values(stack, "inf-02")
    own = found["Snc"]
    assert (own["object"], own["source"], own["line"]) == ("prod-bios-inf-02", "server", line(stack, "inf-02:"))
    boot, eth1, vlans, ipmi = (
        found[key]
        for key in ("EnforceUefiSecureBoot", "eth1.Placement", "storage.FabricEthNetworkGroupPolicy", "Privilege")
    )
    assert (boot["object"], boot["line"]) == ("prod-boot-nvme-serving", line(stack, "EnforceUefi"))
    assert (eth1["source"], eth1["line"]) == ("role serving", line(stack, "eth1:"))
    assert (vlans["value"], vlans["line"]) == ("prod-vlan-group-serving-storage", line(stack, "storage: {vlans"))
    assert (ipmi["object"], ipmi["line"]) == ("prod-ipmi-serving", line(stack, "ipmi:"))
    assert found["RemoteClients"]["reason"] == "`site.syslog`"


def test_the_command_prints_text_and_json_and_finds_the_file(stack: Path) -> None:
    text = run("explain", "compute", str(stack), "gpu-01").stdout
    assert "gpu-01 of Pulumi.prod.yaml: UCSC-885A-M8, role training (of its pool), over Redfish" in text
    assert f"Off               role training, Pulumi.prod.yaml:{line(stack, 'smt:')}: two ranks" in text
    document = json.loads(run("explain", "compute", str(stack), "inf-01", "--json").stdout)
    assert document["profile"] == "inf-01"
    alone = run("explain", "compute", "gpu-01").stdout
    assert "gpu-01 of Pulumi.lab.yaml" in alone
    assert "gpu-01 of Pulumi.prod.yaml" in alone
    wrong = run("explain", "compute", str(stack), "gpu-99")
    assert (wrong.returncode, "; servers: " in wrong.stderr) == (2, True)
    assert run("explain", "compute", "gpu-99").returncode == 2


def test_check_refuses_an_adopted_name_that_no_object_has(tmp_path: Path) -> None:
    text = (ROOT / "Pulumi.prod.yaml").read_text()
    path = tmp_path / "Pulumi.prod.yaml"
    path.write_text(text.replace("    intersight:\n", "    intersight:\n      adopt: [prod-power, prod-kmv]\n", 1))
    answer = run("check", path)
    assert answer.returncode == 1
    place, line, caret, hint, count = answer.stderr.splitlines()
    assert place.endswith("intersight.adopt[1]: no object of this cluster is called prod-kmv")
    assert line[caret.index("^") : caret.rindex("^") + 1] == "prod-kmv"
    assert (hint.strip(), count[:9]) == ("hint: did you mean prod-kvm?", "1 problem")


def test_the_examples_texts_are_current() -> None:
    files = explained.files()
    changed = "\n".join(filter(None, (changes(path, text) for path, text in files.items())))
    assert not changed, f"{changed}\n\nif that is meant: python -m tests.cli.explained"
    assert stale(files, explained.FOLDER / "explained") == []

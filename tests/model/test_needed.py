"""A stack holds only the sections it uses: a fabric alone is a file, and what belongs together is one sentence."""

import copy
import subprocess
import sys
from collections.abc import Callable

import pytest

from podwright.components import model
from podwright.components.model.problems import dotted
from tests.model.changes import LAB, Said, both, drop
from tools.generated import ROOT

ALONE = ROOT / "tests/model/fabric_only.yaml"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "podwright.cli", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


def test_a_fabric_alone_is_a_file() -> None:
    cluster = model.load(ALONE)
    assert (cluster.servers, cluster.openshift, cluster.operators, cluster.intersight, cluster.bmc) == ({}, *[None] * 4)
    assert list(cluster.network.hosts) == ["box-01", "box-02", "box-03", "box-04"]


@pytest.mark.parametrize(
    ("verb", "words"),
    [
        (("check",), "4 x UCSC-885A-M8"),
        (("bill",), "N9K-C9364D-GX2A"),
        (("cabling",), "box-01"),
        (("failures",), "what fails when"),
        (("explain", "fabric"), "underlay: eBGP"),
    ],
    ids=lambda each: each[0] if isinstance(each, tuple) else "",
)
def test_verbs_work_on_a_fabric_alone(verb: tuple[str, ...], words: str) -> None:
    answer = run(*verb, str(ALONE))
    assert (answer.returncode, answer.stderr) == (0, "")
    assert words in answer.stdout


def test_a_switch_and_a_host_of_it_are_explained() -> None:
    assert "box-04" in run("explain", "switch", str(ALONE), "leaf-01").stdout
    assert "leaf-02" in run("explain", "server", str(ALONE), "box-04").stdout


def problems(change: Callable[[Said], None]) -> list[tuple[str, str, str]]:
    said = copy.deepcopy(LAB)
    change(said)
    with pytest.raises(model.SpecErrors) as caught:
        model.load(said)
    return [(dotted(each.loc), each.message, each.hint) for each in caught.value.problems]


def test_one_missing_section_is_one_finding_with_what_to_add() -> None:
    """Pools, operators, workloads and the acceptance all stand on an installation."""
    ((loc, message, hint),) = problems(drop("openshift"))
    assert loc == "acceptance"
    assert message == "`acceptance` stands on an installation, and `openshift` is missing"
    assert hint.startswith(
        "add `openshift:` with version, domain, api_vip, ingress_vip, machine_network, ssh_key, publish"
    )


def test_servers_need_what_reaches_them() -> None:
    assert [each[:2] for each in problems(drop("bmc"))] == [
        ("servers.cp-01", "this server is reached through its management controller, and `bmc` is missing")
    ]
    ((_, _, hint),) = problems(drop("intersight"))
    assert hint == "add `intersight:` with key_id, or take this server out"


def test_an_installation_needs_servers() -> None:
    found = problems(both(drop("servers"), drop("pools"), drop("acceptance"), drop("workloads")))
    assert ("servers", "0 control-plane hosts; etcd needs 3 or 5") in [each[:2] for each in found]


def test_servers_without_an_installation_are_a_file() -> None:
    said = copy.deepcopy(LAB)
    for section in ("openshift", "pools", "operators", "workloads", "acceptance"):
        said.pop(section, None)
    assert model.load(said).openshift is None

"""Catalogues of an OpenShift release list what is for that release, and an installer installs the release it is of."""

from __future__ import annotations

import pytest

from podwright.components.design.operators import client_keys
from podwright.components.model import ClientKeys, Operators
from podwright.components.providers.openshift.operator import judge_plan
from podwright.lab.openshift.api import Object
from podwright.lab.openshift.catalog import brought, packages
from podwright.lab.openshift.fresh import catalogue
from podwright.lab.openshift.install import command
from podwright.lab.openshift.side import release_of


def _source(image: str) -> Object:
    return {"spec": {"image": image}}


def _offered(package: str, channel: str, release: str) -> list[str]:
    found = packages()[package]
    return found.offered(channel, _source(catalogue(found.source, release)))


@pytest.mark.parametrize(("release", "minor"), [("4.20.3", "4.20"), ("4.21.12", "4.21"), ("4.22.3", "4.22")])
def test_red_hats_operators_are_listed_for_their_own_release_alone(release: str, minor: str) -> None:
    assert _offered("nfd", "stable", release) == [f"nfd.{minor}.0"]
    assert _offered("sriov-network-operator", "stable", release) == [f"sriov-network-operator.v{minor}.0"]


def test_nvidia_lists_one_network_operator_for_4_22_and_older_ones_before() -> None:
    assert _offered("nvidia-network-operator", "v26.4", "4.22.3") == ["nvidia-network-operator.v26.4.1"]
    before = ["nvidia-network-operator.v26.4.0", "nvidia-network-operator.v26.4.1"]
    assert _offered("nvidia-network-operator", "v26.4", "4.20.3") == before


def test_what_comes_along_with_connectivity_link_is_what_its_approval_lets_come_along() -> None:
    planned = client_keys(Operators(release="2026.10"), ClientKeys())
    csv = planned.subscription["spec"]["startingCSV"]
    assert csv in _offered("rhcl-operator", "stable", "4.22.3") and planned.approval is not None
    assert len(brought("rhcl-operator")) == 3 and brought("nfd") == []
    judge_plan(planned.approval, [csv, *brought("rhcl-operator")], "operator", "install-x")


def test_a_mirrored_catalogue_without_a_release_in_its_tag_lists_everything() -> None:
    package = packages()["nfd"]
    mirrored = _source("registry.example.com/olm/redhat-operator-index@sha256:00")
    assert package.offered("stable", mirrored) == package.channels["stable"]


def test_a_mirrored_catalogue_of_a_cluster_lists_what_is_for_its_release() -> None:
    mirrored = _source("registry.example.com/olm/redhat-operator-index@sha256:00")
    assert packages()["nfd"].offered("stable", mirrored, "4.20") == ["nfd.4.20.0"]


def test_an_installer_is_of_one_release(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv(command.RELEASE_VARIABLE, raising=False)
    assert command.main(["version"]) == 0
    assert capsys.readouterr().out.startswith("openshift-install 4.22.3\n")
    monkeypatch.setenv(command.RELEASE_VARIABLE, "4.20.3")
    assert command.main(["version"]) == 0
    assert capsys.readouterr().out.startswith("openshift-install 4.20.3\n")


def test_a_world_names_its_release() -> None:
    assert release_of({"openshift": "4.20.3"}) == "4.20.3"
    assert release_of({}) == command.RELEASE


@pytest.mark.parametrize("wrong", ["4.20", "latest", "4.20.3; id"])
def test_a_world_names_no_other_text_as_its_release(wrong: str) -> None:
    with pytest.raises(ValueError, match="is no OpenShift release"):
        release_of({"openshift": wrong})

"""Release sets: every member's bundle declares the set's OpenShift release, or the set's data says why it is in."""

import datetime
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from podwright.components import model
from podwright.components.model.catalogue import RELEASE_SETS, Package, ReleaseSet, Waiver
from podwright.components.model.coherence import operators as coherence
from podwright.components.model.problems import SpecErrors
from tools.generated import ROOT

LAB = ROOT / "Pulumi.lab.yaml"
USED = model.load(LAB).operators


def problems(monkeypatch: pytest.MonkeyPatch, sets: Mapping[str, ReleaseSet]) -> list[tuple[str, str]]:
    """What is refused of the lab's own choice when these are the sets there are."""
    assert USED is not None
    monkeypatch.setattr(coherence, "RELEASE_SETS", sets)
    return [(each.message, each.hint) for each in coherence.release(USED, None)]


def package(versions: str) -> Package:
    return replace(RELEASE_SETS["2026.10"].network, versions=versions)


@pytest.mark.parametrize(("versions", "declared", "others"), [
    ("v4.14", ["4.14", "4.20", "4.22"], ["4.9", "4.13"]),
    ("=v4.20", ["4.20"], ["4.2", "4.19", "4.21"]),
    ("v4.17-v4.20", ["4.17", "4.18", "4.20"], ["4.9", "4.16", "4.21", "4.22"]),
])  # fmt: skip
def test_a_bundle_declares_releases_as_red_hat_reads_them(
    versions: str, declared: list[str], others: list[str]
) -> None:
    assert all(package(versions).declares(each) for each in declared)
    assert not any(package(versions).declares(each) for each in others)


@pytest.mark.parametrize("versions", ["4.20", "v4.17-4.20", "v4.17,v4.18", ""])
def test_another_syntax_declares_nothing(versions: str) -> None:
    with pytest.raises(ValueError, match=r"is no com\.redhat\.openshift\.versions"):
        package(versions).declares("4.20")


@pytest.mark.parametrize("name", RELEASE_SETS)
def test_every_member_declares_the_sets_release_or_is_waived(name: str) -> None:
    taken = RELEASE_SETS[name]
    assert taken.refused == ()
    assert all(each.versions_source.startswith("https://") for each in taken.packages)
    # A waiver that nothing needs any more goes.
    assert sorted(each.package for each in taken.waivers) == sorted(each.package for each in taken.undeclared)


def test_the_projects_own_stacks_take_sets_that_waive_nothing() -> None:
    for stack in ("lab", "prod"):
        taken = model.load(ROOT / f"Pulumi.{stack}.yaml").operators
        assert taken and RELEASE_SETS[taken.release].waivers == ()


@pytest.mark.parametrize(
    "waiver", [each for taken in RELEASE_SETS.values() for each in taken.waivers], ids=lambda each: each.package
)
def test_a_waiver_has_a_reason_a_public_source_and_its_date(waiver: Waiver) -> None:
    assert waiver.reason and waiver.source.startswith("https://")
    assert datetime.date.fromisoformat(waiver.date) >= datetime.date(2026, 1, 1)


@pytest.mark.parametrize("name", [name for name, taken in RELEASE_SETS.items() if taken.waivers])
def test_a_set_whose_waiver_is_dropped_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert USED is not None
    bare = replace(RELEASE_SETS[name], waivers=())
    ((message, hint),) = problems(monkeypatch, {**RELEASE_SETS, USED.release: bare})
    for each in bare.undeclared:
        assert f"{each.csv} ({each.versions})" in message
    assert "waive them in the set's data with a reason, an https source and its date" in hint


def test_a_waiver_of_one_member_is_none_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    assert USED is not None
    other = Waiver("nfd", "for the test", "https://example.com", "2026-01-01")
    bare = replace(RELEASE_SETS["2026.10"], waivers=(other,))
    ((message, _),) = problems(monkeypatch, {USED.release: bare})
    assert "nvidia-network-operator.v26.4.1 (v4.17-v4.20)" in message


def test_the_refusal_shows_the_line_and_names_a_set_that_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    assert USED is not None
    whole = RELEASE_SETS["2026.10"]
    taken = replace(whole, openshift=RELEASE_SETS[USED.release].openshift)
    refused = replace(taken, network=package("v4.17-v4.18"), waivers=())
    names = ("network", "nfd", "sriov", "nmstate", "self_node_remediation", "node_health_check", "data_science", "keys")
    members: dict[str, Any] = dict.fromkeys((*names, "mesh"), package("v4.18"))
    declared = replace(taken, openshift="4.18", **members)
    monkeypatch.setattr(coherence, "RELEASE_SETS", {USED.release: refused, "2026.02": declared})
    with pytest.raises(SpecErrors) as caught:
        model.load(LAB)
    text = str(caught.value)
    assert "operators.release: release set" in text and "^" in text
    assert "nvidia-network-operator.v26.4.1 (v4.17-v4.18)" in text
    assert "take 2026.02 with OpenShift 4.18, or waive them" in text

"""Every licence is judged, the page is fresh, and the bill of materials names all that is pinned."""

import json
import re

import pytest

from podwright import __version__
from podwright.toolchain.binaries import BINARIES, BY_NAME
from podwright.toolchain.keys import MODULES, REQUIREMENTS
from tools import generated, go_licences, licences, sbom
from tools.licences import LicenceError, Package


def test_the_page_is_fresh_and_every_licence_is_judged() -> None:
    assert generated.stale({licences.PAGE: licences.page(licences.packages())}) == [], (
        "renew with: python -m tools.licences"
    )


@pytest.mark.parametrize("licence", ["GPL-3.0-only", "Proprietary", "UNKNOWN", "MIT AND GPL-2.0-only"])
def test_a_licence_that_nobody_judged_is_refused(licence: str) -> None:
    with pytest.raises(LicenceError, match="judge it in tools/licences"):
        _ = Package("thing", "1", licence, (), lab=False).judgement


@pytest.mark.parametrize(("licence", "chosen"), [
    ("EPL-2.0 OR GPL-2.0-or-later", ("EPL-2.0",)),
    ("GPL-3.0-only OR MIT", ("MIT",)),
    ("BSD-2-Clause AND Unlicense AND MIT", ("BSD-2-Clause", "Unlicense", "MIT")),
])  # fmt: skip
def test_of_a_choice_the_first_that_is_allowed_is_ours(licence: str, chosen: tuple[str, ...]) -> None:
    assert Package("thing", "1", licence, (), lab=False).chosen == chosen


def test_what_is_allowed_with_a_reason_says_it() -> None:
    judged = {each.name: each.judgement for each in licences.packages()}
    assert "unmodified" in judged["asyncssh"]
    assert judged["pulumi"] == "allowed"


def test_the_bill_holds_packages_programs_and_their_modules() -> None:
    bill = sbom.document()
    references = [each["bom-ref"] for each in bill["components"]]
    assert len(references) == len(set(references))
    known = {*references, bill["metadata"]["component"]["bom-ref"]}
    assert {ref for edge in bill["dependencies"] for ref in (edge["ref"], *edge["dependsOn"])} <= known
    versions = {each["name"]: each["version"] for each in bill["components"]}
    assert bill["metadata"]["component"]["version"] == __version__
    assert versions["pulumi-kubernetes"] == "4.25.0"
    assert versions["kube-apiserver"] == "v1.36.3"
    assert {binary.name for binary in BINARIES} <= versions.keys()
    lock = dict(re.findall(r"^([\w.-]+)==(\S+)", REQUIREMENTS.read_text(), re.M))
    python = {each["name"]: each["version"] for each in bill["components"] if each["bom-ref"].startswith("pkg:pypi/")}
    assert {name for name, version in python.items() if lock.get(name) != version} == set()


@pytest.mark.parametrize("folder", sorted({binary.module for binary in BINARIES}))
def test_every_module_of_a_go_mod_is_in_the_bill(folder: str) -> None:
    text = (MODULES / folder / "go.mod").read_text()
    required = set(re.findall(r"^(?:require |\t)(\S+) v\S+(?: // indirect)?$", text, re.M))
    replaced = dict(re.findall(r"^(?:replace |\t)(\S+)(?: v\S+)? => (\S+) v", text, re.M))
    assert {replaced.get(module, module) for module in required} == {module for module, _ in sbom.pinned(folder)}


def test_linked_modules_are_those_that_are_pinned() -> None:
    """A pin that is raised makes the table stale: python -m tools.go_licences, where the programs were built."""
    pinned = {binary.name: set(sbom.pinned(binary.module)) for binary in BINARIES}
    unpinned = [
        (each.name, each.version, program)
        for each in go_licences.table()
        for program in each.programs
        if (each.name, each.version) not in pinned[program]
    ]
    assert unpinned == []
    assert {program for each in go_licences.table() for program in each.programs} == set(pinned)


def test_every_program_and_nearly_every_module_has_a_licence_that_is_known() -> None:
    assert {binary.name: go_licences.own(binary).licence for binary in BINARIES} == dict.fromkeys(
        (binary.name for binary in BINARIES), "Apache-2.0"
    )
    assert go_licences.own(BY_NAME["kube-apiserver"]).name == "k8s.io/kubernetes"
    unknown = {each.name for each in go_licences.table() if each.licence == go_licences.NONE}
    assert unknown == {"github.com/mattn/go-localereader", "github.com/sourcegraph/appdash-data"}
    bill = {each["bom-ref"]: each for each in sbom.document()["components"]}
    grpc = next(each for each in go_licences.table() if each.name == "google.golang.org/grpc")
    assert bill[f"pkg:golang/{grpc.name}@{grpc.version}"]["licenses"] == [{"expression": "Apache-2.0"}]


@pytest.mark.parametrize(("texts", "licence"), [
    (["Apache License\n   Version 2.0, January 2004"], "Apache-2.0"),
    (["Mozilla Public License Version 2.0 … Secondary License means the GNU General Public License"], "MPL-2.0"),
    (["Redistribution and use in source and binary forms … Neither the name of"], "BSD-3-Clause"),
    (["Permission is hereby granted, free of charge", "Apache License, Version 2.0"], "Apache-2.0 AND MIT"),
    (["GNU General Public License"], "GPL"),
    ([], "no licence file"),
])  # fmt: skip
def test_a_licence_is_recognised_by_its_text(texts: list[str], licence: str) -> None:
    assert go_licences.recognised(texts) == licence


def test_a_text_that_is_no_known_licence_is_refused() -> None:
    with pytest.raises(ValueError, match="no known licence: all rights reserved"):
        go_licences.recognised(["All rights reserved"])


def test_the_bill_is_the_same_every_time() -> None:
    assert json.dumps(sbom.document()) == json.dumps(sbom.document())

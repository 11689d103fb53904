"""Mirror sets as the Machine Config Operator takes them: what nodes look up, and what drains them."""

from typing import Any

import pytest

from podwright.lab.openshift import pulls
from podwright.lab.openshift.registries import drains, file, locations, merged, registries

MIRROR = "registry.example.com:8443/pod"
DIGEST = f"sha256:{'0' * 64}"


def item(name: str, key: str, *rows: tuple[str, str]) -> dict[str, Any]:
    return {
        "metadata": {"name": name},
        "spec": {key: [{"source": source, "mirrors": [mirror]} for source, mirror in rows]},
    }


def digests(*rows: tuple[str, str], name: str = "own") -> dict[str, Any]:
    return item(name, "imageDigestMirrors", *rows)


def tags(*rows: tuple[str, str]) -> dict[str, Any]:
    return item("own", "imageTagMirrors", *rows)


def config(*sets: dict[str, Any]) -> dict[str, Any]:
    by = {key: [each for each in sets if key in each["spec"]] for key in ("imageDigestMirrors", "imageTagMirrors")}
    return {"config": {"storage": {"files": [file(merged(*by.values()))]}}}


NGC, QUAY = ("nvcr.io", MIRROR), ("quay.io", MIRROR)
INSIDE = ("nvcr.io/nvidia", f"{MIRROR}/nvidia")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([], [digests(NGC)], False),
        ([digests(NGC)], [digests(NGC, QUAY)], False),
        ([digests(NGC)], [digests(NGC, name="another"), digests(NGC)], False),
        ([digests(NGC)], [digests(("nvcr.io", "other.example.com"))], True),
        ([digests(NGC, QUAY)], [digests(NGC)], True),
        ([digests(NGC)], [digests(NGC), tags(NGC)], True),
        ([digests(NGC)], [digests(NGC), tags(QUAY)], True),
        ([digests(NGC), tags(NGC)], [digests(NGC), tags(NGC)], False),
        ([digests(NGC), tags(NGC)], [digests(NGC, QUAY), tags(NGC)], False),
    ],
)
def test_only_a_further_mirror_by_digest_leaves_nodes_alone(old: list[Any], new: list[Any], expected: bool) -> None:
    assert drains(config(*old), config(*new)) is expected


def test_the_file_reads_as_it_was_written() -> None:
    assert registries(config(digests(NGC), tags(NGC))) == {"nvcr.io": [(MIRROR, "digest-only"), (MIRROR, "tag-only")]}
    assert registries(None) == {}


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (f"nvcr.io/a/b@{DIGEST}", [f"{MIRROR}/a/b@{DIGEST}", f"nvcr.io/a/b@{DIGEST}"]),
        ("nvcr.io/a/b:1", ["nvcr.io/a/b:1"]),
        ("nvcr.io/nvidia/b:1", [f"{MIRROR}/nvidia/b:1", "nvcr.io/nvidia/b:1"]),
        (f"nvcr.io/nvidia/b@{DIGEST}", [f"nvcr.io/nvidia/b@{DIGEST}"]),
        (f"nvcr.io.example.org/b@{DIGEST}", [f"nvcr.io.example.org/b@{DIGEST}"]),
    ],
)
def test_an_image_is_looked_for_where_its_longest_source_sends_it(image: str, expected: list[str]) -> None:
    known = registries(config(digests(NGC), tags(INSIDE)))
    assert locations(known, image) == expected


def test_only_a_registry_of_the_site_is_reached() -> None:
    site = pulls.hosts({"imageDigestSources": [{"source": "nvcr.io", "mirrors": [MIRROR]}]})
    known = registries(config(digests(NGC)))
    assert pulls.found(f"nvcr.io/a@{DIGEST}", known, site)
    assert pulls.found(f"{MIRROR}/own@{DIGEST}", known, site)
    assert not pulls.found(f"quay.io/a@{DIGEST}", known, site)
    assert not pulls.found("nvcr.io/a:1", known, site)

"""Every leaf of NVIDIA's manifests is noticed when it is gone, or is harmless for a reason with its source.

More than a fifth is harmless, 72 of 170 (42 %): the bundle's ClusterPolicy writes out defaults and empty names, which
no gate can notice. Of the other objects it is 30 of 124 (24 %). Both are bounded by what was reached.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.lab.openshift.rack import Rack
from tests.leaves.dropping import Leaf, leaves, without
from tests.platforms.planned import Object
from tests.platforms.published import publishing
from tests.platforms.served import serving
from tests.vendor import leaves as vendor
from tests.vendor import manifests

ENTRIES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("harmless.yaml").read_text(encoding="utf-8"))
MOST, MOST_OF_THE_KIT = 72 / 170, 30 / 124
SEED = os.environ.get("PODWRIGHT_LEAVES_SEED", "")
COUNT = 30
pytestmark = pytest.mark.rough


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> list[Object]:
    folder = manifests.folder()
    if folder is None:
        pytest.skip("VENDOR names no folder with the files of tests/vendor/SHA256SUMS")
    assert manifests.differing(folder) == []
    return vendor.objects(folder, tmp_path_factory.mktemp("kit"))


@pytest.fixture(scope="module")
def surviving(planned: list[Object], tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Leaf]]:
    """Leaves that nothing notices."""
    with serving(tmp_path_factory.mktemp("plane") / "rack") as served, publishing() as published:
        judged = vendor.Judged(planned, served, published)
        assert judged.refused == []
        yield [each for each in leaves(planned) if not judged.gate(each)]


def _entry(leaf: Leaf) -> int | None:
    found = (at for at, entry in enumerate(ENTRIES) if any(re.fullmatch(one, leaf.name) for one in entry["leaves"]))
    return next(found, None)


def test_every_leaf_is_noticed_or_excused_and_every_excuse_is_needed(surviving: list[Leaf]) -> None:
    assert [each.place for each in surviving if _entry(each) is None] == []
    assert {_entry(each) for each in surviving} == set(range(len(ENTRIES)))
    assert all(entry["source"].startswith("https://") and len(entry["why"]) > 20 for entry in ENTRIES)


def test_no_more_are_harmless_than_before(planned: list[Object], surviving: list[Leaf]) -> None:
    every = leaves(planned)
    assert len(surviving) <= MOST * len(every), f"{len(surviving)} of {len(every)}"
    kit = [each for each in every if each.kind != "ClusterPolicy"]
    left = [each for each in surviving if each.kind != "ClusterPolicy"]
    assert len(left) <= MOST_OF_THE_KIT * len(kit), f"{len(left)} of {len(kit)}"


def test_a_rack_comes_up_without_thirty_of_them(planned: list[Object], surviving: list[Leaf], tmp_path: Path) -> None:
    drawn = random.Random(SEED).sample(surviving, COUNT)
    print("\n".join(each.place for each in drawn))
    rack = Rack(tmp_path / "rack", workers=("NVIDIA-H200",) * 3)
    try:
        rack.install()
        vendor.up(rack, without(planned, drawn))
    finally:
        rack.close()

"""GPUs of a server divided in different ways: what is legal, what it comes to, and what it is called."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components.model import MigGpus, Pool, divided, layout_config, layout_name, load
from podwright.components.model.catalogue import GPUS, Gpu
from podwright.components.model.catalogue.mig import fits
from podwright.components.model.coherence.mig_gpus import mig_gpus
from podwright.lab.openshift.gpu import mig
from podwright.lab.openshift.hardware import GPUS as LAB
from tools.generated import ROOT

LABEL = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
PRODUCTS = sorted(name for name, gpu in GPUS.items() if gpu.mig)


def by_trying(gpu: Gpu, wanted: dict[str, int]) -> bool:
    """Every start of every instance, one combination after another."""
    each = [gpu.mig[name] for name, count in wanted.items() for _ in range(count)]
    if sum(one.compute for one in each) > gpu.compute_slices or sum("+me" in one.name for one in each) > 1:
        return False
    for starts in product(*(one.starts for one in each)):
        cells = [cell for one, start in zip(each, starts, strict=True) for cell in range(start, start + one.memory)]
        if len(set(cells)) == len(cells) and max(cells, default=0) < gpu.memory_slices:
            return True
    return False


@st.composite
def wanted(draw: st.DrawFn, name: str) -> dict[str, int]:
    return draw(st.dictionaries(st.sampled_from(sorted(GPUS[name].mig)), st.integers(1, 3), max_size=3))


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_slices_are_legal_where_some_places_take_them_all(data: st.DataObject) -> None:
    """And mig-parted finds an order for them then, wherever the driver puts one that could start at several places."""
    name = data.draw(st.sampled_from(PRODUCTS))
    asked = data.draw(wanted(name))
    legal = by_trying(GPUS[name], asked)
    assert fits(GPUS[name], asked) is legal
    for choice in ("tight", "lowest"):
        assert (mig.place(asked, LAB[name], choice) is not None) is legal, (asked, choice)


@st.composite
def groups(draw: st.DrawFn, name: str) -> list[MigGpus]:
    legal = wanted(name).filter(lambda each: fits(GPUS[name], each))
    made = draw(st.lists(st.tuples(st.integers(1, 4), legal), min_size=1, max_size=5))
    return [MigGpus(count=count, slices=slices) for count, slices in made]


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_the_sum_is_what_mig_manager_makes_of_each_gpu(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(PRODUCTS))
    pool = Pool(purpose="inference", mig_gpus=tuple(data.draw(groups(name))))
    gpus = sum(group.count for group in pool.mig_gpus)
    placed = mig.instances(layout_config(pool), LAB[name], gpus)
    assert sorted(placed) == list(range(gpus)), "no GPU is left out, none is named twice"
    found = divided(pool, GPUS[name], gpus)
    offered = {f"nvidia.com/mig-{each.replace('+', '.')}": count for each, count in found.slices.items()}
    assert mig.resources(placed, "mixed") == offered | ({"nvidia.com/gpu": found.whole} if found.whole else {})


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_a_name_is_a_labels_value_and_stands_for_one_layout(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(PRODUCTS))
    one, other = (Pool(purpose="inference", mig_gpus=tuple(data.draw(groups(name)))) for _ in range(2))
    called = layout_name(one)
    assert called is not None
    assert len(called) <= 63
    assert LABEL.fullmatch(called)
    assert not called.startswith("all-"), "those are mig-parted's"
    per_gpu = [
        [tuple(sorted(group.slices.items())) for group in pool.mig_gpus for _ in range(group.count)]
        for pool in (one, other)
    ]
    assert (called == layout_name(other)) is (per_gpu[0] == per_gpu[1])


def test_a_name_says_what_it_is_where_there_is_room() -> None:
    def called(*each: dict[str, Any]) -> str | None:
        return layout_name(Pool.model_validate({"purpose": "inference", "mig_gpus": each}))

    assert called({"count": 4, "slices": {"3g.71gb": 2}}, {"count": 4}) == "4x2x3g.71gb_4xwhole"
    assert called({"count": 1, "slices": {"1g.18gb+me": 1, "1g.18gb": 6}}) == "1x1x1g.18gb.me-6x1g.18gb"
    split = called({"count": 2, "slices": {"3g.71gb": 2}}, {"count": 2, "slices": {"3g.71gb": 2}}, {"count": 4})
    assert split == "4x2x3g.71gb_4xwhole", "the same GPUs, written in three groups"
    long = [{"count": 1, "slices": {"1g.18gb": n, "2g.35gb": 1}} for n in (1, 2, 3, 4)]
    assert re.fullmatch(r"mixed-[0-9a-f]{16}", called(*long) or "")


def test_places_that_nobody_published_are_refused_as_unknown() -> None:
    cluster = load(ROOT / "tests/examples/sharing/Pulumi.sharing.yaml")
    changed = {"gpus": "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition", "gpu_count": 8}
    server = cluster.servers["dev-4"].model_copy(update=changed)
    pool = Pool.model_validate({"purpose": "inference", "mig_gpus": [{"count": 8, "slices": {"1g.24gb+me.all": 1}}]})
    (found,) = mig_gpus(pool, {"dev-4": server})
    assert "where it may start is not published" in found.message
    assert found.hint == "take one of 1g.24gb, 2g.48gb, 4g.96gb"

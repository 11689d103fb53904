"""Keys of what there is not are answered with what to use instead; known keys are never among them."""

import copy
import re
from pathlib import Path

import pytest
import yaml

from podwright.components import model
from podwright.components.model import describe
from podwright.components.model.unsupported import UNSUPPORTED, unsupported
from tests.model.changes import LAB, put
from tools.docs import models
from tools.generated import ROOT

PROMISES: list[dict[str, str]] = yaml.safe_load(Path(__file__).with_name("promises.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("path", "words"), [
    ("pools/inference/vgpu", "divide GPUs by pools.<name>.mig"),
    ("fabric/infiniband", "write fabric.lossless"),
    ("geodns", "a stack file for each site"),
    ("workloads/training/pretrain/feature-store", "claims of storage.volumes"),
    ("workloads/inference/chat/vpa", "write memory_gib and cpus"),
    ("openshift/cluster_autoscaler", "write the server into `servers`"),
])  # fmt: skip
def test_a_key_that_people_try_is_answered(path: str, words: str) -> None:
    said = copy.deepcopy(LAB)
    put(path, {"enabled": True})(said)
    with pytest.raises(model.SpecErrors) as caught:
        model.load(said)
    (problem,) = caught.value.problems
    assert problem.message.startswith("not supported: ")
    assert words in problem.hint
    assert problem.hint.endswith("docs/reference/unsupported.md")


def test_no_key_of_a_stack_file_is_called_unsupported() -> None:
    known = {name for each in models() for name in describe.hints(each)}
    assert [key for key in known if unsupported(key)] == []
    assert len({key for each in UNSUPPORTED for key in each.keys}) == sum(len(each.keys) for each in UNSUPPORTED)


@pytest.mark.parametrize("row", PROMISES, ids=lambda row: f"{row['place']} {row['promise']}")
def test_a_promise_of_the_requirement_documents_has_a_row_or_an_answer(row: dict[str, str]) -> None:
    assert row.keys() in ({"place", "promise", "key"}, {"place", "promise", "row"})
    if key := row.get("key"):
        assert unsupported(key) is not None
    else:
        coverage = (ROOT / "docs/coverage.md").read_text(encoding="utf-8")
        assert re.search(rf"^\| {re.escape(row['row'])} \| ", coverage, re.MULTILINE)


def test_the_page_has_what_nobody_was_promised_too() -> None:
    """MPI and Slurm, which people of the field ask for, and a file that NCCL needs on virtual machines."""
    answered = {unsupported(row["key"]) for row in PROMISES if "key" in row}
    assert {each.name for each in UNSUPPORTED if each not in answered} == {"MPI jobs", "Slurm", "NCCL topology files"}

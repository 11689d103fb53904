"""Wrong stack files, one of every kind for every field: no traceback, and the problem stands where the mistake is."""

from pathlib import Path

import pytest

from podwright.components import model
from tests.model.mutations import Mutation, one_of_each
from tools.generated import ROOT

SEED = 20260101
LAB = one_of_each((ROOT / "Pulumi.lab.yaml").read_text(), SEED)
PROD = [
    each
    for each in one_of_each((ROOT / "Pulumi.prod.yaml").read_text(), SEED)
    if {"frontend", "domains", "storage", "extra"} & set(each.loc)
]


def judge(mutation: Mutation, folder: Path) -> str | None:
    """What is wrong with the answer to a mutation; None when it is right."""
    path = folder / "Pulumi.wrong.yaml"
    path.write_text(mutation.text)
    try:
        model.load(path)
    except model.SpecErrors as errors:
        lines = {problem.position.line if problem.position else None for problem in errors.problems}
        if mutation.line not in lines or (mutation.alone and lines != {mutation.line}):
            return f"{mutation.kind} at {mutation.loc} (line {mutation.line}):\n{errors.render()[:2000]}"
        if any(not problem.hint for problem in errors.problems):
            return f"{mutation.kind} at {mutation.loc} gives no hint:\n{errors.render()[:2000]}"
        return None
    return f"{mutation.kind} at {mutation.loc} was taken for right"


@pytest.mark.parametrize(("stack", "mutations"), [("lab", LAB), pytest.param("prod", PROD, marks=pytest.mark.rough)])
def test_every_mistake_is_found_where_it_was_made(stack: str, mutations: list[Mutation], tmp_path: Path) -> None:
    failures = [failure for each in mutations if (failure := judge(each, tmp_path))]
    assert failures == [], f"{len(failures)} of {len(mutations)} in {stack}:\n" + "\n\n".join(failures[:5])


def test_there_are_enough_of_them() -> None:
    assert len(LAB) + len(PROD) >= 300
    kinds = {each.kind for each in LAB}
    assert {"text", "a wrong reference", "a missing key", "an unknown key", "a key twice", "a wrong name"} <= kinds

"""Files broken byte by byte, values changed blindly: an answer always comes, and what is accepted can be planned."""

import copy
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components import model
from podwright.components.design import fabric
from tests.design import whole
from tools.generated import ROOT

SEED = 4 * int(os.environ.get("PODWRIGHT_FILES_SEED", "0"))
PIECES = [
    *(
        b"\t",
        b":",
        b"{",
        b"}",
        b"[",
        b"&a ",
        b"*a ",
        b"!!",
        b"|",
        b'"',
        b"'",
        b"\x00",
        b"\xff",
        b"#",
        b"? ",
        b"- ",
        b"%",
    ),
    *(
        b"<<: ",
        b"\r",
        b"\n\n",
        b"\xe2\x80\xa8",
        b"\xef\xbb\xbf",
        b"0x",
        b"1e999",
        b"-.inf",
        b"~",
        b"2001-01-01",
        b"---",
    ),
]


def broken(data: bytes, draw: random.Random) -> bytes:
    """The file with one to four pieces put in, taken out or copied elsewhere."""
    text = bytearray(data)
    for _ in range(draw.choice([1, 1, 2, 4])):
        place = draw.randrange(len(text))
        match draw.randrange(3):
            case 0:
                text[place:place] = draw.choice(PIECES)
            case 1:
                del text[place : place + draw.randrange(1, 40)]
            case _:
                start = draw.randrange(len(text))
                text[place:place] = text[start : start + draw.randrange(1, 60)]
    return bytes(text)


@pytest.mark.parametrize("seed", range(SEED, SEED + 4))
def test_a_broken_file_ends_in_problems_with_hints(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    data = (ROOT / "Pulumi.lab.yaml").read_bytes()
    refused = 0
    for _ in range(60):
        path = tmp_path / "Pulumi.broken.yaml"
        path.write_bytes(broken(data, draw))
        try:
            model.load(path)
        except model.SpecErrors as errors:
            refused += 1
            assert all(problem.hint for problem in errors.problems), path.read_bytes()
    assert refused > 40


def scalars(value: object, loc: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict | list):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield from scalars(child, (*loc, key))
    else:
        yield loc, value


def changed(said: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """One to three values replaced by another of the same field, a near number, or nothing."""
    copied = copy.deepcopy(said)
    found = list(scalars(copied))
    for _ in range(draw.choice([1, 2, 3])):
        loc, value = draw.choice(found)
        here: Any = copied
        for part in loc[:-1]:
            here = here[part]
        if isinstance(value, int):
            here[loc[-1]] = draw.choice([0, 1, 2, value + 1, value - 1, value * 2, value // 2, 4096])
        else:
            here[loc[-1]] = draw.choice([each for way, each in found if way[-1] == loc[-1]] + [None, "", "x"])
    return copied


@pytest.mark.parametrize("stack", ["lab", "prod"])
def test_what_is_accepted_can_be_planned(stack: str) -> None:
    draw = random.Random(stack)
    said = yaml.safe_load((ROOT / f"Pulumi.{stack}.yaml").read_text())["config"]["podwright:cluster"]
    accepted = 0
    for _ in range(250):
        try:
            cluster = model.load(json.loads(json.dumps(changed(said, draw))))
        except model.SpecErrors:
            continue
        accepted += 1
        fabric.plan(cluster.network)
        for plan in (whole.compute, whole.platform, whole.storage, whole.workloads):
            plan(cluster)
    assert accepted > 10

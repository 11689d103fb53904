"""What is not certain of a command is not refused; what is, is underlined."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from podwright.components import model
from tests.model.changes import LAB
from tests.model.launch_cases import RIGHT
from tools.generated import ROOT


@pytest.mark.parametrize("number", range(len(RIGHT)))
def test_what_may_be_right_is_taken(number: int) -> None:
    said: dict[str, Any] = copy.deepcopy(LAB)
    change: Callable[[dict[str, Any]], None] = RIGHT[number]
    change(said)
    model.load(said)


def test_the_option_is_underlined(tmp_path: Path) -> None:
    path = tmp_path / "Pulumi.lab.yaml"
    text = (ROOT / "Pulumi.lab.yaml").read_text()
    path.write_text(text.replace("[torchrun, train.py]", '[torchrun, "--nnodes=4", train.py]'))
    with pytest.raises(model.SpecErrors) as caught:
        model.load(path)
    shown = caught.value.render()
    assert "members wait for 4 of them, and the job has 2" in shown
    line, caret = shown.splitlines()[1:3]
    assert line[caret.index("^") :].startswith('"--nnodes=4"')

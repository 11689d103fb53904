"""A model that its GPUs cannot hold is refused with the sum and with what would hold it; one that they can is taken."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from podwright.components import model
from podwright.components.model.catalogue.choice import choose
from podwright.components.model.coherence import inference_problems
from podwright.components.model.sizing import Sizing, asked
from tests.design import whole as planned
from tests.model.changes import LAB, both, put
from tests.model.sizing_cases import CHAT, LLAMA_70B, sized, whole
from tests.model.test_sections import cluster as stack
from tools.generated import ROOT


def hints(change: Callable[[dict[str, Any]], None]) -> list[str]:
    said = copy.deepcopy(LAB)
    change(said)
    try:
        model.load(said)
    except model.SpecErrors as errors:
        return [each.hint for each in errors.problems]
    return []


@pytest.mark.parametrize(("change", "hint"), [
    (sized(70.6), "2 whole NVIDIA-H200-NVL hold it"),
    (sized(8), "a 3g.71gb slice of NVIDIA-H200-NVL holds it"),
    (sized(3, concurrency=40), "write concurrency: 7 at most; a 3g.71gb slice of NVIDIA-H200-NVL holds it"),
    (both(whole(1), sized(70.6, precision="fp8", concurrency=64)), "write concurrency: 23 at most; 2 whole"),
    (both(whole(4), sized(405.9, precision="bf16", concurrency=64)), "no NVIDIA-H200-NVL of one server hold so much"),
])  # fmt: skip
def test_what_would_hold_it_is_the_hint(change: Callable[[dict[str, Any]], None], hint: str) -> None:
    (found,) = hints(change)
    assert found.startswith(hint)


@pytest.mark.parametrize("change", [
    sized(1.2),
    sized(3, concurrency=7),
    both(whole(2), sized(70.6, shape=LLAMA_70B)),
    both(whole(1), sized(70.6, precision="fp8", concurrency=23)),
    both(sized(6, context=256, concurrency=1), put(f"{CHAT}/model", "/models/own"), put(f"{CHAT}/home_gib", 9)),
    both(whole(4), sized(236, precision="fp8", shape={"layers": 60, "heads": 128, "latent_size": 576})),
])  # fmt: skip
def test_what_has_room_is_no_problem_of_its_size(change: Callable[[dict[str, Any]], None]) -> None:
    assert not [each for each in hints(change) if "hold" in each or "concurrency" in each or "HOME" in each]


def test_the_number_of_requests_that_is_advised_has_room_and_one_more_has_none() -> None:
    assert hints(sized(3, concurrency=7)) == []
    assert hints(sized(3, concurrency=8)) != []


def test_what_the_chooser_takes_is_what_the_check_takes() -> None:
    """`podwright gpus` and the check are one sum: of the fewest GPUs that it names, one less is refused."""
    for parameters in (1.0, 8.0, 30.0, 70.0, 140.0):
        ((option,), _) = choose(asked(Sizing(parameters_billion=parameters)), ["NVIDIA-H200-NVL"])
        if option.profile is None:
            assert hints(both(whole(option.gpus), sized(parameters))) == []
            assert option.gpus == 1 or hints(both(whole(option.gpus // 2), sized(parameters))) != []


def test_the_server_takes_what_its_memory_was_reckoned_for_and_without_the_key_what_it_took() -> None:
    said = stack(LAB, sized(1.2, context=4096, concurrency=9))
    (deployment,) = (each for each in planned.workloads(said) if each["kind"] == "Deployment")
    (before,) = (each for each in planned.workloads(stack(LAB)) if each["kind"] == "Deployment")
    (box,), (old,) = (each["spec"]["template"]["spec"]["containers"] for each in (deployment, before))
    assert box["args"] == [*old["args"], "--max-model-len", "4096", "--max-num-seqs", "9"]


def test_a_component_refuses_it_too() -> None:
    said = stack(LAB)
    service = said.workloads.inference["chat"].model_copy(update={"sizing": Sizing(parameters_billion=70.6)})
    (problem,) = inference_problems("chat", service, said.pools["inference"], said.servers)
    assert problem.loc == ("sizing", "parameters_billion")


def test_the_size_is_underlined(tmp_path: Path) -> None:
    path = tmp_path / "Pulumi.lab.yaml"
    text = (ROOT / "Pulumi.lab.yaml").read_text()
    path.write_text(text.replace("model: chat-8b}", "model: chat-70b, sizing: {parameters_billion: 70.6}}"))
    with pytest.raises(model.SpecErrors) as caught:
        model.load(path)
    line, caret = caught.value.render().splitlines()[1:3]
    assert line[caret.index("^") :].startswith("70.6")

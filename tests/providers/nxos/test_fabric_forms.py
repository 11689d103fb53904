"""The lab cluster's whole fabric on switches as they ship in each form: it forwards, and nothing is left to do."""

from __future__ import annotations

import asyncio
import itertools
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.cli.world import world
from podwright.components import model
from podwright.components.design import fabric
from podwright.components.fabric import _spec
from podwright.components.model.baseline import Baseline, BgpPassword
from podwright.lab.variants import VARIANTS
from tests.lab.rack import LAB
from tests.providers.nxos.rack import Rack, rack
from tools import goldens

pytestmark = pytest.mark.rough


def planned(example: str = "lab") -> tuple[dict[str, dict[str, Any]], fabric.FabricPlan]:
    args = model.load(goldens.stack_file(example)).network
    plan = fabric.plan(args)
    return {switch.hostname: {"spec": _spec(args, switch)} for switch in plan.switches}, plan


async def brought_up(lab: Rack, inputs: dict[str, dict[str, Any]]) -> dict[str, Any]:
    made = await asyncio.gather(*(lab.kind.create(each, lab.context()) for each in inputs.values()))
    return {one.id: one.outputs for one in made}


@pytest.mark.parametrize("form", VARIANTS["ports"].forms)
async def test_the_lab_s_fabric_comes_up_and_goes_again_in_each_form_of_ports(form: str, tmp_path: Path) -> None:
    inputs, plan = planned()
    await comes_and_goes(inputs, plan, tmp_path, LAB.read_text(), {"ports": form})


@pytest.mark.parametrize(
    "forms",
    [{"ports": "routed-shut", "banner": "one-line"}, {"ports": "layer2-up", "banner": "delimiter-below"}],
    ids=" ".join,
)
async def test_a_fabric_with_a_baseline_comes_up_and_goes_again(forms: dict[str, str], tmp_path: Path) -> None:
    inputs, plan = planned("baseline")
    text = yaml.safe_dump(world(model.load(goldens.stack_file("baseline"))))
    await comes_and_goes(inputs, plan, tmp_path, text, forms)


def give(lab: Rack, inputs: dict[str, dict[str, Any]]) -> None:
    """A value for each secret that switches name: another one for each generation."""
    assert lab.reach.secrets is not None
    for name, generation in set(re.findall(r"\{\{secret:([a-z-]+)#(\d)", str(inputs))):
        (lab.reach.secrets / name).write_text(f"Canary-{generation}-{name}")


async def test_a_baseline_is_adopted_by_every_switch_rotated_and_given_up(tmp_path: Path) -> None:
    args = model.load(goldens.stack_file("baseline")).network
    whole = args.fabric.baseline
    rotated = whole.model_copy(update={"bgp_password": BgpPassword(secret="fabric-bgp", generation=2)})
    steps = []
    for baseline in (Baseline(), whole, rotated, Baseline()):
        given = args.model_copy(update={"fabric": args.fabric.model_copy(update={"baseline": baseline})})
        steps.append({each.hostname: {"spec": _spec(given, each)} for each in fabric.plan(given).switches})
    with rack(tmp_path, yaml.safe_dump(world(model.load(goldens.stack_file("baseline"))))) as lab:
        outputs = await brought_up(lab, steps[0])
        texts = {name: lab.text_of(name) for name in steps[0]}
        for old, new in itertools.pairwise(steps):
            give(lab, new)
            made = await asyncio.gather(
                *(lab.kind.update(name, new[name], old[name], outputs[name], lab.context()) for name in new)
            )
            outputs = dict(zip(new, made, strict=True))
            sessions = lab.side.world.sessions()
            assert sessions and all(each.up for each in sessions)
            assert "Canary" not in str(outputs) and "$5$" not in str(outputs)
            for name, each in new.items():
                live = await lab.kind.read(name, each, outputs[name], lab.context())
                assert live is not None and not lab.kind.diff(live.inputs, each, live.outputs).changes
        assert {name: lab.text_of(name) for name in texts} == texts
        await lab.kind.close()


async def comes_and_goes(
    inputs: dict[str, dict[str, Any]], plan: fabric.FabricPlan, folder: Path, text: str, forms: dict[str, str]
) -> None:
    with rack(folder, text, forms) as lab:
        give(lab, inputs)
        here = lab.side.world
        before = {name: lab.text_of(name) for name in inputs}
        outputs = await brought_up(lab, inputs)
        for host in here.hosts.values():
            host.power = "On"
        sessions = here.sessions()
        assert sessions and all(each.up for each in sessions)
        assert all(here.link_up(link.device, link.port) for link in plan.links if link.role == "fabric")
        writes = lab.side.writes
        for name, each in inputs.items():
            live = await lab.kind.read(name, each, outputs[name], lab.context())
            assert live is not None and not lab.kind.diff(live.inputs, each, live.outputs).changes
            await lab.kind.update(name, each, live.inputs, live.outputs, lab.context())
        assert lab.side.writes == writes
        for name, each in inputs.items():
            await lab.kind.delete(name, each, outputs[name], lab.context())
        assert {name: lab.text_of(name) for name in inputs} == before
        await lab.kind.close()

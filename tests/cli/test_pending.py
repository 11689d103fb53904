"""What a stack file defines and no update has made is shown by `status`, and counts."""

from __future__ import annotations

import io
import json
from typing import Any

from rich.console import Console

from podwright.cli import screen, stack
from podwright.cli.pending import pending
from podwright.components import model
from podwright.components.design import fabric
from podwright.components.providers.status.live import Live
from podwright.components.providers.status.switches import SwitchSeen
from tests.e2e.site import ROOT

CLUSTER = model.load(ROOT / "Pulumi.lab.yaml")


def _definition(cluster: model.Cluster = CLUSTER, **changes: Any) -> str:
    return json.dumps({**cluster.model_dump(mode="json"), **changes})


def test_the_last_updates_own_file_leaves_nothing_to_do() -> None:
    assert pending(_definition(), CLUSTER) == ()


def test_a_stack_whose_update_never_ended_well_is_judged_by_its_devices() -> None:
    assert pending("", CLUSTER) == ()


def test_each_value_is_named_with_both_sides() -> None:
    name, job = next(iter(CLUSTER.workloads.training.items()))
    fewer = {**CLUSTER.model_dump(mode="json")["workloads"]}
    fewer["training"] = {**fewer["training"], name: {**fewer["training"][name], "nodes": job.nodes - 1}}
    fewer["inference"] = {"gone": {"team": "x"}}
    found = pending(_definition(workloads=fewer), CLUSTER)
    service = next(iter(CLUSTER.workloads.inference))
    assert (
        f"workloads.training.{name}.nodes is {job.nodes} in the file, was {job.nodes - 1} at the last update" in found
    )
    assert f"workloads.inference.{service} is not made yet" in found
    assert "workloads.inference.gone is no longer in the file and still there" in found


def test_approvals_are_nothing_to_make() -> None:
    assert pending(_definition(changes={"approve": []}), CLUSTER) == ()


def test_a_field_that_the_last_release_did_not_have_is_no_difference() -> None:
    older = CLUSTER.model_dump(mode="json", exclude_defaults=True)
    assert pending(json.dumps(older), CLUSTER) == ()


def test_the_screen_counts_it_and_offers_the_preview() -> None:
    alone = CLUSTER.model_copy(update={"openshift": None, "acceptance": None, "servers": {}})
    plan = fabric.plan(alone.network)
    seen = {each.hostname: SwitchSeen(each.hostname, release="10.4(5)") for each in plan.switches}
    out = io.StringIO()
    known = stack.Stack(defined=_definition(alone, name="other"))
    facts = screen.Facts("lab", alone, plan, known, Live(seen, {}, None))
    screen.show(Console(file=out, width=160), facts, 1.0)
    assert not facts.well and "not as planned, see below" in out.getvalue()
    assert f"name is {alone.name} in the file, was other at the last update" in out.getvalue()
    assert "pulumi preview" in out.getvalue()

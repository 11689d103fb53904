"""The program that admits nodes, where their GPUs are divided or shared."""

from __future__ import annotations

import time
from typing import Any

import pytest

from podwright.components.programs.admission import Admission
from podwright.components.programs.nodes import state_of
from tests.components.programs.test_admission import Server, _passes
from tests.design.platform.test_admission import PLAIN, _planned

LABEL, STATE = "nvidia.com/mig.config", "nvidia.com/mig.config.state"
SLICE, SHARE = "nvidia.com/mig-1g.18gb", "nvidia.com/gpu.shared"
LAYOUT = "all-1g.18gb"
Item = dict[str, Any]


def _server(offers: dict[str, int], layout: str = LAYOUT, nodes: tuple[str, ...] = ("gpu-01",)) -> Server:
    server = Server(nodes)
    for node in server.nodes.values():
        node["metadata"]["labels"] |= {LABEL: layout, STATE: "success"}
        node["status"]["allocatable"] = {"cpu": "64", **{key: str(count) for key, count in offers.items()}}
    return server


def _program(server: Server, pool: str = "inference", **more: Any) -> Admission:
    settings = _planned(pool, PLAIN, **more)
    settings["nodes"] = dict.fromkeys(server.nodes, next(iter(settings["nodes"].values())))
    return Admission(settings, server)  # type: ignore[arg-type]


def _due() -> int:
    found: int = next(iter(_planned("inference")["nodes"].values()))["units"][SLICE]
    return found


def _reason(server: Server) -> str:
    return str(state_of(server.nodes["gpu-01"])["reason"])


def _end(server: Server, messages: list[str], codes: dict[int, int] | None = None) -> None:
    pod = server.pods["checks-gpu-01"]
    rows = [
        {"name": box["name"], "state": {"terminated": {"exitCode": (codes or {}).get(number, 0), "message": text}}}
        for number, (box, text) in enumerate(zip(pod["spec"]["containers"], messages, strict=True))
    ]
    pod["status"] = {"phase": "Failed" if codes else "Succeeded", "containerStatuses": rows}


def test_checks_take_every_slice_and_admit_by_what_they_found() -> None:
    server = _server({SLICE: _due(), "nvidia.com/gpu": 0})
    program = _program(server)
    _passes(program)
    spec = server.pods["checks-gpu-01"]["spec"]
    assert spec["initContainers"] == []
    (box,) = spec["containers"]
    assert box["resources"]["limits"][SLICE] == str(_due()) and "nvidia.com/gpu" not in box["resources"]["limits"]
    assert {"name": "GPUS", "value": str(_due())} in box["env"]
    _end(server, [""])
    _passes(program, 1)
    state = state_of(server.nodes["gpu-01"])
    assert not server.tainted("gpu-01") and state["result"] == "admitted" and state["layout"] == LAYOUT
    assert "gbytes" not in state, "no all-reduce ran"


@pytest.mark.parametrize(
    ("offers", "words"),
    [
        ({SLICE: -1}, "{less} of {due} nvidia.com/mig-1g.18gb are offered"),
        ({SLICE: 0, "nvidia.com/mig-2g.35gb": 3}, "3 nvidia.com/mig-2g.35gb where the stack file has none are offered"),
        ({SLICE: 1}, "{more} nvidia.com/mig-1g.18gb where the stack file has {due} are offered"),
        ({SLICE: 0, "nvidia.com/gpu": 1}, "1 nvidia.com/gpu where the stack file has none"),
    ],
)
def test_what_a_node_offers_must_be_exactly_what_the_file_makes(offers: dict[str, int], words: str) -> None:
    due = _due()
    server = _server({**offers, SLICE: due + offers[SLICE]})
    program = _program(server)
    _passes(program)
    assert server.tainted("gpu-01") and not server.pods
    assert words.format(due=due, less=due - 1, more=due + 1) in _reason(server), _reason(server)
    server.nodes["gpu-01"]["status"]["allocatable"] = {SLICE: str(due)}
    _passes(program, 1)
    assert "checks-gpu-01" in server.pods


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ({LABEL: "all-2g.35gb"}, "its MIG layout is all-2g.35gb, in the stack file it is all-1g.18gb"),
        ({STATE: "pending"}, "MIG manager has not laid its GPUs out as all-1g.18gb (pending)"),
        ({STATE: "failed"}, "MIG manager has not laid its GPUs out as all-1g.18gb (failed)"),
    ],
)
def test_a_layout_that_does_not_stand_keeps_a_node_out(labels: dict[str, str], words: str) -> None:
    server = _server({SLICE: _due()})
    server.nodes["gpu-01"]["metadata"]["labels"] |= labels
    program = _program(server)
    _passes(program)
    assert server.tainted("gpu-01") and not server.pods and _reason(server) == words


def test_checks_give_their_gpus_up_to_mig_manager() -> None:
    server = _server({SLICE: _due()})
    program = _program(server)
    _passes(program)
    server.pods["checks-gpu-01"]["status"]["phase"] = "Running"
    server.nodes["gpu-01"]["metadata"]["labels"][STATE] = "pending"
    _passes(program, 1)
    assert not server.pods and server.tainted("gpu-01")


def test_another_layout_of_a_node_that_was_admitted_is_checked_in_the_same_boot() -> None:
    server = _server({SLICE: _due()})
    program = _program(server)
    _passes(program)
    _end(server, [""])
    _passes(program)
    assert not server.tainted("gpu-01") and not server.pods
    # The stack file asks for another one: nodes that still have the old one stay as they are.
    half = _due() * 3 // 7
    newer = _program(server, mig="all-2g.35gb")
    _passes(newer)
    assert not server.tainted("gpu-01")
    node = server.nodes["gpu-01"]
    node["metadata"]["labels"] |= {LABEL: "all-2g.35gb", STATE: "pending"}
    _passes(newer, 1)
    assert server.tainted("gpu-01") and _reason(server) == "it has another MIG layout and is not checked yet"
    node["metadata"]["labels"][STATE] = "success"
    node["status"]["allocatable"] = {SLICE: "0", "nvidia.com/mig-2g.35gb": str(half)}
    _passes(newer)
    assert server.pods["checks-gpu-01"]["spec"]["containers"][0]["name"] == "slices-2g-35gb"
    _end(server, [""])
    _passes(newer)
    assert not server.tainted("gpu-01") and state_of(node)["layout"] == "all-2g.35gb"


def test_a_node_that_was_checked_before_layouts_were_noted_stays_admitted() -> None:
    server = _server({SLICE: _due()})
    node = server.nodes["gpu-01"]
    node["metadata"]["annotations"] = {
        "podwright.io/admission": '{"at": "2026-11-01T00:00:00Z", "boot": "first", "reason": "", "result": "admitted"}'
    }
    _passes(_program(server))
    assert not server.tainted("gpu-01") and not server.pods and state_of(node)["layout"] == LAYOUT


def _shared(server: Server) -> Admission:
    sharing = {"mode": "time-slicing", "replicas": 4, "reason": "one project, the same data"}
    return _program(server, "training", sharing=sharing)


def test_a_share_of_each_gpu_is_taken_and_all_of_them_must_have_been_reached() -> None:
    server = _server({SHARE: 32}, "all-disabled")
    program = _shared(server)
    _passes(program)
    boxes = server.pods["checks-gpu-01"]["spec"]["containers"]
    assert [each["name"] for each in boxes] == [f"share-gpu-{number}" for number in range(8)]
    assert {each["resources"]["limits"][SHARE] for each in boxes} == {"1"}, "the plugin refuses two"
    _end(server, [f"uuid=GPU-{number % 7}" for number in range(8)])
    _passes(program)
    assert server.tainted("gpu-01") and _reason(server).startswith("shares of 7 of 8 GPUs or slices were given")
    del server.pods["checks-gpu-01"]
    del server.nodes["gpu-01"]["metadata"]["annotations"]
    _passes(program)
    _end(server, [f"uuid=GPU-{number}" for number in range(8)])
    _passes(program, 1)
    assert not server.tainted("gpu-01")


def test_one_hot_gpu_of_a_shared_node_keeps_it_out() -> None:
    server = _server({SHARE: 32}, "all-disabled")
    program = _shared(server)
    _passes(program)
    hot = "too hot: GPU 00000000:3A:00.0 at 88 °C, -1 below its limit"
    _end(server, [hot if number == 2 else f"uuid=GPU-{number}" for number in range(8)], {2: 1})
    _passes(program)
    assert server.tainted("gpu-01") and _reason(server) == f"share-gpu-2: {hot}"


def test_too_few_shares_keep_a_node_out() -> None:
    server = _server({SHARE: 28}, "all-disabled")
    _passes(_shared(server))
    assert server.tainted("gpu-01") and _reason(server) == "28 of 32 nvidia.com/gpu.shared are offered"


def test_what_operators_may_still_bring_is_waited_for_and_fails_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A roll-out ends where checks have failed: not while a driver starts after its restart."""
    server = _server({})
    program = _program(server)
    _passes(program)
    state = state_of(server.nodes["gpu-01"])
    assert state["result"] == "waiting" and "the driver or the device plugin is not there" in state["reason"]
    now = time.time()
    monkeypatch.setattr("podwright.components.programs.nodes.time.time", lambda: now + 1000)
    _passes(program, 1)
    assert state_of(server.nodes["gpu-01"])["result"] == "failed"
    at = state_of(server.nodes["gpu-01"])["at"]
    _passes(program)
    assert state_of(server.nodes["gpu-01"])["at"] == at

"""Another GPU driver, another driver of NICs, another configuration and other functions at once, by one `up`: whoever
takes nodes away, no more are away than the budget has, and a service keeps an endpoint. The API server's audit log
shows each moment of it.

Six GPU nodes; PODWRIGHT_AT_ONCE_NODES=32 makes it a rack row (`make soak SUITE=at-once`).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.audit_log import State, after, beyond, read, silent, taken
from tests.e2e.conftest import MakeSite
from tests.e2e.many_nodes import SERVING, stack, write_world
from tests.e2e.site import Site
from tests.e2e.standing import kubectl

# 32 nodes are installed, then taken in waves of four.
pytestmark = [pytest.mark.soak, pytest.mark.timeout(5400)]

COUNT = int(os.environ.get("PODWRIGHT_AT_ONCE_NODES", "6"))
BUDGET = 2 if COUNT < 16 else 4
TRAINING = tuple(f"gpu-{number:02d}" for number in range(1, COUNT - SERVING + 1))
INFERENCE = tuple(f"inf-{number:02d}" for number in range(1, SERVING + 1))
SERVICE = "chat/chat"
MAJOR = "nvidia.com/cuda.driver.major"
MOFED = "nvidia.com/ofed-driver"
OTHER, NOBODYS = "doca3.3.0-26.01-1.0.0.0-0", "doca3.9.9-26.10-9.9.9.9-9"
AT_ONCE = {
    "operators/gpu_driver": "580.95.05",
    "operators/doca_driver": OTHER,
    "pools/training/containers": {"pids": 8192},
    "pools/inference/containers": {"pids": 8192},
    "fabric/lossless": {"host_mtu": 8900},
}


class Seen:
    """What the audit log shows from now on."""

    def __init__(self, site: Site) -> None:
        (self._log,) = Path(site.lab).rglob("audit.log")
        self._begin = int(_get(site, "nodes")["metadata"]["resourceVersion"])

    def states(self) -> list[State]:
        """All states since the beginning."""
        return after(read(self._log), self._begin)


def _get(site: Site, *what: str) -> Any:
    return json.loads(kubectl(site, "get", "--raw", "/api/v1/nodes") if what == ("nodes",) else
                      kubectl(site, "get", *what, "-o", "json"))  # fmt: skip


def _up(site: Site) -> None:
    site.pulumi("up", "--yes", "--skip-preview", "--policy-pack", "policies", timeout=3600)


def _majors(site: Site) -> set[str]:
    return {node["metadata"]["labels"][MAJOR] for node in _get(site, "nodes", "-l", MAJOR)["items"]}


def _drivers(site: Site) -> dict[str, str]:
    """Tag of the NICs' driver by node."""
    pods = _get(site, "pods", "-n", "nvidia-network-operator", "-l", MOFED)["items"]
    return {pod["spec"]["nodeName"]: pod["spec"]["containers"][0]["image"].rpartition(":")[2] for pod in pods}


def _cordoned(site: Site) -> list[str]:
    return [node["metadata"]["name"] for node in _get(site, "nodes")["items"] if node["spec"].get("unschedulable")]


@pytest.fixture(scope="module")
def many(make_site: MakeSite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site of its own: a service needs another server of its pool to go to."""
    text = stack(COUNT, BUDGET)
    yield make_site(
        "at-once", stack_text=text, world=write_world(text, tmp_path_factory.mktemp("world") / "world.yaml")
    )


def test_whoever_takes_nodes_for_one_up_keeps_to_the_budget_and_a_service_has_an_endpoint(many: Site) -> None:
    assert _majors(many) == {"595"}
    seen = Seen(many)
    many.edit(AT_ONCE)
    _up(many)
    found = seen.states()
    assert beyond(found, TRAINING, BUDGET) == []
    assert beyond(found, INFERENCE, 1) == []
    assert silent(found, SERVICE) == []
    assert _majors(many) == {"580"}
    assert {node: tag.startswith(f"{OTHER}-") for node, tag in _drivers(many).items()} == dict.fromkeys(TRAINING, True)
    assert _cordoned(many) == []
    order = taken(found)
    assert {*order} >= {*TRAINING, *INFERENCE}
    assert max(len(each.away & {*TRAINING}) for each in found) > 1, "the budget is used"
    assert many.preview() == []


def test_both_drivers_take_a_node_once(many: Site) -> None:
    seen = Seen(many)
    many.edit({"operators/gpu_driver": None, "operators/doca_driver": None})
    _up(many)
    found = seen.states()
    assert sorted(taken(found)) == sorted((*TRAINING, *INFERENCE))
    assert beyond(found, TRAINING, BUDGET) == []
    assert silent(found, SERVICE) == []
    assert _majors(many) == {"595"}
    assert many.preview() == []


def test_a_driver_of_nics_that_does_not_run_stays_one_nodes_trouble_and_the_next_one_begins_there(many: Site) -> None:
    seen = Seen(many)
    text = many.stack_file.read_text()
    many.edit({"operators/doca_driver": NOBODYS})
    with (many.folder / "stuck.log").open("w") as log:
        running = subprocess.Popen(
            ["pulumi", "up", "--yes", "--skip-preview", "--stack", many.stack, "--non-interactive"],
            cwd=many.folder, env=many.environ, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        end = time.monotonic() + 120
        while not any(tag.startswith(NOBODYS) for tag in _drivers(many).values()):
            assert time.monotonic() < end and running.poll() is None, "the first node is taken"
            time.sleep(0.5)
        time.sleep(8)
        os.killpg(running.pid, signal.SIGINT)
        running.wait(120)
    (first,) = taken(seen.states())
    assert _cordoned(many) == [first]
    assert f"{first}: driver nvcr.io/nvidia/mellanox/doca-driver:{NOBODYS}" in (many.folder / "stuck.log").read_text()
    assert silent(seen.states(), SERVICE) == []
    many.stack_file.write_text(text)
    many.up("--refresh", "--run-program")
    assert _cordoned(many) == []
    assert {*taken(seen.states())} == {first}, "the others run the driver that is asked for again"
    assert many.preview() == []

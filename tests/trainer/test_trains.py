"""The reference trainer under the planned command and variables, with real PyTorch: whatever ends whenever, it goes on
where it was. Opt-in: `make soak SUITE=trainer`, which loads PyTorch (3 GB) into an environment of its own."""

import copy
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podwright.components.model.rendezvous import MEETING
from podwright.toolchain.keys import cache_root
from podwright.toolchain.pytorch import Torch
from tests.design import whole
from tests.model.changes import PROD, both, put
from tests.model.test_sections import cluster as stack
from tests.trainer.controller import Running
from tests.trainer.files import TRAIN, module
from tests.trainer.pods import Cluster
from tests.trainer.stores import ADDRESS, Store
from tools.generated import ROOT

pytestmark = [pytest.mark.soak, pytest.mark.timeout(2400)]
SEED = int(os.environ.get("PODWRIGHT_TRAINER_SEED", "1"))
STEPS, EVERY, KEEP = 80, 10, 3
MODEL = ("--width=96", "--layers=2", "--heads=4", "--context=32", "--words=16384")
CLAIM, JOB = "pretrain-checkpoints", "workloads/training/pretrain"
checkpoint = module("checkpoint")


@pytest.fixture(scope="module")
def torch() -> Torch:
    subprocess.run([sys.executable, "-m", "podwright.toolchain", "setup", "torch"], cwd=ROOT, check=True)
    return Torch(cache_root(os.environ), os.environ)


def planned(volume: Path, log: Path, *, steps: int = STEPS, batch: int = 16, **keys: Any) -> tuple[Any, Any]:
    """The planned job of two members with two processes each, and the Deployment of its store if it has one."""
    command = ["torchrun", str(TRAIN), "full", f"--steps={steps}", f"--curve={log}", f"--batch={batch}", *MODEL]
    saving = {"volume": CLAIM, "every_steps": EVERY, "keep": KEEP}
    own = {"nodes": 2, "gpus": 2, "command": command, "checkpoints": saving,
           "volumes": {CLAIM: {"path": str(volume)}}, **keys}  # fmt: skip
    changes = [put(f"{JOB}/{key}", value) for key, value in own.items() if value is not None]
    made = whole.workloads(stack(PROD, both(*changes)))
    (job,) = (each for each in made if each["kind"] == "Job")
    store = next((each for each in made if each["metadata"]["name"] == f"{job['metadata']['name']}{MEETING}"), None)
    return copy.deepcopy(job), copy.deepcopy(store)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture
def started(tmp_path: Path, torch: Torch) -> Iterator[Any]:
    running: list[Running] = []

    def start(name: str, lag: float = 0.5, admitted: int | None = None, **keys: Any) -> Running:
        folder = tmp_path / name
        (folder / "volume").mkdir(parents=True)
        log = folder / "volume" / "log"
        job, server = planned(folder / "volume", log, **keys)
        if admitted is not None:
            job["spec"] |= {"parallelism": admitted, "completions": admitted}
        port, programs = free_port(), torch.torchrun.parent
        store = Store(server, folder, port, programs) if server else None
        cluster = Cluster(job, folder, port, programs, {store.name: ADDRESS} if store else {})
        running.append(Running(cluster, log, lag, store))
        running[-1].start()
        return running[-1]

    yield start
    for each in running:
        each.stop()


def curve(found: list[dict[str, Any]]) -> dict[int, float]:
    """Loss by step, the last time that it was made."""
    return {each["step"]: each["loss"] for each in found if "step" in each}


def lost(found: list[dict[str, Any]]) -> list[int]:
    """By start after the first, how many steps were made again."""
    steps, again = 0, []
    for number, each in enumerate(found):
        if "resumed" in each:
            again += [steps - each["resumed"]] if number else []
        else:
            steps = each["step"]
    return again


def partials(volume: Path) -> list[str]:
    return [each.name for each in volume.iterdir() if each.name.endswith(".partial")]


def mid_write(running: Running) -> None:
    """Kill the pod that writes a checkpoint while it writes; what it leaves is no checkpoint."""
    volume = running.log.parent
    while not (names := partials(volume)):
        running.turn()
    member = int(names[0].split(".")[1].rsplit("-", 2)[-2])
    running.pods[member].drained = True
    running.pods[member].kill()


def fault(kind: str, running: Running, choice: random.Random) -> None:
    member = choice.choice(sorted(running.pods))
    pod = running.pods[member]
    if kind == "process" and (workers := pod.workers()):
        os.kill(choice.choice(workers), signal.SIGKILL)
    elif kind == "drain":
        pod.terminate()
    elif kind == "mid-write":
        mid_write(running)
    else:
        pod.drained = True
        pod.kill()


def goes_on(running: Running, starts: int) -> None:
    """Until rank 0 has started once more and has made steps, or all is done."""

    def again() -> bool:
        found = running.lines()
        places = [number for number, each in enumerate(found) if "resumed" in each]
        return running.finished() or (len(places) > starts and len(found) > places[-1] + 3)

    running.until(again, 400, f"it starts once more after {starts} starts")


def test_the_loss_goes_on_whatever_is_killed(started: Any, record_property: Any) -> None:
    choice = random.Random(SEED)
    plain = started("plain")
    plain.until(plain.finished, 600, "a run without faults ends")
    reference = curve(plain.lines())
    assert sorted(reference) == list(range(1, STEPS + 1))
    assert reference[STEPS] < reference[1] - 0.5, "it learns"
    running = started("killed", lag=choice.choice([0.0, 2.0, 8.0]))
    kinds = ["process", "pod", "drain", "mid-write"]
    choice.shuffle(kinds)
    told = []
    for number, kind in enumerate(kinds):
        at = choice.randint(number * STEPS // 4 + 2, (number + 1) * STEPS // 4 - 8)
        running.until(lambda at=at: running.step() >= at, 400, f"step {at}")
        starts = sum("resumed" in each for each in running.lines())
        fault(kind, running, choice)
        goes_on(running, starts)
        again = lost(running.lines())
        told.append((kind, at, again[-1] if again else None))
    running.until(running.finished, 600, "the job ends")
    found = running.lines()
    print(f"seed {SEED}: lost by fault {told}, all starts {lost(found)}, failures {dict(running.failures)}")
    record_property("lost", told)
    assert all(0 <= each <= EVERY for each in lost(found)), found
    assert len(lost(found)) >= len(kinds)
    assert curve(found) == pytest.approx(reference, rel=1e-4), "the same data in the same order"
    drained = next(each for kind, _, each in told if kind == "drain")
    assert drained == 0, "a pod that has to go saves first"
    files = checkpoint.Checkpoints(running.log.parent)
    assert len(files.all()) == KEEP
    assert files.newest().step == STEPS
    assert not partials(running.log.parent)


def test_a_member_0_that_is_replaced_hosts_the_store_again(started: Any) -> None:
    """DNS has the pod before for a while; the others end with an error, are made again, and find the new one."""
    running = started("member-0", lag=6.0)
    for starts in (1, 2):
        running.until(lambda starts=starts: running.step() >= 12 * starts, 400, "it trains")
        running.pods[0].drained = True
        running.pods[0].kill()
        goes_on(running, starts)
    running.until(running.finished, 600, "the job ends")
    assert running.failures[0] == 0, "member 0 has no failure of its own"
    assert running.failures[1] <= 2, "one for each time that the store was gone"
    assert max(lost(running.lines())) <= EVERY


def test_a_job_that_was_started_with_fewer_members_trains_goes_on_with_one_and_takes_the_other_in(
    started: Any,
) -> None:
    """Four members planned, one at least, and room for two, as Kueue writes it into the Job. Each time that they meet
    they wait a minute for more."""
    running = started("fewer", admitted=2, steps=100_000, nodes=4, min_nodes=1, gpus=1)

    def ranks() -> list[int]:
        return [each["ranks"] for each in running.lines() if "resumed" in each]

    running.until(lambda: running.step() >= EVERY + 2, 400, "two members train")
    assert ranks() == [2]
    running.held.add(1)
    running.pods[1].drained = True
    running.pods[1].kill()
    goes_on(running, 1)
    assert ranks() == [2, 1] and not running.failures.total(), "the other one is left, in the same pod"
    running.held.clear()
    goes_on(running, 2)
    assert ranks() == [2, 1, 2] and not running.failures.total()
    assert max(lost(running.lines())) <= EVERY


def test_the_smoke_form_needs_one_process(tmp_path: Path, torch: Torch) -> None:
    ran = subprocess.run(
        [torch.python, TRAIN, "smoke", f"--checkpoints={tmp_path}"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert '"smoke": "ok"' in ran.stdout


def test_the_bandwidth_form_measures_every_size(torch: Torch) -> None:
    begin = time.monotonic()
    ran = subprocess.run(
        [torch.torchrun, "--standalone", "--nproc-per-node=2", TRAIN, "bandwidth", "--mib=16"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert [line.split(",")[0] for line in ran.stdout.splitlines()] == ['{"mib": 1', '{"mib": 4', '{"mib": 16']
    assert time.monotonic() - begin < 300

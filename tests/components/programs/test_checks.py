"""The checks of a node as its pod runs them: the script itself, with the lab's GPUs beneath."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from podwright.lab.openshift.scripts import container
from podwright.lab.world.gpus import GpuState, Unit, shown, units
from podwright.lab.world.inventory import Gpus, Server
from tests.components.programs import SCRIPT

NOTHING: Mapping[str, str] = {}


def _server(product: str = "NVIDIA-H200", count: int = 8) -> Server:
    server = object.__new__(Server)
    vars(server).update(name="gpu-01", gpus=Gpus(product, count))
    return server


def _run(
    folder: Path,
    step: str,
    state: GpuState,
    *,
    product: str = "NVIDIA-H200",
    fabric: str = "registered",
    dcgm: str = "by-test",
    given: list[Unit] | None = None,
    beside: bool = False,
    env: Mapping[str, str] = NOTHING,
) -> Any:
    container.equip(folder, json.dumps(shown(state, _server(product), dcgm, given)), beside=beside)
    result = folder / "message"
    result.unlink(missing_ok=True)
    own = {"RESULT": str(result), "GPUS": "8", "FABRIC": fabric, "HOT": "83", "LEVEL": "2", **env}
    path = {"PATH": f"{folder / 'bin'}:{os.defpath}"}
    ended = subprocess.run(
        ["/bin/bash", SCRIPT, step], env={**path, **own}, capture_output=True, text=True, check=False
    )
    return ended.returncode, result.read_text(encoding="utf-8") if result.exists() else ""


def test_a_healthy_node_passes_and_its_bandwidth_is_reported(tmp_path: Path) -> None:
    assert _run(tmp_path, "devices", GpuState()) == (0, "")
    assert _run(tmp_path, "diagnostics", GpuState()) == (0, "")
    code, text = _run(tmp_path, "collective", GpuState())
    assert code == 0 and 470 < float(text.removeprefix("gbytes=")) < 480


@pytest.mark.parametrize(
    ("step", "state", "words"),
    [
        ("devices", GpuState(missing=[3]), "nvidia-smi lists 7 of 8 GPUs"),
        ("devices", GpuState(missing=list(range(8))), "couldn't communicate with the NVIDIA driver"),
        ("devices", GpuState(hot={2: 85}), "too hot: GPU 2 at 85 °C, 2 below its limit"),
        ("devices", GpuState(fabric="down"), "the fabric manager has not taken in GPU 0 1 2 3 4 5 6 7: In Progress"),
        ("diagnostics", GpuState(diagnostics="GPU Memory"), "dcgmi diag -r 2 ended with 226: GPU Memory Fail GPU: 0"),
        ("collective", GpuState(fabric="down"), "system not yet initialized"),
        ("collective", GpuState(hot={7: 90}), "too hot: GPU 7 at 90 °C, -3 below its limit"),
    ],
)
def test_what_is_wrong_is_the_reason(tmp_path: Path, step: str, state: GpuState, words: str) -> None:
    code, text = _run(tmp_path, step, state)
    assert code == 1 and words in text, text


def test_a_gpu_that_reports_no_limit_is_measured_by_the_file(tmp_path: Path) -> None:
    bare: dict[str, Any] = {"product": "NVIDIA-L40S", "fabric": "none"}
    assert _run(tmp_path, "devices", GpuState(hot={1: 82}), **bare) == (0, "")
    code, text = _run(tmp_path, "devices", GpuState(hot={1: 83}), **bare)
    assert code == 1 and "GPU 1 at 83 °C, the limit is 83" in text


def test_a_driver_that_does_not_know_the_distance_to_the_limit_is_asked_for_the_temperature(tmp_path: Path) -> None:
    older = "for each; do [[ $each == *tlimit* ]] && { echo Field is not a valid field to query.; exit 2; }; done"
    _run(tmp_path, "devices", GpuState())
    program = tmp_path / "bin" / "nvidia-smi"
    newer = program.rename(program.with_name("newer"))
    program.write_text(f'#!/bin/bash\n{older}\nexec {newer} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / "gpus.json").write_text(json.dumps(shown(GpuState(hot={4: 90}), _server())), encoding="utf-8")
    path = {"PATH": f"{tmp_path / 'bin'}:{os.defpath}", "RESULT": str(tmp_path / "message"), "GPUS": "8", "HOT": "83"}
    ended = subprocess.run(["/bin/bash", SCRIPT, "devices"], env={**path, "FABRIC": "none"}, check=False)
    text = (tmp_path / "message").read_text(encoding="utf-8")
    assert ended.returncode == 1 and text == "too hot: GPU 4 at 90 °C, the limit is 83", text


@pytest.mark.parametrize(("dcgm", "words"), [("by-test", "PCIe Fail GPU: 0"), ("by-gpu", "pcie Fail; GPU0: Fail")])
def test_both_forms_of_dcgms_table_are_read(tmp_path: Path, dcgm: str, words: str) -> None:
    assert _run(tmp_path, "diagnostics", GpuState(), dcgm=dcgm) == (0, "")
    code, text = _run(tmp_path, "diagnostics", GpuState(diagnostics="PCIe"), dcgm=dcgm)
    assert code == 1 and text == f"dcgmi diag -r 2 ended with 226: {words}", text


def test_a_diagnostic_that_its_level_does_not_run_fails_nobody(tmp_path: Path) -> None:
    assert _run(tmp_path, "diagnostics", GpuState(diagnostics="Targeted Power")) == (0, "")


PROFILE = "1g.18gb"
DIVIDED = {index: {PROFILE: 4, "3g.71gb": 1} for index in range(8)}
SLICES = {"PROFILE": PROFILE, "BY": "pci.bus_id", "GPUS": "32", "FABRIC": "none"}


def _slices(state: GpuState) -> list[Unit]:
    return [each for each in units(state, DIVIDED, 8) if each.profile == PROFILE]


def test_slices_are_counted_by_profile(tmp_path: Path) -> None:
    assert _run(tmp_path, "slices", GpuState(), given=_slices(GpuState()), env=SLICES) == (0, "")
    state = GpuState(destroyed={5: PROFILE})
    code, text = _run(tmp_path, "slices", state, given=_slices(state), env=SLICES)
    assert code == 1 and text == "nvidia-smi lists 31 of 32 slices 1g.18gb", text


def test_a_hot_gpu_of_slices_is_named_by_its_place(tmp_path: Path) -> None:
    state = GpuState(hot={2: 88})
    code, text = _run(tmp_path, "slices", state, given=_slices(state), env=SLICES)
    assert code == 1 and text == "too hot: GPU 00000000:3A:00.0 at 88 °C, -1 below its limit", text


def test_dcgm_and_nccl_do_nothing_with_slices(tmp_path: Path) -> None:
    """What the model's limits rest on, as far as the lab knows it from their sources."""
    given = _slices(GpuState())
    code, text = _run(tmp_path, "diagnostics", GpuState(), given=given, env={**SLICES, "LEVEL": "1"})
    assert code == 1 and "incompatible with the diagnostic" in text
    code, text = _run(tmp_path, "collective", GpuState(), given=given, env=SLICES)
    assert code == 1 and "invalid number of GPUs" in text


def test_a_share_shows_the_gpu_that_it_is_of(tmp_path: Path) -> None:
    share = {"GPUS": "1", "BY": "pci.bus_id", "LEVEL": "1"}
    seen = {_run(tmp_path, "share", GpuState(), given=[Unit(index)], beside=True, env=share) for index in (0, 1, 1)}
    assert {code for code, _ in seen} == {0} and len(seen) == 2, seen
    assert all(text.startswith("uuid=GPU-") for _, text in seen)
    for state, words in (
        (GpuState(hot={1: 90}), "too hot: GPU 00000000:29:00.0 at 90 °C"),
        (GpuState(fabric="down"), "the fabric manager has not taken in GPU 00000000:29:00.0"),
        (GpuState(diagnostics="Inforom"), "dcgmi diag -r 1 ended with 226: Inforom Fail"),
    ):
        code, text = _run(tmp_path, "share", state, given=[Unit(1)], beside=True, env=share)
        assert code == 1 and words in text, text


def test_a_share_of_a_slice_runs_no_diagnostics(tmp_path: Path) -> None:
    given, share = [Unit(3, PROFILE, 2)], {**SLICES, "GPUS": "1", "LEVEL": "1"}
    code, text = _run(tmp_path, "share", GpuState(fabric="down", diagnostics="Inforom"), given=given, env=share)
    assert code == 0 and text.startswith("uuid=MIG-"), text


def test_each_share_asks_a_host_engine_of_its_own(tmp_path: Path) -> None:
    """Containers of a pod have one network: an engine on a port would answer for another container's GPU."""
    share = {"GPUS": "1", "BY": "pci.bus_id", "LEVEL": "1"}
    _run(tmp_path, "diagnostics", GpuState(diagnostics="Inforom"), given=[Unit(0)], env={"LEVEL": "1"})
    assert (tmp_path / "hostengine-port").exists()
    code, text = _run(tmp_path, "share", GpuState(), given=[Unit(1)], beside=True, env=share)
    assert code == 0, text

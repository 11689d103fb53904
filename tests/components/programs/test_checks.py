"""The checks of a node as its pod runs them: the script itself, with the lab's GPUs beneath."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from podwright.lab.openshift.scripts import container
from podwright.lab.world.gpus import GpuState, shown
from podwright.lab.world.inventory import Gpus, Server
from tests.components.programs import SCRIPT


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
) -> Any:
    container.equip(folder, json.dumps(shown(state, _server(product), dcgm)))
    result = folder / "message"
    own = {"RESULT": str(result), "GPUS": "8", "FABRIC": fabric, "HOT": "83", "LEVEL": "2"}
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
    bare = {"product": "NVIDIA-L40S", "fabric": "none"}
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

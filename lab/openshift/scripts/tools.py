"""What a container with GPUs finds on its PATH: `tools.py PROGRAM STATE [ARGUMENT …]`.

STATE is a JSON file of `lab.world.gpus.shown`, GPUS how many GPUs the device plugin has given the container. Output is
in the shape of the real programs: NVIDIA's nvidia-smi (`--help-query-gpu`), NVIDIA/DCGM (dcgmi, nv-hostengine) and
NVIDIA/nccl-tests (src/common.cu).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

State = dict[str, Any]
TABLE = "| {:<25} | {:<46} |"
TESTS = {
    1: ("Denylist", "NVML Library", "CUDA Main Library", "Permissions and OS Blocks", "Persistence Mode",
        "Environment Variables", "Page Retirement/Row Remap", "Graphics Processes", "Inforom"),
    2: ("PCIe", "GPU Memory"),
    3: ("Diagnostic", "Targeted Stress", "Targeted Power", "Memory Bandwidth"),
    4: ("Memtest", "Pulse Test"),
}  # fmt: skip
SILENT = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. "
    "Make sure that the latest NVIDIA driver is installed and running."
)
NOT_INITIALIZED = "Test CUDA failure common.cu:892 'system not yet initialized'"


def devices(state: State) -> Iterator[dict[str, str]]:
    """Fields of `--query-gpu` by GPU."""
    present = [index for index in range(state["count"]) if index not in state["missing"]]
    for index, physical in enumerate(present):
        heat = int(state["hot"].get(str(physical), state["idle"]))
        fabric = ("Completed", "Success") if state["fabric"] == "up" else ("In Progress", "N/A")
        yield {
            "index": str(index), "name": state["product"], "temperature.gpu": str(heat),
            "temperature.gpu.tlimit": str(state["limit"] - heat) if state["switched"] else "N/A",
            "fabric.state": fabric[0] if state["registers"] else "N/A",
            "fabric.status": fabric[1] if state["registers"] else "N/A",
        }  # fmt: skip


def nvidia_smi(state: State, arguments: list[str]) -> int:
    """`--query-gpu=…`; anything else is refused."""
    found = list(devices(state))
    query = next((each.partition("=")[2].split(",") for each in arguments if each.startswith("--query-gpu=")), [])
    if not found:
        print(SILENT)
        return 9
    if unknown := [each for each in query if each not in found[0]]:
        print(f'Field "{unknown[0]}" is not a valid field to query.')
        return 2
    if not query or not any(each.startswith("--format=csv") for each in arguments):
        print("Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.")
        return 1
    for row in found:
        print(", ".join(row[field] for field in query))
    return 0


def nv_hostengine(place: Path) -> int:
    """A daemon of the container."""
    place.with_name("hostengine").touch()
    print(f"Started host engine version 4.5.2 using PID number: {len(str(place))}")
    return 0


def dcgmi(state: State, place: Path, arguments: list[str]) -> int:
    """`discovery -l` and `diag -r N`, which need a host engine."""
    if not place.with_name("hostengine").exists():
        print("Error: unable to establish a connection to the specified host: localhost")
        print("Error: Unable to connect to host engine. Host engine connection invalid/disconnected.")
        return 226
    if arguments[:1] == ["discovery"]:
        print(f"{len(list(devices(state)))} GPUs found.")
        return 0
    level, failed = int(arguments[arguments.index("-r") + 1]), str(state["diagnostics"])
    print("Successfully ran diagnostic for group.")
    print(TABLE.format("Diagnostic", "Result"))
    names = [test for number, tests in TESTS.items() if number <= level for test in tests]
    for name in names:
        if state["dcgm"] == "by-gpu":
            print(TABLE.format(name.lower().replace(" ", "_"), "Fail" if name == failed else "Pass"))
            for index, _ in enumerate(devices(state)):
                print(TABLE.format("", f"GPU{index}: {'Fail' if name == failed and not index else 'Pass'}"))
        else:
            print(TABLE.format(name, "Fail - GPU: 0" if name == failed else "Pass"))
    if failed in names:
        print(TABLE.format("Warning", "GPU 0 has failed a test; drain and reset it"))
    ran = failed in names
    return 226 if ran else 0


def all_reduce_perf(state: State, arguments: list[str]) -> int:
    """A table of sizes and its average; GPUs on switches that nobody manages cannot be used by CUDA."""
    asked = int(arguments[arguments.index("-g") + 1])
    print(
        f"# nThread 1 nGpus {asked} minBytes 1073741824 maxBytes 4294967296 step: 2(factor) warmup iters: 1 iters: 20"
    )
    if state["switched"] and state["fabric"] != "up":
        print(NOT_INITIALIZED)
        return 3
    if asked > len(list(devices(state))):
        print("Test failure: invalid number of GPUs")
        return 1
    rate = state["bus_gbytes"] if asked > 1 else 0.0
    for size in (1 << 30, 1 << 31, 1 << 32):
        row = f"{size:>12} {size // 4:>13}     float     sum      -1"
        print(f"{row} {size / max(rate, 1) / 1e3:>8.1f} {rate * 4 / 7:>6.2f} {rate:>6.2f}      0")
    print("# Out of bounds values : 0 OK")
    print(f"# Avg bus bandwidth    : {rate:g} \n#")
    return 0


def main() -> int:
    """Run the program that was asked for."""
    program, place, *arguments = sys.argv[1:]
    state = json.loads(Path(place).read_text(encoding="utf-8"))
    if program == "nv-hostengine":
        return nv_hostengine(Path(place))
    if program == "dcgmi":
        return dcgmi(state, Path(place), arguments)
    return nvidia_smi(state, arguments) if program == "nvidia-smi" else all_reduce_perf(state, arguments)


if __name__ == "__main__":
    sys.exit(main())

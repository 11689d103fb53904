"""What a container with GPUs finds on its PATH: `tools.py PROGRAM STATE [ARGUMENT …]`.

STATE is a JSON file of `lab.world.gpus.shown`: what the device plugin has given the container. Output is in the shape
of the real programs: NVIDIA's nvidia-smi (`--help-query-gpu`), NVIDIA/DCGM (dcgmi, nv-hostengine) and NVIDIA/nccl-tests
(src/common.cu).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_DNS, uuid5

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
INCOMPATIBLE = (
    "GPU 0's MIG configuration is incompatible with the diagnostic because it prevents access to the entire GPU."
)
NOT_INITIALIZED = "Test CUDA failure common.cu:892 'system not yet initialized'"


def devices(state: State) -> Iterator[dict[str, str]]:
    """Fields of `--query-gpu` by GPU, those that the container has, or has a MIG instance of: a pod's own view of a
    GPU with MIG on has its temperature."""
    for index, physical in enumerate(dict.fromkeys(each["gpu"] for each in state["seen"])):
        heat = int(state["hot"].get(str(physical), state["idle"]))
        fabric = ("Completed", "Success") if state["fabric"] == "up" else ("In Progress", "N/A")
        yield {
            "index": str(index), "name": state["product"], "temperature.gpu": str(heat),
            "pci.bus_id": f"00000000:{0x18 + 0x11 * physical:02X}:00.0", "uuid": uuid(state, "GPU", physical),
            "temperature.gpu.tlimit": str(state["limit"] - heat) if state["switched"] else "N/A",
            "fabric.state": fabric[0] if state["registers"] else "N/A",
            "fabric.status": fabric[1] if state["registers"] else "N/A",
        }  # fmt: skip


def uuid(state: State, kind: str, *numbers: int) -> str:
    """What a GPU or an instance is called everywhere, and always."""
    return f"{kind}-{uuid5(NAMESPACE_DNS, '/'.join([state['server'], *map(str, numbers)]))}"


def listed(state: State) -> int:
    """`nvidia-smi -L`: GPUs, and below each the MIG devices that the container has."""
    for row in devices(state):
        print(f"GPU {row['index']}: {row['name']} (UUID: {row['uuid']})")
        below = [each for each in state["seen"] if uuid(state, "GPU", each["gpu"]) == row["uuid"] and each["profile"]]
        for number, each in enumerate(below):
            name = uuid(state, "MIG", each["gpu"], each["number"])
            print(f"  MIG {each['profile']:<11} Device {number:>2}: (UUID: {name})")
    return 0


def divided(state: State) -> list[State]:
    """MIG instances among what the container has."""
    return [each for each in state["seen"] if each["profile"]]


def nvidia_smi(state: State, arguments: list[str]) -> int:
    """`-L` and `--query-gpu=…`; anything else is refused."""
    found = list(devices(state))
    query = next((each.partition("=")[2].split(",") for each in arguments if each.startswith("--query-gpu=")), [])
    if not found:
        print(SILENT)
        return 9
    if arguments == ["-L"]:
        return listed(state)
    if unknown := [each for each in query if each not in found[0]]:
        print(f'Field "{unknown[0]}" is not a valid field to query.')
        return 2
    if not query or not any(each.startswith("--format=csv") for each in arguments):
        print("Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.")
        return 1
    for row in found:
        print(", ".join(row[field] for field in query))
    return 0


def engine(place: Path, name: str) -> Path:
    """Where a host engine is known: one on a port by all containers of a pod, one on a socket by its own."""
    return place.with_name(f"hostengine-{name.replace('/', '-')}")


def option(arguments: list[str], name: str, otherwise: str) -> str:
    """Value of an option."""
    return arguments[arguments.index(name) + 1] if name in arguments else otherwise


def nv_hostengine(state: State, place: Path, arguments: list[str]) -> int:
    """A daemon of the container: it has the GPUs of this one, whoever asks it."""
    engine(place, option(arguments, "--domain-socket", "port")).write_text(json.dumps(state), encoding="utf-8")
    print(f"Started host engine version 4.5.2 using PID number: {len(str(place))}")
    return 0


def dcgmi(place: Path, arguments: list[str]) -> int:
    """`discovery -l` and `diag -r N`, which need a host engine; `--host unix://…` for one on a socket.

    None runs where GPUs have MIG on (NVIDIA/DCGM, nvvs/src/NvidiaValidationSuite.cpp), unless it is a single one whose
    instance is all of it, which is not modelled.
    """
    asked = engine(place, option(arguments, "--host", "unix://port").removeprefix("unix://"))
    if not asked.exists():
        print("Error: unable to establish a connection to the specified host: localhost")
        print("Error: Unable to connect to host engine. Host engine connection invalid/disconnected.")
        return 226
    state: State = json.loads(asked.read_text(encoding="utf-8"))
    if arguments[:1] == ["discovery"]:
        print(f"{len(list(devices(state)))} GPUs found.")
        return 0
    if divided(state):
        print(INCOMPATIBLE)
        return 226
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
    # CUDA makes one device of all instances that a process sees (NVIDIA's MIG user guide).
    if asked > (1 if divided(state) else len(list(devices(state)))):
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
        return nv_hostengine(state, Path(place), arguments)
    if program == "dcgmi":
        return dcgmi(Path(place), arguments)
    return nvidia_smi(state, arguments) if program == "nvidia-smi" else all_reduce_perf(state, arguments)


if __name__ == "__main__":
    sys.exit(main())

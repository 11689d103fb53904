"""State of servers' GPUs, as their own programs on a host would show it."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from podwright.lab.world.inventory import Server, WorldError

IDLE_CELSIUS = 34
LIMIT_CELSIUS = 87
"""Where clocks slow down: of the order of the T.Limit of an H100."""
USUAL_GBYTES: Mapping[str, float] = {"H100-80GB-HBM3": 478, "H200": 479, "B200": 835, "B300": 835, "A100-SXM": 231}
"""Bus bandwidth of a large all-reduce over eight GPUs of one node; of others that of PCIe."""
PCIE_GBYTES = 21
BEFORE_HOPPER = "A100"
"""Its GPUs report no state of their fabric."""


@dataclass
class GpuState:
    """What is otherwise than it should be with the GPUs of a server."""

    missing: list[int] = field(default_factory=list)
    """Indexes of GPUs that have fallen off the bus (XID 79)."""
    hot: dict[int, int] = field(default_factory=dict)
    """Temperature in °C by index."""
    fabric: str = "up"
    """`down`: the fabric manager does not run, and GPUs wait for it."""
    diagnostics: str = ""
    """Name of the diagnostic that fails."""
    bus_gbytes: float | None = None
    """Bandwidth that NVLinks leave; None: all of it."""
    destroyed: dict[int, str] = field(default_factory=dict)
    """MIG profile by index of a GPU of which one instance of that profile is gone, as by `nvidia-smi mig -dgi`."""


@dataclass(frozen=True)
class Unit:
    """What the device plugin hands out: a whole GPU, or a MIG instance of one."""

    gpu: int
    profile: str = ""
    number: int = 0
    """Of the instances of its GPU."""


def units(state: GpuState, instances: Mapping[int, Mapping[str, int]], count: int) -> list[Unit]:
    """All that there are on `count` GPUs, in the order of the GPUs."""
    found: list[Unit] = []
    for index in range(count):
        if index in state.missing:
            continue
        profiles = instances.get(index) or {}
        gone = state.destroyed.get(index, "")
        names = [name for name, number in profiles.items() for _ in range(number - (name == gone))]
        found += [Unit(index, name, number) for number, name in enumerate(names)] if profiles else [Unit(index)]
    return found


def shown(
    state: GpuState, server: Server, dcgm: str = "by-test", given: Sequence[Unit] | None = None
) -> dict[str, Any]:
    """All that programs need; `dcgm` is the form of the variant, `given` what their container has: None for the host's
    own, which see everything undivided."""
    assert server.gpus is not None
    usual = next((found for name, found in USUAL_GBYTES.items() if name in server.gpus.product), PCIE_GBYTES)
    # No two machines measure the same, each about what it measured before.
    usual *= 1 - zlib.crc32(server.name.encode()) % 100 / 10_000
    seen = units(state, {}, server.gpus.count) if given is None else given
    return {
        **asdict(state), "product": server.gpus.product.replace("-", " "), "server": server.name,
        "seen": [asdict(each) for each in seen],
        "bus_gbytes": state.bus_gbytes or round(usual, 2), "switched": usual > 100,
        "registers": usual > 100 and BEFORE_HOPPER not in server.gpus.product,
        "idle": IDLE_CELSIUS, "limit": LIMIT_CELSIUS, "dcgm": dcgm,
    }  # fmt: skip


def fault(servers: Mapping[str, Server], states: dict[str, GpuState], body: Mapping[str, Any]) -> Mapping[str, Any]:
    """{"kind": "gpu-state", "server", "missing": [3], "hot": {2: 91}, "fabric": "down", "diagnostics": "GPU Memory",
    "bus_gbytes": 90, "destroyed": {1: "1g.18gb"}}: the GPUs of a server are so from now on; what is left out is in
    order."""
    name = str(body.get("server"))
    if name not in servers or servers[name].gpus is None:
        raise WorldError(f"{name} has no GPUs")
    known = set(GpuState.__dataclass_fields__)
    if unknown := set(body) - known - {"kind", "server"}:
        raise WorldError(f"gpu-state knows no {', '.join(sorted(unknown))}; it knows {', '.join(sorted(known))}")
    given = {key: body[key] for key in known & set(body)}
    given["hot"] = {int(index): int(heat) for index, heat in dict(given.get("hot") or {}).items()}
    given["destroyed"] = {int(index): str(name) for index, name in dict(given.get("destroyed") or {}).items()}
    states[name] = GpuState(**given)
    return {"server": name, **asdict(states[name])}

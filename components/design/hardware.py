"""The hardware catalogue as the layers see it, and what a server of this cluster holds of it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from podwright.components.model import Divided, Host, MigGpus, Pool, Server, Settings, divided, plain_groups
from podwright.components.model.catalogue import (
    CAGES,
    GPUS,
    SERVER_POLICIES,
    SERVERS,
    SWITCHES,
    FixedCable,
    Gpu,
    GpuFit,
    MigProfile,
    Nic,
    PortGroup,
    cage_number,
)
from podwright.components.model.catalogue import Server as ServerModel
from podwright.components.model.catalogue import Switch as SwitchModel
from podwright.components.model.catalogue.mig import groups_config, groups_name, layout, layouts
from podwright.components.model.catalogue.pairing import Choice, choose, fan_out, trunk, would_do
from podwright.components.model.catalogue.pairing import Ends as PairEnds
from podwright.components.model.catalogue.pairing import product as pluggable
from podwright.components.model.catalogue.servers import Platform
from podwright.components.model.catalogue.switches import unknown as unknown_switch

__all__ = [
    "CAGES",
    "GPUS",
    "SERVERS",
    "SERVER_POLICIES",
    "SWITCHES",
    "Choice",
    "FixedCable",
    "Gpu",
    "GpuFit",
    "MigProfile",
    "Nic",
    "PairEnds",
    "PortGroup",
    "ServerModel",
    "SwitchModel",
    "choose",
    "cores",
    "fan_out",
    "gbps",
    "gpu",
    "gpu_count",
    "interface_names",
    "layout",
    "layouts",
    "memory_gib",
    "mig_parts",
    "own_layout",
    "parts",
    "platform",
    "pluggable",
    "port_group",
    "rail_speeds",
    "rails",
    "server_model",
    "split",
    "switch_model",
    "takes",
    "threads",
    "trunk",
    "unknown_switch",
    "would_do",
]


def server_model(name: str) -> ServerModel:
    """The server model of this product id. Coherence has refused unknown ones; KeyError otherwise."""
    return SERVERS[name]


def platform(server: Host) -> Platform:
    """How Intersight manages a server: attached where the file names its Fabric Interconnects."""
    return "FIAttached" if server.domain is not None else SERVERS[server.model].platform


def takes(server: Host, object_type: str) -> bool:
    """Whether the profile of this server takes a policy of that type."""
    return platform(server) in SERVER_POLICIES[object_type]


def switch_model(name: str) -> SwitchModel:
    """The switch model of this product id. Coherence has refused unknown ones; KeyError otherwise."""
    return SWITCHES[name]


def gbps(model: str, port: str) -> int:
    """Speed of a switch port in Gb/s, 0 where the model has no such port."""
    return SWITCHES[model].gbps(cage_number(port)) or 0


def parts(model: str, gbps: int) -> int:
    """Links of a speed that a model's first front-panel port makes: 1 whole, 2 or 4 broken out, 0 where it has none."""
    return SWITCHES[model].groups[0].parts(gbps)


def split(model: str, port: str, gbps: int) -> tuple[str, tuple[str, ...]] | None:
    """The map that makes parts of `gbps` of a port, and every port that breaks out with it; None for none."""
    number = cage_number(port)
    made = SWITCHES[model].split(number, gbps)
    if made is None or made.word is None:
        return None
    return made.word, tuple(f"Ethernet1/{each}" for each in SWITCHES[model].together(number, made.word)[0])


def port_group(model: str, port: str) -> PortGroup:
    """The ports that a switch port is one of, broken out or not. KeyError where the model has no such port."""
    group = SWITCHES[model].group(cage_number(port))
    if group is None:
        raise KeyError(port)
    return group


def gpu(server: Host) -> Gpu | None:
    """The GPU product of a server, or None for a server without."""
    return GPUS[server.gpus] if server.gpus else None


def gpu_count(server: Host) -> int:
    """Physical GPUs of a server; 0 without."""
    if server.gpus is None:
        return 0
    return server.gpu_count or SERVERS[server.model].gpus[server.gpus].default


def cores(server: Server) -> int:
    """Physical cores of a server, all sockets together."""
    model = SERVERS[server.model]
    return server.cores or model.sockets * model.cores


def threads(server: Server, settings: Settings) -> int:
    """Logical processors of a server: two per core, unless simultaneous multithreading is off."""
    return cores(server) * (1 if settings.smt is not None and not settings.smt.enabled else 2)


def memory_gib(server: Server) -> int:
    """Memory of a server in GiB."""
    return server.memory_gib or SERVERS[server.model].memory_gib


def rails(server: Host) -> tuple[Nic, ...]:
    """GPU NICs of a server that are cabled to the backend fabric, in rail order; none without a group. They are where
    the file says, else where the catalogue does."""
    if server.group is None:
        return ()
    nics = SERVERS[server.model].rails
    return tuple(replace(nic, pci=server.nics.get(nic.rail, nic.pci)) for nic in nics) if server.nics else nics


def interface_names(pci: str) -> tuple[str, ...]:
    """What Linux may call the interface at a PCI address, where names follow from addresses (systemd.net-naming-scheme,
    `[P<domain>]p<bus>s<slot>[f<function>][n<port>]`).

    The function is left out where a card has one, and the port while the driver has not named it: one NIC was
    enp75s0f0 and, after its first boot, enp75s0f0np0 (https://forums.rockylinux.org/t/9043). Kernel names such as eth3
    follow from nothing and are not among them.
    """
    domain, bus, rest = pci.split(":")
    slot, function = (int(part, 16) for part in rest.split("."))
    place = (f"P{int(domain, 16)}" if int(domain, 16) else "") + f"p{int(bus, 16)}s{slot}"
    places = [f"{place}f{function}", *([place] if function == 0 else [])]
    return tuple(f"en{each}{port}" for each in places for port in ("", f"np{function}"))


def rail_speeds() -> frozenset[int]:
    """Speeds in Gb/s at which the rails of any server can run."""
    nics = [nic for server in SERVERS.values() for nic in server.rails]
    return frozenset(speed for nic in nics for speed in CAGES[nic.cage].speeds if speed <= nic.gbps)


def own_layout(groups: Sequence[MigGpus]) -> tuple[str, list[dict[str, Any]]]:
    """A layout that no GPU's catalogue has: its name, and what it is in mig-parted's form."""
    return groups_name(plain_groups(groups)), groups_config(plain_groups(groups))


def mig_parts(server: Server, pool: Pool) -> Divided:
    """MIG slices and whole GPUs that a server offers under its pool's layout."""
    return divided(pool, gpu(server), gpu_count(server))

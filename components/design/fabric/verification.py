"""What every switch must show once the network stands: pause, watchdog and MTU by port, neighbours, BFD, echoes.

What a port has comes from the text that the switch is given, raw lines included; who its neighbour is from the uplinks.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from podwright.components.design.fabric import backup, overlay, peers, tenancy, vpc
from podwright.components.design.fabric.model import Config, End, FabricPlan, SwitchPlan, Uplink
from podwright.components.model import FabricArgs, NumberedBgp, Ospf

Stage = Literal["links", "hosts"]
"""links: ports between switches, judged once all switches are written. hosts: what faces servers and routers, which
come up on their own, judged once the rails are on offer."""
_STAGES: Mapping[str, Stage] = {"fabric": "links", "peer": "links", "host": "hosts", "uplink": "hosts"}
_DEFAULT_MTU = 1500
"""Of a port whose block says none."""
_WATCHDOG = "priority-flow-control watch-dog-interval on"
"""Says the same of the whole switch and of a port; a port is armed with both."""


@dataclass(frozen=True)
class Expected:
    """One interface, or one neighbour behind a loopback, as it must show itself. None: not asked."""

    faces: str
    """`spine-01 Ethernet1/1`, for people."""
    up: bool | None = None
    may_be_down: bool | None = None
    """True where a server or a router may be off: the port is then listed, not judged."""
    mtu: int | None = None
    """In bytes, without Ethernet's header."""
    pfc: int | None = None
    """Bitmap of the priorities that pause in operation: 8 is priority 3 alone, 0 is off."""
    watchdog: bool | None = None
    """The PFC watchdog is armed here."""
    neighbor: str | None = None
    """Address of the routing neighbour, or the port's own name where links have no addresses."""
    protocol: Literal["bgp", "ospf", "evpn"] | None = None
    vrf: str | None = None
    session: bool | None = None
    """Established (BGP, also for EVPN alone) or FULL (OSPF)."""
    bfd: bool | None = None
    """The BFD session is up."""
    probe: int | None = None
    """Bytes of the largest IP packet that fits the link. None where nobody asks: spines, links without addresses."""
    answered: bool | None = None
    """Such a packet, not to be fragmented, comes back."""

    def values(self) -> dict[str, Any]:
        """What is asked, as plain values."""
        return {key: value for key, value in asdict(self).items() if value is not None}


def verified(args: FabricArgs, plan: FabricPlan, switch: SwitchPlan) -> dict[Stage, dict[str, Expected]]:
    """Every interface of a switch that is judged, by stage and name; a stage without any is left out."""
    neighbors = _neighbors(args, plan.uplinks, switch.hostname)
    found: dict[Stage, dict[str, Expected]] = {}
    for port, end in switch.links.items():
        found.setdefault(_STAGES[end.role], {})[port] = _port(switch, port, end, neighbors.get(port, {}))
    for peer, address in overlay.peers(args.fabric, switch.hostname).items():
        evpn = Expected(f"{peer} loopback0", neighbor=str(address), protocol="evpn", vrf="default", session=True)
        found.setdefault("links", {})[f"evpn {address}"] = evpn
    for kind, pair in vpc.named(args).items():
        if switch.role == f"{kind}-leaf" and switch.hostname in pair.leaves and pair.vpc.backup is not None:
            peer = peers.other(pair, switch.hostname)[0]
            session = Expected(
                f"{peer} {backup.interface(pair)}",
                neighbor=str(backup.address(pair, peer)),
                protocol="bgp",
                vrf="default",
                session=True,
            )
            found.setdefault("links", {})[backup.interface(pair)] = session
    # A gateway bounds what is routed to its servers; it is up only while one of them is.
    gateways = {name: Expected(faces, mtu=mtu) for name, faces, mtu in _gateways(switch.config)}
    if gateways:
        found.setdefault("hosts", {}).update(gateways)
    return found


def _port(switch: SwitchPlan, port: str, end: End, neighbor: Mapping[str, Any]) -> Expected:
    lines = _lines(switch.config, port)
    mtu, lossless = _mtu(lines), switch.lossless
    # The leaf asks: an echo fills the link both ways, and a spine has all leaves' echoes to answer.
    asks = switch.role == "leaf" and neighbor.get("neighbor", port) != port
    return Expected(
        faces=f"{end.device} {end.port}",
        up=True,
        may_be_down=True if _STAGES[end.role] == "hosts" else None,
        mtu=mtu,
        pfc=_bitmap(lines, lossless["priority"]) if lossless else None,
        watchdog=_WATCHDOG in lines and _WATCHDOG in switch.config if lossless else None,
        **neighbor,
        probe=mtu if asks else None,
        answered=True if asks else None,
    )


def _lines(config: Config, port: str) -> list[str]:
    """Lines of a port, then those of its port-channel, which its members inherit."""
    own = config.get(f"interface {port}", "").splitlines()
    group = next((line.split()[1] for line in own if line.startswith("channel-group ")), None)
    return [*own, *config.get(f"interface port-channel{group}", "").splitlines()]


def _mtu(lines: list[str]) -> int:
    return next((int(line.split()[1]) for line in lines if re.fullmatch(r"mtu \d+", line)), _DEFAULT_MTU)


def _bitmap(lines: list[str], priority: int) -> int | None:
    """None with mode auto, which only a raw line can say: what the far end negotiates is not planned."""
    mode = next((line.split()[-1] for line in lines if line.startswith("priority-flow-control mode ")), "auto")
    return {"on": 1 << priority, "off": 0}.get(mode)


def _gateways(config: Config) -> Iterator[tuple[str, str, int]]:
    for line, body in config.items():
        if line.startswith("interface Vlan"):
            lines = body.splitlines()
            faces = next((each.removeprefix("description ") for each in lines if each.startswith("description ")), "")
            yield line.removeprefix("interface "), faces or "its VLAN", _mtu(lines)


def _neighbors(args: FabricArgs, uplinks: tuple[Uplink, ...], name: str) -> dict[str, dict[str, Any]]:
    """By own port: who is spoken with over it. BFD is asked for on every link, whatever the underlay."""
    fabric = args.fabric
    found: dict[str, dict[str, Any]] = {}
    for link in uplinks:
        for switch, port, far in (
            (link.leaf, link.leaf_port, link.spine_address),
            (link.spine, link.spine_port, link.leaf_address),
        ):
            if switch == name:
                addressed = isinstance(fabric.underlay, NumberedBgp | Ospf)
                found[port] = {
                    "neighbor": str(far) if addressed else port,
                    "protocol": "ospf" if isinstance(fabric.underlay, Ospf) else "bgp",
                    "vrf": tenancy.of_link(fabric, link.leaf) or "default",
                    "session": True,
                    "bfd": True,
                }
    return found

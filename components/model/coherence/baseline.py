"""Day 0, load balancing and the baseline: addresses inside their network, an image of the release, silicon that has the
feature, a set that exists."""

import re
from collections.abc import Iterator

from podwright.components.model.baseline import TimeZone
from podwright.components.model.catalogue import BASELINES, SWITCHES
from podwright.components.model.coherence.references import switches
from podwright.components.model.explain import suggest
from podwright.components.model.network import FabricArgs
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.tenancy import EvpnTenancy
from podwright.components.model.underlay import UnnumberedBgp

_WIDEST = 8
"""Shortest prefix of a management network."""
RESERVED = (
    *("admin", "adm", "bin", "daemon", "ftp", "ftpuser", "games", "gdm", "gopher", "halt", "lp", "mail", "mailnull"),
    *("man", "mtsuser", "news", "nobody", "nscd", "operator", "root", "rpc", "rpcuser", "shutdown", "sync", "sys"),
    *("uucp", "xfs"),
)
"""Names that a switch's users cannot have, or that it always has (security guide, "Configuring user accounts")."""
DLB_SINCE = (10, 5, 1)
"""NX-OS release from which dynamic load balancing exists."""


def _day0(args: FabricArgs) -> Iterator[Problem]:
    day0 = args.fabric.day0
    if day0 is None:
        return
    for loc, switch in switches(args).items():
        if switch.management not in day0.network:
            message = f"{switch.management} is outside the management network {day0.network}"
            yield Problem((*loc, "management"), message, "take an address inside it, or mend fabric.day0.network")
    if day0.gateway not in day0.network:
        message = f"{day0.gateway} is outside {day0.network}"
        yield Problem(("fabric", "day0", "gateway"), message, "write the gateway of the mgmt0 ports")
    release = ".".join(re.findall(r"\d+", args.fabric.release))
    if release not in day0.image:
        message = f"{day0.image} is not an image of release {args.fabric.release}"
        yield Problem(("fabric", "day0", "image"), message, f"take the image with {release} in its name")


def _dlb(args: FabricArgs) -> Iterator[Problem]:
    fabric = args.fabric
    if fabric.dlb is None:
        return
    loc: Loc = ("fabric", "dlb")
    if tuple(int(each) for each in re.findall(r"\d+", fabric.release))[:3] < DLB_SINCE:
        message = f"dynamic load balancing is there from 10.5(1) on, the switches run {fabric.release}"
        yield Problem(loc, message, "raise fabric.release, or delete this", at_key=True)
    for place, switch in switches(args).items():
        model = SWITCHES.get(switch.model)
        if place[1] in ("leaves", "spines") and model is not None and not model.dlb:
            able = ", ".join(name for name, each in SWITCHES.items() if each.dlb)
            yield Problem((*place, "model"), f"{switch.model} has no dynamic load balancing", f"with it: {able}")
    if fabric.lossless.ecn_by_speed:
        message = "flows that are moved pass by the output policies of ports, which ecn_by_speed makes"
        yield Problem(loc, message, "define one `ecn` for the whole switch", at_key=True)
    if isinstance(fabric.tenancy, EvpnTenancy):
        message = "no public text says that tunnels are balanced by load"
        yield Problem(loc, message, "take tenancy kind vrf, or no dlb", at_key=True)


def _release(args: FabricArgs) -> Iterator[Problem]:
    baseline, loc = args.fabric.baseline, ("fabric", "baseline")
    newest = max(BASELINES)
    if baseline.release is None:
        written = {"banner": baseline.banner, "timezone": baseline.timezone, "management": baseline.management,
                   "users": baseline.users, "snmp_users": baseline.snmp_users,
                   "bgp_password": baseline.bgp_password, "archive": baseline.archive,
                   "telemetry": baseline.telemetry}  # fmt: skip
        without = [name for name, value in written.items() if value not in (None, TimeZone(), (), {})]
        for name in without:
            message = "is a setting of a baseline, and there is none"
            yield Problem((*loc, name), message, f'add release: "{newest}" to fabric.baseline', at_key=True)
    elif baseline.release not in BASELINES:
        hint = suggest(baseline.release, tuple(BASELINES)) or f"known: {', '.join(BASELINES)}"
        yield Problem((*loc, "release"), f'there is no baseline "{baseline.release}"', hint)


def _management(args: FabricArgs) -> Iterator[Problem]:
    for at, network in enumerate(args.fabric.baseline.management):
        if network.prefixlen < _WIDEST:
            message = f"{network} lets in more than a site has"
            hint = f"write the networks of those who manage the switches, none wider than a /{_WIDEST}"
            yield Problem(("fabric", "baseline", "management", at), message, hint)


def _users(args: FabricArgs) -> Iterator[Problem]:
    """Users that nobody else is; the one podwright logs in as stays out of reach."""
    fabric = args.fabric
    for kind in ("users", "snmp_users"):
        for name in getattr(fabric.baseline, kind):
            loc: Loc = ("fabric", "baseline", kind, name)
            if name == fabric.user:
                message = f"podwright logs in as {name}: a mistake here would lock it out"
                yield Problem(loc, message, "give this user another name", at_key=True)
            elif name in RESERVED:
                yield Problem(loc, f"{name} is a user of NX-OS itself", "give this user another name", at_key=True)
            elif kind == "snmp_users" and name in fabric.baseline.users:
                message = "a switch takes a local user and an SNMP user of one name for one: with one goes the other"
                yield Problem(loc, message, f"give one of them another name, such as {name}-snmp", at_key=True)


def _bgp_password(args: FabricArgs) -> Iterator[Problem]:
    fabric, loc = args.fabric, ("fabric", "baseline", "bgp_password")
    if fabric.baseline.bgp_password is not None and isinstance(fabric.underlay, UnnumberedBgp):
        message = "no public text says that sessions between interfaces take a password"
        yield Problem(loc, message, "take underlay kind ebgp, or no bgp_password", at_key=True)


FABRIC = (_day0, _dlb, _release, _management, _users, _bgp_password)

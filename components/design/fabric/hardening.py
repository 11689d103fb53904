"""Section `hardening`: what the release of `fabric.baseline` sets; without a release every part is empty."""

import re
from collections.abc import Iterable, Iterator, Mapping

from podwright.components.design import hardware
from podwright.components.design.fabric.model import Config
from podwright.components.model import Fabric
from podwright.components.model.catalogue import BASELINES, BaselineSet

MANAGERS = "MANAGERS"
"""Access list of those who may log in."""
_PORT = re.compile(r"^interface (Ethernet1/\d+(?:/\d+)?)$")
_BREAKOUT = re.compile(r"^interface breakout module 1 port (\d+) map (\S+)$")


def release(fabric: Fabric) -> BaselineSet | None:
    """The set that was chosen."""
    return BASELINES[fabric.baseline.release] if fabric.baseline.release is not None else None


def settings(fabric: Fabric) -> Config:
    """Settings of every switch, whatever its role."""
    chosen = release(fabric)
    if chosen is None:
        return {}
    zone, banner = fabric.baseline.timezone, fabric.baseline.banner or chosen.banner
    return {
        f"clock timezone {zone.name} {zone.hours} {zone.minutes}": "",
        f"banner motd ^{banner}^": "",
        **{f"errdisable recovery cause {cause}": "" for cause in chosen.recovered},
        **_users(fabric),
        **_terminals(fabric, chosen),
        **_telemetry(fabric, chosen),
    }


def _secret(name: str, generation: int) -> str:
    """A secret by its name, where its value belongs: the provider puts in what each switch keeps of it."""
    return f"{{{{secret:{name}#{generation}}}}}"


def _users(fabric: Fabric) -> Config:
    """Local users and SNMPv3 users."""
    local = {
        f"username {name} password {_secret(user.password, user.generation)} role {user.role}": ""
        for name, user in sorted(fabric.baseline.users.items())
    }
    for name, user in sorted(fabric.baseline.snmp_users.items()):
        keys = [_secret(each, user.generation) for each in (user.authentication, user.privacy)]
        local[f"snmp-server user {name} {user.role} auth sha {keys[0]} priv aes-128 {keys[1]}"] = ""
    return local


def features(fabric: Fabric) -> Config:
    """Features that the settings need."""
    return {"feature telemetry": ""} if fabric.baseline.telemetry is not None else {}


def _telemetry(fabric: Fabric, chosen: BaselineSet) -> Config:
    """One group of collectors, one of sensors, one subscription; milliseconds on the switch."""
    defined = fabric.baseline.telemetry
    if defined is None:
        return {}
    lines = ["destination-profile", "  use-vrf management", "destination-group 1"]
    lines += [f"  ip address {each} port {defined.port} protocol gRPC encoding GPB" for each in defined.collectors]
    lines += ["sensor-group 1", *(f"  path {path} depth unbounded" for path in chosen.sensors)]
    lines += ["subscription 1", "  dst-grp 1", f"  snsr-grp 1 sample-interval {1000 * defined.seconds}"]
    return {"telemetry": "\n".join(lines)}


def _terminals(fabric: Fabric, chosen: BaselineSet) -> Config:
    """Terminal lines that only managers reach. The list before the lines that name it; terminals speak TCP alone."""
    networks = fabric.baseline.management
    if not networks:
        return {}
    permitted = (f"{10 * place} permit tcp {network} any" for place, network in enumerate(networks, 1))
    return {
        f"ip access-list {MANAGERS}": "\n".join(permitted),
        "line vty": f"exec-timeout {chosen.terminal_minutes}\naccess-class {MANAGERS} in",
    }


def copp(fabric: Fabric) -> str | None:
    """Control-plane policing profile: the site's own, else the release's."""
    chosen = release(fabric)
    return fabric.baseline.copp or (chosen.copp if chosen else None)


def storm(fabric: Fabric) -> list[str]:
    """Lines of a switched host port or bundle: broadcasts and multicasts above their share are dropped and reported."""
    chosen = release(fabric)
    if chosen is None:
        return []
    level = f"level {chosen.storm_percent:.2f}"
    return [f"storm-control broadcast {level}", f"storm-control multicast {level}", "storm-control action trap"]


def root(fabric: Fabric, vlans: Iterable[int]) -> Config:
    """Both peers of a pair as the root of its VLANs, and no spanning tree from hosts' trunks."""
    chosen = release(fabric)
    if chosen is None:
        return {}
    return {
        "spanning-tree port type edge bpduguard default": "",
        **{f"spanning-tree vlan {vlan} priority {chosen.root_priority}": "" for vlan in sorted(vlans)},
    }


def session(fabric: Fabric) -> list[str]:
    """Lines of an eBGP neighbour at the other end of a cable; both ends need them."""
    chosen = release(fabric)
    return [f"ttl-security hops {chosen.ttl_hops}", *password(fabric)] if chosen else []


def password(fabric: Fabric) -> list[str]:
    """Lines of any BGP neighbour that is a switch of ours; both ends need them."""
    defined = fabric.baseline.bgp_password
    return [f"password {_secret(defined.secret, defined.generation)}"] if defined else []


def unused(fabric: Fabric, model: str, config: Mapping[str, str]) -> Config:
    """Ports and lanes that no line names: routed and shut, so that one that is enabled by hand joins no VLAN."""
    if release(fabric) is None:
        return {}
    named = {found[1] for line in config if (found := _PORT.match(line))}
    return {f"interface {port}": "no switchport\nshutdown" for port in _ports(model, config) if port not in named}


def _ports(model: str, config: Mapping[str, str]) -> Iterator[str]:
    """Ports of a model as the configuration breaks them out."""
    switch = hardware.switch_model(model)
    words = {int(found[1]): found[2] for line in config if (found := _BREAKOUT.match(line))}
    away = {number for port, word in words.items() for number in switch.together(port, word)[1]}
    for number in range(1, switch.ports + 1):
        if number in words:
            yield from (f"Ethernet1/{number}/{lane}" for lane in range(1, _lanes(words[number]) + 1))
        elif number not in away:
            yield f"Ethernet1/{number}"


def _lanes(word: str) -> int:
    """4 of 100g-4x."""
    return int(word.rsplit("-", 1)[1].removesuffix("x"))

"""Which training pods are slow, and for what: live switch configuration checked by the pack's own rules.

Nothing between a switch and a pod tells the pod that its class is lossy: it runs, and collapses under incast. So the
rules that stop a bad plan are put to what the switches hold right now, port by port, and what they find is followed
over the cables to rails, nodes and pods.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from podwright.components.design.fabric import FabricPlan
from podwright.components.providers.status.snapshot import Snapshot
from podwright.components.providers.status.switches import SwitchSeen
from podwright.policies.rules.fabric import LOSSLESS
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import NotApplicable, Rule
from podwright.policies.rules.switches import SWITCH

Port = tuple[str, str]
RAIL = "openshift.io/rail"


@dataclass(frozen=True)
class Lossy:
    """A place that is out of class. `port` is empty where the whole switch is meant."""

    switch: str
    port: str
    why: str


@dataclass(frozen=True)
class Slow:
    """A running pod on rails that lose packets, and one reason for each group of rails."""

    namespace: str
    name: str
    node: str
    rails: tuple[int, ...]
    reasons: tuple[str, ...]


def lossy(specs: Sequence[Mapping[str, Any]], seen: Mapping[str, SwitchSeen], snapshot: Snapshot) -> list[Lossy]:
    """Every place of the lossless class that the rules refuse, and every port that should pause and does not."""
    live = {
        spec["hostname"]: {**spec, "config": dict(seen[spec["hostname"]].config)}
        for spec in specs
        if spec["lossless"] and not seen[spec["hostname"]].problem
    }
    found: list[Lossy] = []
    for name, spec in live.items():
        whole = {message: Lossy(name, "", message) for message in _judge([_only(spec, ())], ())}
        found += whole.values()
        for port, link in spec["links"].items():
            if link["role"] in {"host", "fabric"}:
                found += _port(live, snapshot, (name, port), link, set(whole))
        found += _silent(spec, seen[name], {each.port for each in found if each.switch == name}, bool(whole))
    return found


def _port(
    live: Mapping[str, Mapping[str, Any]], snapshot: Snapshot, at: Port, link: Mapping[str, Any], known: set[str]
) -> Iterator[Lossy]:
    """Findings of one port. A cable between switches is checked with both its ends, for what must agree."""
    name, port = at
    ends = [_only(live[name], (port,))]
    if link["device"] in live:
        ends.append(_only(live[link["device"]], (link["port"],)))
    policies = snapshot.of("SriovNetworkNodePolicy") if link["role"] == "host" else ()
    for message in _judge(ends, policies):
        if message not in known and (f"{name} {port}" in message or len(ends) == 1):
            yield Lossy(name, port, message)


def _silent(spec: Mapping[str, Any], seen: SwitchSeen, reported: set[str], whole: bool) -> Iterator[Lossy]:
    """Ports whose configuration is right and which do not pause all the same, as the switch itself says."""
    for port, link in spec["links"].items():
        if link["role"] in {"host", "fabric"} and port not in seen.pausing and port not in reported and not whole:
            why = f"{seen.name} {port} (to {link['device']}) does not pause: PFC is not operational there"
            yield Lossy(seen.name, port, why)


def _only(spec: Mapping[str, Any], ports: Sequence[str]) -> Mapping[str, Any]:
    return {**spec, "links": {port: link for port, link in spec["links"].items() if port in ports}}


def _judge(specs: Sequence[Mapping[str, Any]], policies: Sequence[Mapping[str, Any]]) -> list[str]:
    """Messages of every rule of the lossless class about these switches."""
    resources = [Resource(SWITCH, spec["hostname"], spec["hostname"], {"spec": spec}) for spec in specs]
    resources += [
        Resource("live:SriovNetworkNodePolicy", each["metadata"]["name"], each["metadata"]["name"], each)
        for each in policies
    ]
    messages: list[str] = []
    for rule in LOSSLESS:
        try:
            if isinstance(rule, Rule):
                messages += [message for spec in resources[: len(specs)] for message in rule.check(spec)]
            else:
                messages += [finding.message for finding in rule.check(resources)]
        except NotApplicable:
            continue
    return list(dict.fromkeys(messages))


def slow(
    plan: FabricPlan, places: Sequence[Lossy], snapshot: Snapshot, servers: Mapping[str, str] = MappingProxyType({})
) -> list[Slow]:
    """Running pods that hold a rail over one of these places; `servers` by node, where its name is another one."""
    found = []
    for pod in snapshot.of("Pod"):
        node = pod["spec"].get("nodeName")
        if pod.get("status", {}).get("phase") != "Running" or not node:
            continue
        rails = _rails(pod)
        reasons = {place.why: hit for place in places if (hit := _over(plan, place, servers.get(node, node), rails))}
        if reasons:
            hit = sorted({rail for rails_hit in reasons.values() for rail in rails_hit})
            causes = tuple(f"{_named(rails_hit)}: {why}" for why, rails_hit in reasons.items())
            found.append(Slow(pod["metadata"]["namespace"], pod["metadata"]["name"], node, tuple(hit), causes))
    return sorted(found, key=lambda each: (each.namespace, each.name))


def _rails(pod: Mapping[str, Any]) -> list[int]:
    names = {
        name
        for container in pod["spec"].get("containers", ())
        for name in container.get("resources", {}).get("requests", {})
        if name.startswith(RAIL)
    }
    return sorted(int(name.removeprefix(RAIL)) for name in names if name.removeprefix(RAIL).isdigit())


def _over(plan: FabricPlan, place: Lossy, node: str, rails: Sequence[int]) -> list[int]:
    """Rails of a pod on `node` whose traffic can meet `place`."""
    homes = {rail: plan.host_ports[node, rail] for rail in rails if (node, rail) in plan.host_ports}
    if place.port and any((home.leaf, home.port) == (place.switch, place.port) for home in homes.values()):
        return [rail for rail, home in homes.items() if (home.leaf, home.port) == (place.switch, place.port)]
    if any((port.leaf, port.port) == (place.switch, place.port) for port in plan.host_ports.values()):
        return []  # somebody else's port
    leaves = {home.leaf for home in homes.values()}
    if place.switch in leaves and not place.port:
        return [rail for rail, home in homes.items() if home.leaf == place.switch]
    if len(leaves) < 2:
        return []  # its rails never leave their leaf
    return [rail for rail, home in homes.items() if place.switch in plan.path(node, rail)]


def _named(rails: Sequence[int]) -> str:
    if len(rails) > 2 and rails[-1] - rails[0] == len(rails) - 1:
        return f"rails {rails[0]}-{rails[-1]}"
    return f"rail{'s' if len(rails) > 1 else ''} {','.join(map(str, rails))}"

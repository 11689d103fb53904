"""NICs as NVIDIA's NIC Configuration Operator reports them, compared with what a rail is to be set to.

Its NicDevices show what is asked of a card and how far that is. What `mlnx_qos` would show on the node stands nowhere
in the API: the operator looks there itself, at every start of its daemon and every 20 minutes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from podwright.components.providers.openshift import ports
from podwright.components.providers.openshift.conditions import conditions

DEVICES = "/apis/configuration.net.nvidia.com/v1alpha1/nicdevices"
WAIT = "network.nvidia.com/operator.nic-configuration.wait"
UPDATING, DONE = "ConfigUpdateInProgress", "UpdateSuccessful"

Item = Mapping[str, Any]


def unset(node: str, devices: Iterable[Item], expected: Mapping[str, Any]) -> Iterator[str]:
    """A phrase for each rail of `node` that is not in the class; `expected` is `nics` of a PoolReady's spec."""
    ports = {
        port["pci"]: device
        for device in devices
        if (device.get("status") or {}).get("node") == node
        for port in device["status"].get("ports") or ()
    }
    for rail, addresses in expected["rails"].items():
        device = next((ports[each] for each in addresses if each in ports), None)
        if device is None:
            yield f"no NicDevice shows rail {rail} of {node} ({' or '.join(addresses)})"
        elif why := _why(device, expected["template"]):
            yield f"the NIC of rail {rail} on {node} {why}"


def unsettled(node: str, devices: Iterable[Item]) -> Iterator[str]:
    """A phrase for each card of `node` that is not as its own NicDevice asks."""
    for device in devices:
        mine = (device.get("status") or {}).get("node") == node
        asked = ((device.get("spec") or {}).get("configuration") or {}).get("template")
        if mine and asked and (why := _why(device, asked)):
            yield f"NIC {device['metadata']['name']} {why}"


def displaced(nodes: Iterable[str], devices: Iterable[Item], expected: Mapping[str, Any]) -> Iterator[str]:
    """A phrase for each rail whose port no NicDevice shows, on nodes that some NicDevice shows ports of."""
    shown: dict[str, dict[str, str]] = {}
    for device in devices:
        status = device.get("status") or {}
        for port in status.get("ports") or ():
            shown.setdefault(str(status.get("node")), {})[port["pci"]] = str(port.get("networkInterface", ""))
    known = {each for addresses in expected["rails"].values() for each in addresses}
    for node in nodes:
        found = shown.get(node, {})
        others = {pci: name for pci, name in found.items() if pci not in known}
        for rail, addresses in expected["rails"].items():
            if found and not any(each in found for each in addresses):
                yield ports.phrase(node, rail, " or ".join(addresses), "no NicDevice shows a port there", others)


def waiting(node: Item) -> bool:
    """True while the operator still works on a node's NICs, or has not begun."""
    return ((node.get("metadata") or {}).get("labels") or {}).get(WAIT) != "false"


def _why(device: Item, template: Mapping[str, Any]) -> str | None:
    asked = ((device.get("spec") or {}).get("configuration") or {}).get("template")
    row = conditions(device).get(UPDATING, {})
    if asked is None:
        return "is given no settings: no NicConfigurationTemplate selects it, or more than one does"
    if not _within(template, asked):
        return "is given other settings than planned"
    if row.get("observedGeneration") != device["metadata"].get("generation"):
        return "has settings that its daemon has not seen yet"
    if row.get("status") != "False" or row.get("reason") != DONE:
        message = row.get("message")
        return f"is not configured: {row.get('reason', 'nothing is reported')}" + (f", {message}" if message else "")
    return None


def _within(expected: Any, live: Any) -> bool:
    """True when `live` has everything that is expected; an API server adds defaults."""
    if isinstance(expected, Mapping):
        return isinstance(live, Mapping) and all(_within(each, live.get(name)) for name, each in expected.items())
    return bool(expected == live)

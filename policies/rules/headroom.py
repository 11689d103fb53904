"""Headroom is shared: one no-drop class has all of it."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from .lossless import carriers
from .nexus.device import Device
from .nexus.qos import actions
from .rule import Flaw, NexusRule

_QOS = "https://www.cisco.com/c/en/us/td/docs/dcn/nx-os/nexus9000/104x/configuration/qos/cisco-nexus-9000-series-nx-os-quality-of-service-configuration-guide-release-104x.html"


def single(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Each no-drop class takes headroom on every port from the buffer that all classes share."""
    for device, _ in carriers(devices):
        for (first, _), (second, line) in pairwise(actions(device.network, "pause")):
            yield Flaw(
                f"{device.name} has a second no-drop class, {second.name}, beside {first.name}",
                device.name,
                line,
                f"class type network-qos {second.name}\n  no {line.command}",
            )


HEADROOM: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-one-no-drop-class",
        title="There is one no-drop class",
        why="Each further one reserves headroom on every port, which the lossless class then lacks.",
        fix="Remove the second pause line from fabric.extra; the fabric has one lossless class.",
        reference=_QOS,
        severity="medium",
        judge=single,
        mandatory=False,
    ),
)
"""The rule about headroom."""

"""Rules about the servers' end of the lossless class: NICs are set to what the switches that they face carry."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .kubernetes import kind, of_kind
from .lossless import carriers
from .nexus.device import Device, Lossless
from .resource import Resource
from .rule import Finding, NotApplicable, StackRule, items
from .switches import is_switch, switches

_TEMPLATE = "NicConfigurationTemplate"
_is_template = of_kind(_TEMPLATE)


def _ends(token: str) -> bool:
    return is_switch(token) or _is_template(token)


def _in_class(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Trust, pause and the DSCP of both kinds of packets, as some switch with the class has them."""
    templates = [each for each in resources if kind(each) == _TEMPLATE]
    if not templates:
        raise NotApplicable("no template sets NICs")
    known = list(carriers([device for device, _ in switches(resources).values()]))
    for each in templates:
        wanted: Mapping[str, Any] = (each.props.get("spec") or {}).get("template") or {}
        by_switch = [list(_disagreements(wanted, device, lossless)) for device, lossless in known]
        if all(by_switch):
            # Switches that differ among themselves are another rule's finding.
            yield from (Finding(f"{_TEMPLATE} {each.name} {flaw}", each.urn) for flaw in by_switch[0])


def _disagreements(wanted: Mapping[str, Any], device: Device, lossless: Lossless) -> Iterator[str]:
    roce = wanted.get("roceOptimized") or {}
    qos = roce.get("qos") or {}
    if roce.get("enabled") is not True or not qos:
        yield f"leaves NICs as they are delivered; {device.name} pauses priority {lossless.priority}"
        return
    if (trust := qos.get("trust")) != "dscp":
        yield f"lets NICs trust {trust or 'pcp'}; {device.name} takes the class from DSCP"
    paused = [number for number, digit in enumerate(str(qos.get("pfc") or "").split(",")) if digit.strip() == "1"]
    pausing = any(port.value("pfc") == "on" for port in lossless.ports)
    expected = [lossless.priority] if pausing else []
    if paused != expected:
        listed = ", ".join(map(str, paused)) or "none"
        yield f"pauses priority {listed} of NICs; {device.name} pauses {lossless.priority if pausing else 'none'}"
    tos = qos.get("tos")
    if tos is not None and int(tos) >> 2 not in lossless.dscps:
        known = ", ".join(map(str, sorted(lossless.dscps)))
        yield f"sends RoCE with DSCP {int(tos) >> 2}; {device.name} has DSCP {known} in the class"
    raw = {str(each.get("name")): str(each.get("value")) for each in items(wanted.get("rawNvConfig"))}
    # Without the setting the operator marks notifications with DSCP 4.
    sent = raw.get("CNP_DSCP_P1", "4")
    if lossless.cnp is not None and sent != str(lossless.cnp):
        yield f"sends congestion notifications with DSCP {sent}; {device.name} gives DSCP {lossless.cnp} their queue"


NICS: tuple[StackRule, ...] = (
    StackRule(
        id="operators-nics-in-the-class",
        title="NICs are set to the lossless class of the switches",
        why="A NIC that trusts, pauses or marks otherwise than its switch loses packets under incast, and no port is "
        "down: jobs run and are slow.",
        fix="Leave NicConfigurationTemplates to `pools.<name>.rails`, or give your own the trust, pfc, tos and "
        "CNP_DSCP_P1 that `podwright explain switch` shows.",
        reference="https://github.com/Mellanox/nic-configuration-operator#nicconfigurationtemplate",
        severity="high",
        excused_by=is_switch,
        types=_ends,
        compare=_in_class,
    ),
)

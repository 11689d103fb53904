"""Properties of what a Fabric Interconnect is configured with, and what changing each costs; see `policies`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from podwright.components.changes.disruption import UNSURE as _UNSURE
from podwright.components.changes.disruption import Disruption, PropertyRow, type_rows

_NONE, _FLAP, _REBOOT = Disruption.NONE, Disruption.FLAP, Disruption.REBOOT
_PORTS: Final = "ports whose role or speed changes go down for a moment"
_GROUP: Final = ("EthNetworkGroupPolicy", _NONE, "VLANs that stay keep their traffic", _UNSURE)
_ROLES: Final = (
    "fabric.ServerRole", "fabric.UplinkRole", "fabric.UplinkPcRole", "fabric.ApplianceRole", "fabric.AppliancePcRole",
)  # fmt: skip


def _roles() -> Iterator[tuple[str, Mapping[str, PropertyRow]]]:
    for name in _ROLES:
        yield from type_rows(
            name,
            ("- *", _FLAP, _PORTS, _UNSURE),
            ("UserLabel", _NONE, "a label", "SDK, UserLabel"),
            *([] if name == "fabric.ServerRole" else [_GROUP]),
            felt_by="interconnects",
        )


def _switching() -> Iterator[tuple[str, Mapping[str, PropertyRow]]]:
    yield from type_rows(
        "fabric.PortMode",
        (
            "- *",
            _REBOOT,
            "ports become Fibre Channel or are broken out, or no longer so: the interconnect starts anew",
            "Cisco UCS Manager Network Management Guide, LAN Ports and Port Channels: breakout ports need a reboot of "
            f"the Fabric Interconnect; {_UNSURE} for Fibre Channel and in Intersight Managed Mode",
        ),
        felt_by="interconnects",
    )
    yield from type_rows(
        "fabric.PortPolicy", ("- *", _REBOOT, "another model, whose ports are others", _UNSURE), felt_by="interconnects"
    )
    yield from type_rows(
        "fabric.SwitchControlPolicy",
        ("- *", _FLAP, "forwarding is configured anew", _UNSURE),
        (
            "EthernetSwitchingMode FcSwitchingMode",
            _REBOOT,
            "the interconnect starts anew in the other mode",
            "Implementing Cisco UCS Solutions, chapter 4: a disruptive change that needs a reboot of the interconnect",
        ),
        ("MacAgingSettings FabricPcVhbaReset AesPrimaryKey", _NONE, "taken as it is written", _UNSURE),
        felt_by="interconnects",
    )
    yield from type_rows(
        "fabric.SystemQosPolicy",
        (
            "- *",
            _FLAP,
            "buffers of every port are divided anew",
            f"{_UNSURE} as NX-OS, queuing guide 10.5(x): disruptive for a moment",
        ),
        felt_by="interconnects",
    )
    for name in ("fabric.FlowControlPolicy", "fabric.LinkControlPolicy", "fabric.LinkAggregationPolicy"):
        yield from type_rows(
            name, ("- *", _FLAP, "links of the uplinks negotiate anew", _UNSURE), felt_by="interconnects"
        )
    yield from type_rows(
        "fabric.MulticastPolicy", ("- *", _NONE, "groups are learned anew", _UNSURE), felt_by="interconnects"
    )
    yield from type_rows(
        "fabric.EthNetworkPolicy",
        ("- *", _NONE, "holds VLANs, each with its own rows", "SDK, fabric.EthNetworkPolicy"),
        felt_by="interconnects",
    )
    yield from type_rows(
        "fabric.Vlan",
        ("-", _NONE, "one more VLAN takes nothing from the others; one that leaves loses its traffic", _UNSURE),
        ("* IsNative VlanId", _FLAP, "its traffic moves to another VLAN", _UNSURE),
        ("AutoAllowOnUplinks MulticastPolicy", _NONE, "the other VLANs are not touched", _UNSURE),
        felt_by="interconnects",
    )


DOMAIN: Final = (*_roles(), *_switching())
"""Object type and its rows."""

"""Properties of Intersight objects and what changing each costs, as known on the day named in `AS_OF`.

Sources: SDK = docstrings of Cisco's Python SDK `intersight` 1.0.11.2026100617; UCSM = Cisco UCS Manager configuration
guide; netascode = Cisco's data model pages netascode.cisco.com. Intersight publishes no such list, and says what a
deployment costs only once it is asked (`ConfigChanges.Disruptions`): so every deployment is compared with these rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from podwright.components.changes.disruption import UNSURE as _UNSURE
from podwright.components.changes.disruption import Disruption, PropertyRow, type_rows
from podwright.components.changes.interconnects import DOMAIN

AS_OF: Final = "2026-11-23"
"""The day these rows were last compared with their sources."""

_NONE, _FLAP, _REBOOT, _WIPE = Disruption.NONE, Disruption.FLAP, Disruption.REBOOT, Disruption.WIPE
_CONTROLLER: Final = "a setting of the baseboard controller: the host does not see it"
_CONTROLLER_SOURCE: Final = f"{_UNSURE} by what the property is"
_VETHERNET: Final = "a setting of the virtual interface on the Fabric Interconnect; the server's adapter is not touched"
_VNIC_SHAPE: Final = "another PCIe device or setting of the adapter, which the host sees after a restart"
_DELETED_VNIC: Final = "UCSM 2.0, Deferring Deployment: a deleted vNIC reboots the server and cannot be taken back"
_GROUP: Final = "netascode, Ethernet Network Group Policy: it is configured on the vethernet of the Fabric Interconnect"
_LEASES: Final = "what a profile has leased it keeps; only new leases are given out by it"

_MANAGEMENT: Final = (
    "access.Policy", "certificatemanagement.Policy", "deviceconnector.Policy", "iam.EndPointUser",
    "iam.EndPointUserPolicy", "iam.EndPointUserRole", "iam.LdapGroup", "iam.LdapPolicy", "iam.LdapProvider",
    "ipmioverlan.Policy", "kvm.Policy", "networkconfig.Policy", "ntp.Policy", "smtp.Policy", "snmp.Policy",
    "sol.Policy", "ssh.Policy", "syslog.Policy", "thermal.Policy",
)  # fmt: skip
_POOLS: Final = (
    "fcpool.Pool", "ippool.Pool", "iqnpool.Pool", "macpool.Pool", "resourcepool.Pool",
    "resourcepool.QualificationPolicy", "uuidpool.Pool",
)  # fmt: skip


def _management() -> Iterator[tuple[str, Mapping[str, PropertyRow]]]:
    for name in _MANAGEMENT:
        yield from type_rows(
            name, ("-", _NONE, _CONTROLLER, _CONTROLLER_SOURCE), ("*", _NONE, _CONTROLLER, _CONTROLLER_SOURCE)
        )
    for name in _POOLS:
        kept = f"{_UNSURE} leases belong to the profile (SDK, macpool.Lease)"
        yield from type_rows(name, ("- *", _NONE, _LEASES, kept), felt_by="nobody")


def _server() -> Iterator[tuple[str, Mapping[str, PropertyRow]]]:
    yield from type_rows(
        "bios.Policy",
        (
            "- *",
            _REBOOT,
            "the host reads its BIOS settings when it starts",
            "DMTF DSP0268, Bios: settings are applied on reset",
        ),
        ("Model", _NONE, "says which family's tokens the policy holds", "SDK, bios.Policy.Model"),
    )
    yield from type_rows(
        "boot.PrecisionPolicy",
        (
            "- *",
            _REBOOT,
            "a boot order is read at a start",
            'SDK, boot.PrecisionPolicy.ConfiguredBootMode: "To apply this setting, Please reboot the server"',
        ),
    )
    yield from type_rows(
        "adapter.ConfigPolicy",
        (
            "- *",
            _REBOOT,
            "the adapter's PCIe devices and ports are made anew",
            'SDK, adapter.PortChannelSettings: "Disabling Port Channel reboots the server"',
        ),
    )


def _parts() -> Iterator[tuple[str, Mapping[str, PropertyRow]]]:
    yield from type_rows("memory.Policy", ("- *", _REBOOT, "memory is configured at a start", _UNSURE))
    yield from type_rows(
        "compute.PcieConnectivityPolicy", ("- *", _REBOOT, "PCIe devices are given to a host at its start", _UNSURE)
    )
    yield from type_rows(
        "firmware.Policy",
        (
            "- *",
            _REBOOT,
            "components are upgraded and start anew",
            "UCSM 2.1, Deferred Deployment: firmware activation",
        ),
    )
    yield from type_rows(
        "power.Policy",
        ("- *", _NONE, "a limit or a rule of chassis and controller; no supply is switched", _CONTROLLER_SOURCE),
        ("ProcessorPackagePowerLimit", _REBOOT, "a limit of the CPU, which its firmware may set at a start", _UNSURE),
    )
    yield from type_rows(
        "vmedia.Policy",
        ("- *", _NONE, "a drive appears on the host's USB bus or leaves it", _CONTROLLER_SOURCE),
        (
            "LowPowerUsb",
            _NONE,
            "whether mapped drives stand in the boot menu, from the next start on",
            "SDK, vmedia.Policy.LowPowerUsb",
        ),
    )
    yield from type_rows(
        "compute.ScrubPolicy",
        (
            "- *",
            _WIPE,
            "disks or BIOS settings are erased when the profile leaves the server",
            "SDK, compute.ScrubPolicy",
        ),
    )


def _storage() -> Iterator[tuple[str, Mapping[str, PropertyRow]]]:
    moved = "drives change their state, and with it what is on them"
    yield from type_rows(
        "storage.StoragePolicy",
        ("- *", _WIPE, moved, _UNSURE),
        (
            "UnusedDisksState",
            _WIPE,
            moved,
            "SDK, storage.StoragePolicy.UnusedDisksState: state to which drives not used in this policy are moved",
        ),
        (
            "DefaultDriveMode",
            _WIPE,
            moved,
            "SDK, storage.StoragePolicy.DefaultDriveMode: unconfigured drives move on deployment",
        ),
        (
            "UseJbodForVdCreation",
            _WIPE,
            "drives in JBOD state become parts of virtual drives",
            "SDK, storage.StoragePolicy.UseJbodForVdCreation",
        ),
        (
            "M2VirtualDrive Raid0Drive",
            _WIPE,
            "a virtual drive is made or unmade",
            "SDK, storage.M2VirtualDriveConfig.Enable: creates a virtual drive on the controller; the loss is [?]",
        ),
        ("GlobalHotSpares", _NONE, "unused drives stand by for arrays", _UNSURE),
    )
    yield from type_rows(
        "storage.DriveGroup",
        (
            "- *",
            _WIPE,
            "an array is made, changed or unmade",
            "SDK, storage.DriveGroup: RaidLevel and drives of virtual drives; that their data is lost is [?]",
        ),
    )
    yield from type_rows(
        "storage.DriveSecurityPolicy",
        (
            "- *",
            _WIPE,
            "drives lose their key, and with it their data",
            "SDK, storage.LocalKeySetting.ExistingKey: the key that a server has; the loss without it is [?]",
        ),
    )


def _network() -> Iterator[tuple[str, Mapping[str, PropertyRow]]]:
    yield from type_rows(
        "vnic.LanConnectivityPolicy",
        (
            "- PlacementMode TargetPlatform IqnPool IqnAllocationType StaticIqnName AzureQosEnabled *",
            _REBOOT,
            _VNIC_SHAPE,
            _DELETED_VNIC,
        ),
    )
    own = {
        "vnic.EthIf": "Placement Order MacAddressType StaticMacAddress",
        "vnic.VnicTemplate": "SwitchId PeerVnicName",
    }
    joins = (
        "SrcTemplate",
        _NONE,
        "the vNIC joins a template or leaves it with the values that it lists, each of which is classed by itself",
        "Terraform registry, ciscodevnet/intersight, intersight_vnic_vnic_template: attached to use its configuration",
    )
    for name, properties in own.items():
        yield from type_rows(
            name,
            *((joins,) if name == "vnic.EthIf" else ()),
            ("-", _REBOOT, "the host sees another number of network devices after a restart", _DELETED_VNIC),
            ("*", _REBOOT, _VNIC_SHAPE, _UNSURE),
            (
                f"{properties} FailoverEnabled Cdn SriovSettings UsnicSettings VmqSettings EthAdapterPolicy",
                _REBOOT,
                _VNIC_SHAPE,
                _UNSURE,
            ),
            ("MacPool", _REBOOT, "another address of the adapter", _UNSURE),
            (
                "EthQosPolicy EthNetworkPolicy",
                _REBOOT,
                "another policy in its place, whose MTU or VLANs may differ",
                _UNSURE,
            ),
            (
                "FabricEthNetworkGroupPolicy",
                _NONE,
                _VETHERNET,
                _GROUP,
            ),
            (
                "FabricEthNetworkControlPolicy",
                _FLAP,
                _VETHERNET,
                "SDK, fabric.EthNetworkControlPolicy: features applied on a vethernet; that it flaps is [?]",
            ),
            ("PinGroupName", _FLAP, "the interface is pinned to another uplink", _UNSURE),
            ("NetFlowMonitorSessions", _NONE, "traffic is sampled or is not", _UNSURE),
        )


def _vnic_policies() -> Iterator[tuple[str, Mapping[str, PropertyRow]]]:
    yield from type_rows(
        "vnic.EthAdapterPolicy", ("- *", _REBOOT, "queues and offloads are made when the driver loads", _UNSURE)
    )
    yield from type_rows(
        "vnic.EthNetworkPolicy",
        ("- *", _REBOOT, "VLANs of a standalone server are the adapter's own, which it takes at a start", _UNSURE),
    )
    yield from type_rows(
        "vnic.EthQosPolicy",
        ("- *", _REBOOT, "another policy in its place, whose MTU may differ", _UNSURE),
        ("Mtu", _REBOOT, "the adapter tells its driver the MTU when the host starts", _UNSURE),
        ("Priority Cos TrustHostCos", _FLAP, "the interface moves to another class", _UNSURE),
        (
            "RateLimit Burst",
            _NONE,
            "a limit of the virtual interface",
            "SDK, network.Vethernet: Ratelimit and Burst of the QoS policy",
        ),
    )
    yield from type_rows(
        "fabric.EthNetworkGroupPolicy",
        (
            "- * VlanSettings VlanSettings.AllowedVlans",
            _NONE,
            f"{_VETHERNET}; a VLAN that leaves loses its traffic",
            _GROUP,
        ),
        (
            "VlanSettings.NativeVlan VlanSettings.QinqVlan VlanSettings.QinqEnabled",
            _FLAP,
            "untagged traffic moves to another VLAN",
            _GROUP + "; SDK, fabric.VlanSettings.NativeVlan; that it flaps is [?]",
        ),
    )
    yield from type_rows(
        "fabric.EthNetworkControlPolicy",
        (
            "- *",
            _FLAP,
            _VETHERNET,
            'SDK, fabric.EthNetworkControlPolicy: "features that are applied on a vethernet"; that it flaps is [?]',
        ),
        ("CdpEnabled LldpSettings", _NONE, "neighbours are announced or are not", _UNSURE),
        ("UplinkFailAction", _NONE, "what happens when the uplinks fail", _UNSURE),
    )


def _storage_network() -> Iterator[tuple[str, Mapping[str, PropertyRow]]]:
    for name in (
        "vnic.SanConnectivityPolicy",
        "vnic.FcIf",
        "vnic.FcAdapterPolicy",
        "vnic.FcNetworkPolicy",
        "vnic.FcQosPolicy",
    ):
        yield from type_rows(name, ("- *", _REBOOT, _VNIC_SHAPE, _UNSURE))


_PARTS: Final = (
    *_management(), *_server(), *_parts(), *_storage(), *_network(), *_vnic_policies(), *_storage_network(), *DOMAIN,
)  # fmt: skip
ROWS: Final[Mapping[str, Mapping[str, PropertyRow]]] = dict(_PARTS)
"""By object type and by property."""

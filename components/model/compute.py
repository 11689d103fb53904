"""What is defined about servers and the Intersight account that looks after them."""

from ipaddress import IPv4Address
from typing import Annotated, Literal

from pydantic import Field

from podwright.components.model.catalogue.interconnects import InterconnectName
from podwright.components.model.certificate import ControllerCertificate
from podwright.components.model.chassis import Chassis
from podwright.components.model.firmware import Firmware, OwnFirmware
from podwright.components.model.hosts import Host
from podwright.components.model.management import ServerManagement
from podwright.components.model.port_modes import PortMode
from podwright.components.model.settings import Settings
from podwright.components.model.types import (
    Derived,
    DnsName,
    Mac,
    MachineId,
    Name,
    Numbered,
    OrganizationName,
    SecretName,
    Serial,
    Spec,
    Words,
)
from podwright.components.model.uuids import Uuids

ObjectName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:-]{1,64}$"), Words("the name of an Intersight object")]
"""Name of a policy, pool or profile."""


class Intersight(Spec):
    """The Intersight account or appliance."""

    endpoint: DnsName = "intersight.com"
    """Host name of the service or of the on-premises appliance."""
    organization: OrganizationName = "default"
    """Organization that holds the objects this stack makes, but for those of roles that name another; it must exist."""
    key_id: Annotated[
        str, Field(pattern=r"^[^/ ]+/[^/ ]+/[^/ ]+$"), Words("an API key id in its three parts: account/user/key")
    ]
    """API key id; not a secret."""
    key: SecretName = "intersight-key"
    """Secret that holds the PEM text of the API key."""
    mac_block: Mac | None = None
    """First of 256 MAC addresses that blades take for their second vNIC. Null: one of 65,535 blocks under 00:25:b5, by
    the cluster's name; a pool that exists already keeps the block it has."""
    management: ServerManagement = ServerManagement()
    """Management controllers: addresses, users, services."""
    uuids: Uuids | None = None
    """UUIDs for servers behind Fabric Interconnects. Null: each keeps the one it was made with."""
    adopt: tuple[ObjectName, ...] = ()
    """Names of policies, pools and profiles that exist in Intersight already and that this stack takes on: it brings
    them to what it defines, and keeps them when it is destroyed."""
    firmware: Firmware = Firmware()
    """Firmware that servers run, by model family."""
    resource_groups: dict[OrganizationName, ObjectName] = {}
    """Resource groups that this stack makes, by organization: each holds the servers of this file whose profiles are
    in that organization, by their serial numbers, and is given to it beside the groups that it has. Interconnects and
    chassis are in none. Empty: the site has made groups through which its organizations see their servers."""


class Bmc(Spec):
    """How the servers' baseboard controllers are reached."""

    user: Name = "admin"
    """Redfish user."""
    password: SecretName
    """Secret that holds the Redfish password of every server that names none of its own (`bmc_password`)."""
    generation: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    """Raise it when the password behind the secret was rotated."""
    firmware: OwnFirmware = OwnFirmware()
    """Firmware of servers with a controller of their own, by model."""


class Server(Settings, Host):
    """One server; its key in the map is its host name."""

    pool: Name
    """Node pool it belongs to: `control-plane` or a key of `pools`."""
    role: Name | None = None
    """Role that it takes settings from, a key of `compute.roles`. Null: the role that its pool has, else its model."""
    serial: Annotated[MachineId, Derived("of a blade with a slot: its chassis's `profile.serial` and the slot")]
    """Serial number, which binds the server profile. A blade may be bound to where it sits instead, FOX00000043/3: the
    serial number of its chassis and its slot, which is also what it comes to where the line is left out and `slot`
    names a chassis with a `profile`. The blade's own number is then read from Intersight, and another blade in the slot
    takes its place."""
    address: Annotated[IPv4Address, Numbered()]
    """Address on the machine network."""
    boot_mac: Mac
    """MAC of the interface it boots and joins the machine network with; on the first peer of the frontend pair."""
    bond_mac: Annotated[Mac, Numbered()] | None = None
    """MAC of its second interface on the frontend, cabled to the other peer. Its system is installed with a bond of the
    two: LACP where the pair's port channel ends at the server, active-backup behind Fabric Interconnects, which bundle
    with no host. Null: no bond, and one leg, however many are cabled. A node that is installed keeps what it has."""
    storage_macs: Annotated[tuple[Mac, ...], Field(min_length=2, max_length=2)] | None = None
    """MAC addresses of its two interfaces on the storage pair: the first is cabled to the first peer, the second to the
    other. They are bonded by LACP, apart from the frontend's two, at the installation, or while the node runs where
    `openshift.host_network` is managed. Null: nothing is configured there, and NX-OS suspends the pair's ports."""
    bmc: IPv4Address | None = None
    """Redfish address. None for servers that only Intersight reaches (attached to Fabric Interconnects)."""
    bmc_password: SecretName | None = None
    """Secret that holds this server's own Redfish password. None: `bmc.password`, which others share."""
    certificate: ControllerCertificate | None = None
    """Certificate of its management controller, set by its profile in Intersight. None: the one it was made with."""
    disk: Annotated[str, Field(pattern=r"^/dev/[A-Za-z0-9/_.-]+$"), Words("a device such as /dev/nvme0n1")] = (
        "/dev/nvme0n1"
    )
    """Installation disk."""
    cores: Annotated[int, Field(ge=1, le=512)] | None = None
    """Physical cores, all sockets together. None: the catalogue's configuration of the model."""
    memory_gib: Annotated[int, Field(ge=16, le=16384)] | None = None
    """Memory in GiB. None: the catalogue's configuration of the model."""
    own_uuid: bool = False
    """True: it keeps the UUID it was made with, whatever `intersight.uuids` says: a server that was installed with its
    own one."""
    leave: Literal["decommission"] | None = None
    """decommission: when the server leaves the file, and when the stack is destroyed, Intersight takes the machine out
    of service, after its node is gone and its profile unassigned; and puts it back when the server comes back. Behind
    Fabric Interconnects alone. Null: the machine stays in service."""
    renamed_from: Name | None = None
    """Name that the server has in the stack's state: the next update renames its profile in place, and the line may go.
    Null: its name is the one it has."""
    object_name: Name | None = None
    """Name of what cannot be renamed: its Node, and a blade's LAN connectivity policy. Null: the server's own name."""


class Domain(Spec):
    """A pair of Fabric Interconnects; its key is the domain's name."""

    model: InterconnectName
    """Fabric Interconnect model, as Intersight prints it."""
    serials: Annotated[dict[Literal["A", "B"], Serial], Field(min_length=2, max_length=2)]
    """Serial number of each fabric's interconnect."""
    rack: Name
    """Rack of the pair."""
    uplinks: Annotated[tuple[Annotated[int, Field(ge=1, le=64)], ...], Field(min_length=1)]
    """Uplink ports towards the frontend pair, on both interconnects."""
    server_ports: Annotated[tuple[Annotated[int, Field(ge=1, le=64)], ...], Field(min_length=1)]
    """Ports towards chassis and rack servers, on both interconnects."""
    lacp: Literal["normal", "fast"] = "normal"
    """How often the uplinks ask the frontend for LACP messages: every 30 s, or every second."""
    udld: Literal["normal", "aggressive"] | None = None
    """UDLD on the uplinks, which shuts a fibre that carries one way only; the frontend's ports must speak it too. Null:
    none."""
    derived: bool = False
    """True: the pair's profile has its policies from a domain profile template, which shows in Intersight as their
    source. It is joined and left with nothing deployed. False: the profile holds them itself."""
    port_modes: tuple[PortMode, ...] = ()
    """Ports that are Fibre Channel or broken out, on both interconnects; they are no uplinks and no server ports. A
    change restarts the interconnects, one after the other."""
    chassis: dict[Name, Chassis] = {}
    """Chassis behind the pair, by name. Blades stand in one by `slot`; those without are not judged by its supplies."""

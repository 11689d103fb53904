"""What is defined of servers' settings, for a role that several have or for one server alone."""

from typing import Annotated, Any, Final, Literal

from pydantic import Field, StringConstraints

from podwright.components.model.changes import ServerApproval
from podwright.components.model.types import Name, OrganizationName, Spec, VlanId, Words

Value = Annotated[Any, Words("what Intersight's property of this name takes, or null for the platform's default")]
"""Value of a property of Intersight; the table of its properties says which are taken."""

Target = Annotated[Any, Words("the name of another entry of `policies`, or a list of names")]
"""What an object refers to."""


class Smt(Spec):
    """Simultaneous multithreading."""

    enabled: bool
    """Two threads on each core, or one. The BIOS is set to it, and processors are isolated on the node by it."""
    reason: Annotated[str, Field(min_length=10, max_length=200), Words("a sentence of 10 to 200 characters")]
    """Why, for those who read the file and `podwright explain compute`."""


class Extra(Spec):
    """An object of Intersight that the design does not make."""

    type: str
    """Its object type, such as ipmioverlan.Policy."""
    properties: dict[str, Value] = {}
    """Its properties by their Intersight names. One that Intersight never answers, such as a password, is the name of
    a secret: {Password: {secret: imc-ops}}, with `generation: 2` once it was rotated."""
    references: dict[str, Target] = {}
    """Other entries of `policies`, by the property that refers to them: {FcNetworkPolicy: san-a}. A property that
    takes several has a list: {FcZonePolicies: [zone-a, zone-b]}."""


class ExtraPolicy(Extra):
    """A policy or pool, with what lives inside it. A policy of a type that profiles take is on each server's."""

    children: dict[str, Extra] = {}
    """Objects inside it by name, such as the vHBAs of a SAN connectivity policy."""


class Vnic(Spec):
    """A vNIC. eth0 and eth1 are the design's, which these settings stand over; others are added."""

    derived: bool = False
    """True: it is derived from a vNIC template of Intersight that all servers with these settings share, which has its
    fabric, policies and MAC address pool; its order, its place on the adapter and a boot address stay its own, and it
    overrides nothing. It joins and leaves the template without a restart. Of servers behind Fabric Interconnects alone.
    False: it holds them itself."""

    vlans: Annotated[tuple[VlanId, ...], Field(min_length=1)] | None = None
    """VLANs of the frontend that it carries. Null: all of them."""
    properties: dict[str, Value] = {}
    """Properties of vnic.EthIf by their Intersight names."""


DriveGroupName = Annotated[
    str,
    StringConstraints(pattern=r"^[a-zA-Z0-9_.:-]{1,64}$"),
    Words("the name of a drive group such as data: letters, digits and _.:-, at most 64"),
]
"""Name of a RAID group in Intersight."""

TagKey = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$"),
    Words("a tag such as cost-centre: letters, digits and ._:/-, at most 128"),
]
"""Key of a tag in Intersight."""


class Settings(Spec):
    """What a role or a server sets that the catalogue's defaults would leave otherwise."""

    smt: Smt | None = None
    """Simultaneous multithreading. Null: the role's, else as shipped, which is two threads on each core."""
    bios: dict[str, Value] = {}
    """BIOS tokens by their Intersight names, {CpuPerformance: hpc}; a server's over its role's, a role's over the
    catalogue's. Null: the token is left at the platform's default."""
    boot: dict[str, Value] = {}
    """Properties of boot.PrecisionPolicy by their Intersight names: BootDevices, in order, EnforceUefiSecureBoot."""
    disks: dict[str, Value] = {}
    """Properties of storage.StoragePolicy by their Intersight names: M2VirtualDrive, UnusedDisksState."""
    drive_groups: dict[DriveGroupName, dict[str, Value]] = {}
    """RAID groups by name, each with properties of storage.DriveGroup by their Intersight names: RaidLevel,
    ManualDriveGroup with its SpanGroups and DedicatedHotSpares, or AutomaticDriveGroup, and VirtualDrives. A change of
    one takes the data of its drives."""
    drive_security: dict[str, Value] = {}
    """Properties of storage.DriveSecurityPolicy by their Intersight names: KeySetting, whose keys are named as secrets.
    Empty: drives have no key of ours."""
    adapter: dict[str, Value] = {}
    """Properties of adapter.ConfigPolicy by their Intersight names, of standalone servers with a Cisco VIC: Settings.
    Empty: adapters stay as they are."""
    memory: dict[str, Value] = {}
    """Properties of memory.Policy by their Intersight names, of servers behind Fabric Interconnects:
    EnableDimmBlocklisting. Empty: as shipped."""
    scrub: dict[str, Value] = {}
    """Properties of compute.ScrubPolicy by their Intersight names, of servers behind Fabric Interconnects:
    ScrubTargets, which are erased when the profile leaves the server. Empty: nothing is."""
    vnics: dict[Name, Vnic] = {}
    """vNICs by name, of servers with a Cisco VIC."""
    policies: dict[Name, ExtraPolicy] = {}
    """Further policies and pools by name, of any type in the table. One of a type that the design makes too, such as
    ntp.Policy, takes its place."""
    profile: Literal["rendered", "derived"] | None = None
    """How its server profile comes about: `rendered`, which holds its policies itself, or `derived` from a server
    profile template that holds them for all servers alike, and shows in Intersight as their source. Servers join and
    leave a template without a restart. Null: the role's, else rendered."""
    tags: dict[TagKey, Annotated[str, Field(max_length=256)]] = {}
    """Tags of the server profile beside the mark of its stack; others that people set there stay."""
    approve: tuple[ServerApproval, ...] = ()
    """What may happen to these servers beyond `changes.limit`, and until when: an entry has the keys of one of
    `changes.approve`, without `on`. Nothing of it is written to a server."""


DERIVED: Final = "derived"
"""The value of `profile` for a server whose profile has its policies from a template."""
SHAPING: Final = tuple(name for name in Settings.model_fields if name not in ("profile", "tags", "approve"))
"""Fields that make policies: a server that sets one itself has a policy that no other has."""


class Role(Settings):
    """Settings that several servers share."""

    pools: tuple[Name, ...] = ()
    """Node pools whose servers have this role where they name none: `control-plane` or keys of `pools`."""
    models: tuple[str, ...] = ()
    """Models whose servers have this role where neither they nor their pool name one."""
    organization: OrganizationName | None = None
    """Organization of Intersight that has its servers' profiles and the policies and pools that they use. It must
    exist, and one of its resource groups must hold the servers. Null: `intersight.organization`. Another one means
    another profile: the servers leave theirs first, which takes an approval of `replaced`."""


class Compute(Spec):
    """Settings of servers by role."""

    roles: dict[Name, Role] = {}
    """Roles by name. A server has the one that it names in `role`, else that of its pool, else that of its model."""

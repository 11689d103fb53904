"""What is defined about OpenShift: the installation, node pools and teams."""

from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from podwright.components.model.cluster_networks import ClusterNetworks
from podwright.components.model.etcd_backup import EtcdBackup
from podwright.components.model.mirror import Mirror
from podwright.components.model.types import Derived, DnsName, Name, Numbered, SecretName, Spec, SshKey, Words


class Publish(Spec):
    """Where the installation image is put for the servers' virtual media to fetch."""

    directory: str = "~/.podwright/publish"
    """Folder this program may write to; ~ is the home folder."""
    url: Annotated[str, Field(pattern=r"^https?://[^ ]+$"), Words("an http or https URL such as http://192.0.2.2:8080")]
    """Address under which baseboard controllers see that folder."""


class Pool(Spec):
    """A node pool: one MachineConfigPool, its labels and taints."""

    purpose: Annotated[
        Literal["training", "inference", "infrastructure", "cpu"], Derived("its name, where that is one of these")
    ]
    """What may run there. Workloads name the pool; policies hold them to its purpose."""
    mig: str | None = None
    """MIG layout of every GPU, as mig-parted names it: all-1g.18gb. None leaves GPUs whole."""
    rails: bool = False
    """Servers of this pool have their GPU NICs on the backend fabric; pods get one RDMA device per rail."""
    hugepages_gib: Annotated[int, Field(ge=0, le=512)] = 0
    """1 GiB huge pages reserved per node at boot, for workloads that ask for them: nothing else can use that memory."""
    transparent_hugepages: Literal["always", "madvise", "never"] | None = None
    """When the kernel backs memory of programs with huge pages by itself. None: always on nodes with GPUs, as Tuned's
    profile for high-performance computing has it; elsewhere as OpenShift's own profile has it."""
    max_unavailable: Annotated[int, Field(ge=1, le=32)] = 1
    """Nodes that a roll-out may take away at once."""
    stall_minutes: Annotated[int, Field(ge=1, le=1440)] | None = None
    """Minutes without any change after which an update no longer waits for the pool's nodes, and says who holds them.
    None means 45: a server with 2 TB of memory takes half an hour to restart."""


class Team(Spec):
    """A team: one namespace with quota, network policy and service account."""

    gpus: Annotated[int, Field(ge=0, le=100_000)] = 0
    """Whole GPUs the team may ask for at once."""
    slices: dict[str, Annotated[int, Field(ge=0, le=1_000_000)]] = {}
    """MIG slices by profile, for example {1g.18gb: 14}."""
    group: str | None = None
    """Directory group whose members may edit the namespace."""


FaultDomain = Literal["chassis", "rack", "feed", "interconnects"]
"""What fails as one with everything in it: a chassis, a rack, a power feed, a pair of Fabric Interconnects."""
Reason = Annotated[
    str,
    StringConstraints(pattern=r"^[^\s].{14,198}[^\s]$"),
    Words("a reason of 16 to 200 characters, such as: one rack until the second room opens in March 2027"),
]
"""Why something is as it is, for those who read the file later."""


class OpenShift(Spec):
    """The cluster's installation."""

    version: Annotated[str, Field(pattern=r"^4\.[0-9]{2}\.[0-9]+$"), Words("an OpenShift release such as 4.20.3")]
    """OpenShift release, for example 4.20.3."""
    domain: DnsName
    """Base domain; the API answers at api.<cluster>.<domain>."""
    api_vip: Annotated[IPv4Address, Numbered()]
    """Virtual address of the API."""
    ingress_vip: Annotated[IPv4Address, Numbered()]
    """Virtual address of ingress."""
    machine_network: IPv4Network
    """Network of the nodes' addresses."""
    gateway: Annotated[IPv4Address, Numbered(), Derived("the first address of the machine network")]
    """Default gateway of the machine network."""
    networks: ClusterNetworks = ClusterNetworks()
    """Networks of pods and services, and how many nodes they must have room for."""
    control_plane_shares: dict[FaultDomain, Reason] = {}
    """Fault domains that control-plane hosts share, with the reason: {rack: one rack until ...}. Without one, no two of
    them share a chassis, a rack or a feed, nor Fabric Interconnects where there is a pair for each. It stays an open
    finding of `podwright check`. What lies inside another counts by itself: hosts in one chassis need `chassis`."""
    pull_secret: SecretName = "pull-secret"
    """Secret that holds the registry pull secret (JSON)."""
    ssh_key: SshKey
    """Public SSH key of the core user."""
    etcd_backup: EtcdBackup | None = None
    """Scheduled backups of etcd. Null: somebody else takes them, or nobody."""
    publish: Publish
    """Where the image is published."""
    mirror: Mirror | None = None
    """The registry of a disconnected site, to which `pull_secret` has a login. Null: nodes pull from the internet."""
    teams: dict[Name, Team] = {}
    """Teams by namespace."""

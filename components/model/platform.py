"""What is defined about OpenShift: the installation, node pools and teams."""

from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from podwright.components.model.admission import Admission
from podwright.components.model.admission_rules import AdmissionRules
from podwright.components.model.alerts import Alerts
from podwright.components.model.block_storage import BlockStorage
from podwright.components.model.cluster_networks import ClusterNetworks
from podwright.components.model.containers import Containers
from podwright.components.model.data_science import DataScience
from podwright.components.model.etcd_backup import EtcdBackup
from podwright.components.model.gateway import InferenceGateway
from podwright.components.model.images import Images
from podwright.components.model.infrastructure import Infrastructure
from podwright.components.model.lost_nodes import LostNodes
from podwright.components.model.mig_gpus import MigGpus
from podwright.components.model.mirror import Mirror
from podwright.components.model.numa import Numa
from podwright.components.model.operators import Driver
from podwright.components.model.queues import Queues
from podwright.components.model.service_mesh import ServiceMesh
from podwright.components.model.teams import Team, TeamIsolation
from podwright.components.model.types import Derived, DnsName, Name, Numbered, SecretName, Spec, SshKey, Words


class Publish(Spec):
    """Where the installation image is put for the servers' virtual media to fetch."""

    directory: str = "~/.podwright/publish"
    """Folder this program may write to; ~ is the home folder."""
    url: Annotated[str, Field(pattern=r"^https?://[^ ]+$"), Words("an http or https URL such as http://192.0.2.2:8080")]
    """Address under which baseboard controllers see that folder."""


class PoolRollout(Spec):
    """How a change that takes nodes away goes through a pool."""

    pause: bool = False
    """No further node is drained or restarted, whoever would do it; all else is applied, and the changes wait."""
    soak_seconds: Annotated[int, Field(ge=0, le=86_400)] = 30
    """Seconds for which the first node must stay as it came back before another one is taken."""
    despite: tuple[Name, ...] = ()
    """ClusterOperators that may be degraded while nodes are taken, such as insights. All others, and every member of
    etcd, have to be well before each node: the roll-out waits ten minutes for them, then stops."""


Reason = Annotated[
    str,
    StringConstraints(pattern=r"^[^\s].{14,198}[^\s]$"),
    Words("a reason of 16 to 200 characters, such as: one rack until the second room opens in March 2027"),
]
"""Why something is as it is, for those who read the file later."""


class Sharing(Spec):
    """How several pods share each GPU of a pool, or each MIG slice where the pool has `mig`.

    A share is a resource of its own: `nvidia.com/gpu.shared`, of a slice `nvidia.com/mig-1g.18gb.shared`. A pod takes
    one: two could be two turns on one GPU, and the device plugin refuses them.
    """

    mode: Literal["time-slicing", "mps"]
    """time-slicing: pods take turns. Nothing keeps their memory apart, and a fault of one ends all on the GPU
    (https://github.com/NVIDIA/k8s-device-plugin#shared-access-to-gpus). mps: they compute at once, each with its part
    of memory and threads, all of one team; NVIDIA calls it experimental, and it takes no MIG slices."""
    replicas: Annotated[int, Field(ge=2, le=48)]
    """Shares of each GPU or slice. 48 is what NVIDIA's device plugin lets MPS serve on one GPU."""
    reason: Reason | None = None
    """Why pods of several teams may share memory by time-slicing; needed where they do."""


class Pool(Spec):
    """A node pool: one MachineConfigPool, its labels and taints."""

    purpose: Annotated[
        Literal["training", "inference", "infrastructure", "cpu"], Derived("its name, where that is one of these")
    ]
    """What may run there. Workloads name the pool; policies hold them to its purpose."""
    mig: str | None = None
    """MIG layout of every GPU, as mig-parted names it: all-1g.18gb. None leaves GPUs whole."""
    mig_gpus: tuple[MigGpus, ...] = ()
    """GPUs of each server that are divided in different ways, by index and in place of `mig`: [{count: 4, slices:
    {3g.71gb: 2}}, {count: 4}] cuts the first four and leaves the others whole. Empty: `mig` is for every GPU."""
    gpu_driver: Driver | None = None
    """NVIDIA's driver on this pool's nodes where it is another one than `operators.gpu_driver`: 580.95.05. The first
    such pool takes the whole cluster over to NVIDIADriver objects, one of each pool with GPUs, and all their nodes are
    drained once, within each pool's budget; the way back is not automatic."""
    sharing: Sharing | None = None
    """Several pods on one GPU or slice: {mode: time-slicing, replicas: 4}. None: a GPU or slice is one pod's."""
    rails: bool = False
    """Servers of this pool have their GPU NICs on the backend fabric; pods get one RDMA device per rail."""
    hugepages_gib: Annotated[int, Field(ge=0, le=512)] = 0
    """1 GiB huge pages reserved per node at boot, for workloads that ask for them: nothing else can use that memory."""
    transparent_hugepages: Literal["always", "madvise", "never"] | None = None
    """When the kernel backs memory of programs with huge pages by itself. None: always on nodes with GPUs, as Tuned's
    profile for high-performance computing has it; elsewhere as OpenShift's own profile has it."""
    numa: Numa | None = None
    """How pods are aligned with NUMA nodes. None: not at all, and best-effort where the pool has huge pages. Nodes
    restart once for it, within `max_unavailable`."""
    containers: Containers | None = None
    """Limits of every container: {pids: 16384, log_mib: 200}. None: those of OpenShift."""
    block_storage: BlockStorage | None = None
    """Initiators for volumes of an array: {array: netapp-ontap, protocols: [iscsi]}. None: RHCOS as it is, without
    multipathd. Nodes restart once for it, within `max_unavailable`."""
    admission: Admission | None = None
    """Checks that each node passes after every boot, and with every MIG layout, before it takes workloads. None: a node
    does at once."""
    max_unavailable: Annotated[int, Field(ge=1, le=32)] = 1
    """Nodes that may be away at once, whoever takes them: roll-outs, operators, or a person."""
    rollout: PoolRollout = PoolRollout()
    """How a change that takes nodes away goes through the pool: the first node alone, watched, then the others."""
    stall_minutes: Annotated[int, Field(ge=1, le=1440)] | None = None
    """Minutes without any change after which an update no longer waits for the pool's nodes, and says who holds them.
    None means 45: a server with 2 TB of memory takes half an hour to restart."""

    @property
    def divides(self) -> bool:
        """Whether MIG cuts some GPU of the pool into slices."""
        return self.mig is not None or any(group.slices for group in self.mig_gpus)

    @property
    def reserves_processors(self) -> bool:
        """Whether one list of processors that no pod has to itself is for all of its nodes."""
        return self.hugepages_gib > 0 or self.numa is not None


FaultDomain = Literal["chassis", "rack", "feed", "interconnects"]
"""What fails as one with everything in it: a chassis, a rack, a power feed, a pair of Fabric Interconnects."""


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
    infrastructure: Infrastructure | None = None
    """OpenShift's own pods on a pool of their own: {pool: infra}. Null: where OpenShift puts them."""
    user_workload_monitoring: bool = False
    """Monitoring of user projects is switched on: a Prometheus beside the cluster's own, which reads `metrics` of
    services and answers their `scale`. The stack then has the ConfigMap cluster-monitoring-config. Off: nothing of it
    is written, and whether it runs is the administrator's matter."""
    publish: Publish
    """Where the image is published."""
    host_network: Literal["installed", "managed"] = "installed"
    """Who brings VLANs with `hosts: true`, and the bond of `storage_macs`, to hosts that run already. installed:
    nobody, a host has what it was installed with. managed: `up` does, by a policy of the Kubernetes NMState Operator
    for each node, the first one alone. The machine network and its bond stay as installed: OVN-Kubernetes runs on
    them."""
    mirror: Mirror | None = None
    """The registry of a disconnected site, to which `pull_secret` has a login. Null: nodes pull from the internet."""
    images: Images | None = None
    """Which images may run: {allowed_registries: [registry.example.com]}. Null: every one."""
    teams: dict[Name, Team] = {}
    """Teams by namespace."""
    team_isolation: TeamIsolation | None = None
    """No pod of a team reaches one of another, and no team can change that: {}. Null: NetworkPolicies of each namespace
    alone keep teams apart, which the members of its `group` may delete."""
    shared_rails: Reason | None = None
    """Why teams without a tenant of their own may share rails, where their pods reach each other: one research group
    with two projects. It stays an open finding of `podwright check`. Null: undeclared."""
    admission_rules: AdmissionRules | None = None
    """Rules of the policy pack that the API server evaluates too, in the namespaces of teams: {enforce: warn}. Null:
    what nobody planned is checked by nobody, training pools aside."""
    alerts: Alerts | None = None
    """Alerts about GPUs, training pools, teams and queues in OpenShift's own Prometheus: {}. Null: only those that
    OpenShift and its operators bring."""
    queues: Queues | None = None
    """Queues of training jobs: {pool: training}. Null: every job starts at once, and those that find no servers are
    refused."""
    lost_nodes: LostNodes | None = None
    """Nodes that fall silent for good are given up: {pools: [training]}. Null: their pods stay Terminating until the
    node is back or a person deletes them, and a training job waits for as long."""
    data_science: DataScience | None = None
    """Tools of data scientists, by Red Hat OpenShift AI: {components: [workbenches, mlflow], teams: [research], pools:
    [inference]}. Null: the cluster has none of them."""
    inference_gateway: InferenceGateway | None = None
    """A gateway that knows which replica of a service answers soonest: {picker_image: ...@sha256:...}. Null: services
    are reached by Routes, which know open connections alone."""
    service_mesh: ServiceMesh | None = None
    """Mutual TLS between pods of teams, by Red Hat OpenShift Service Mesh: {teams: [chat]}. Null: what pods say to each
    other is in the clear, unless they encrypt it themselves."""
    team_api_shares: Annotated[int, Field(ge=1, le=100)] | None = None
    """The teams' part of the API server, in shares of which Kubernetes' own levels have 245. Each team is one flow in
    it: what one sends in excess waits, then is refused with 429, and the others go on. None: the accounts of teams
    share Kubernetes' `workload-low`, 100 shares, with those of every operator."""

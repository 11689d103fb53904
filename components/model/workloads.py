"""What is defined about workloads: training jobs and inference services, each on a pool."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import Field

from podwright.components.model.canary import SUFFIX, Canary
from podwright.components.model.checkpoints import Checkpoints
from podwright.components.model.engines import Engine, Nim, Triton
from podwright.components.model.gateway import GatewayRoute
from podwright.components.model.mounts import Mount, ServedName, on_disk
from podwright.components.model.problems import Loc
from podwright.components.model.rendezvous import RendezvousStore
from podwright.components.model.routes import InferenceRoute
from podwright.components.model.scaling import Scale
from podwright.components.model.sizing import Sizing
from podwright.components.model.spread import LostNodeSeconds, Spread
from podwright.components.model.types import Derived, Image, Name, Spec
from podwright.components.model.variables import Secrets

HomeGib = Annotated[int, Field(ge=1, le=2048)]
RailNumber = Annotated[int, Field(ge=0, le=7)]
ExitCode = Annotated[int, Field(ge=1, le=255)]
Mounts = dict[Name, Mount]
SETS: Final = {"jobset": "member", "trainjob": "node"}
"""Kinds of training jobs whose members JobSet's controller makes, and how a set calls the one Job of all of them."""
REPLACEMENTS: Final = 3
SAVED_REPLACEMENTS: Final = 10
SAVED_RESTARTS: Final = 20
"""With checkpoints a failure costs the time since the last one, and each drain of a member is one for all the others:
an upgrade of the cluster alone drains as many as the job has."""


class Training(Spec):
    """A distributed training job: one pod per server, with all GPUs and all rails of it unless it takes a part."""

    team: Name
    """Team that owns it; a key of `openshift.teams`."""
    pool: Name
    """Training pool it runs on."""
    nodes: Annotated[int, Field(ge=1, le=512)]
    """Servers it spans."""
    min_nodes: Annotated[int, Field(ge=1, le=511)] | None = None
    """Servers that it starts with at least, where its queue has no room for `nodes` of them; it needs
    `openshift.queues`, kind job and a `command` of torchrun. Kueue decides it once, when it starts the job: what
    becomes free later it does not get until it starts anew. Members that are left when one fails go on without it, with
    `restarts`, and take it in again when it is back; so they do when it was member 0 with `rendezvous_store` alone.
    Null: all of them or none."""
    kind: Literal["job", "jobset", "trainjob"] = "job"
    """job: a Job; a member that fails is made again by itself, and the others wait for it or fail too. jobset: a
    JobSet; when one member fails, is drained or is lost with its node, all of them are stopped and made again
    together. It takes Red Hat's JobSet Operator, which is installed with it, and cert-manager. trainjob: the same
    JobSet, made by Kubeflow Trainer of a TrainJob, which dashboards and Kubeflow's SDK know; it takes `trainer` among
    the components of `openshift.data_science` too."""
    gpus: Annotated[int, Field(ge=1, le=16)] = 8
    """GPUs per server."""
    rails: Annotated[tuple[RailNumber, ...], Field(min_length=1)] | None = None
    """Rails that each member takes, such as [0, 1, 2, 3]: all of one NUMA node, with all GPUs of it, so that another
    job may have the rest of the server. Kubelet finds GPUs and processors beside them where the pool's `numa.policy` is
    restricted or single-numa-node. Null: every rail of the server."""
    image: Image
    """Training image, pinned by digest."""
    command: tuple[str, ...] = ("torchrun",)
    """Program and arguments. Where members meet is added: to `torchrun` and `accelerate launch` as arguments, to
    every other program, such as a shell or `python -m torch.distributed.run`, by environment variables."""
    rendezvous: Literal["derived", "own"] = "derived"
    """derived: members learn of each other from podwright. own: from the command alone; nothing is added to it."""
    rendezvous_store: RendezvousStore | None = None
    """A server at which members meet, on another pool: {pool: inference}. When any of them goes, member 0 too, the
    launchers of the others stay, and take in who comes back. It needs kind job, a launcher that starts processes again
    (`checkpoints` or `restarts`), and torchrun. Null: they meet at member 0, and all start anew when that one goes."""
    restarts: Annotated[int, Field(ge=0, le=1000)] | None = None
    """Times the launcher starts the processes of all members again, within their pods, after one has failed. Null: 20
    with `checkpoints`, else as often as the launcher does by itself (torchrun: never)."""
    replacements: Annotated[int, Field(ge=0, le=1000)] | None = None
    """Times a member's pod is made again after it ended with an error, for each member; then the job ends. When member
    0 goes for a drain, the others end with an error too, unless they meet at a `rendezvous_store`. Of a jobset, times
    all members are made again because one ended with an error; drains and lost nodes do not count. Null: 10 with
    `checkpoints`, else 3."""
    give_up_on: tuple[ExitCode, ...] = ()
    """Exit codes of a member that end the job at once, such as 2 for wrong arguments; others count against the member.
    torchrun and accelerate end with 1 whatever their processes ended with."""
    memory_gib: Annotated[int, Field(ge=1, le=4096)] = 512
    """Memory per server, shared memory included."""
    shm_gib: Annotated[int, Field(ge=1, le=1024)] = 64
    """Size of /dev/shm; it counts against `memory_gib`."""
    cpus: Annotated[int, Field(ge=1, le=512)] = 64
    """Processors per server as Kubernetes counts them: threads, two to a core unless a role turns the second off."""
    priority: Literal["training", "batch"] = "training"
    """batch: of its team's GPUs it takes those that no other job of the team wants. One of priority training that finds
    too few left stops it, with all of its members, and it waits again and starts from its last checkpoint. Its pool is
    that of `openshift.queues`: without queues nothing stops a job whole."""
    hugepages_gib: Annotated[int, Field(ge=0, le=512)] = 0
    """1 GiB huge pages per server, of those that `pools` reserves: beside `memory_gib`, not within it. The pod finds
    them at /dev/hugepages."""
    volumes: Mounts = {}
    """Claims that every pod mounts: keys of `storage.volumes` of the same team. With any of them pods have a HOME that
    they can write."""
    secrets: Secrets = {}
    """Variables that members have from Secrets of the team's namespace: {HF_TOKEN: {secret: hub, key: token}}."""
    checkpoints: Checkpoints | None = None
    """Where its work is saved, on one of `volumes`. Null: nothing is planned for it, and what runs is not touched."""
    home_gib: HomeGib | None = None
    """GiB of a node's disk for HOME and the caches of compilers and the hub, which a pod of any user can write: more,
    and the pod is evicted. Given, it is asked of the scheduler too, and a pod waits where no node has as much left: how
    large disks are stands in no stack file, and is not checked. Null: 8 where `volumes` are given, unasked; else pods
    have no such HOME, and what runs is not touched."""

    @property
    def least(self) -> int:
        """Servers that it does not start without."""
        return self.nodes if self.min_nodes is None else self.min_nodes

    @property
    def least_key(self) -> str:
        """The key that says how many these are."""
        return "nodes" if self.min_nodes is None else "min_nodes"

    @property
    def starts_again(self) -> int | None:
        """Times a launcher starts processes again; None: it is not given a number."""
        return SAVED_RESTARTS if self.restarts is None and self.checkpoints is not None else self.restarts

    @property
    def made_again(self) -> int:
        """Times a member's pod may end with an error before the job does."""
        if self.replacements is not None:
            return self.replacements
        return REPLACEMENTS if self.checkpoints is None else SAVED_REPLACEMENTS


class Inference(Spec):
    """An inference service: replicas of a server of models."""

    team: Name
    """Team that owns it; a key of `openshift.teams`."""
    pool: Name
    """Inference pool it runs on."""
    replicas: Annotated[int, Field(ge=1, le=512)]
    """Replicas; with `scale` at least so many."""
    scale: Scale | None = None
    """More replicas while requests wait, by KEDA: {max: 5}; needs `metrics`. Null: always `replicas`."""
    spread: Spread = "hosts"
    """hosts: replicas are on different servers as far as there is room. racks: in any two racks of the pool their
    numbers differ by one at most, and one that would break that waits; a rack of which no server takes pods does not
    count."""
    lost_node_seconds: LostNodeSeconds = None
    """Seconds for which a node may be lost, after the 50 that Kubernetes takes to find it so, until its replicas are
    made anew on others. Null: Kubernetes' own 300."""
    slice: str | None = None
    """MIG profile each replica takes, for example 1g.18gb; None for whole GPUs."""
    gpus: Annotated[int, Field(ge=1, le=16)] = 1
    """Whole GPUs, or slices, per replica."""
    image: Image
    """Serving image, pinned by digest."""
    kind: Literal["deployment", "kserve"] = "deployment"
    """deployment: a Deployment. kserve: an InferenceService of KServe, which makes the Deployment: the dashboard of Red
    Hat OpenShift AI lists it. It takes kserve among `openshift.data_science.components`; the pods are the same."""
    engine: Engine = "vllm"
    """Server in the image. vllm: vLLM, or one that takes its arguments. triton: NVIDIA Triton Inference Server, with
    gRPC at 8001 and metrics at 8002 beside HTTP. nim: an NVIDIA NIM of a language model."""
    model: str
    """Model the server loads: its path in one of `volumes`, or its name on the hub. Of Triton the path of a model
    repository; of a NIM the name that clients call its model, such as meta/llama-3.1-8b-instruct."""
    triton: Triton | None = None
    """What Triton serves of its repository. Null: all of it."""
    nim: Nim | None = None
    """Key, cache and profile of a NIM. Null: as it says by itself."""
    sizing: Sizing | None = None
    """What the model takes of its GPUs' memory, and for how many requests. Null: not given, and nothing is checked."""
    served_name: ServedName | None = None
    """What clients call the model. Null: the service's name where `model` is a path, else `model`. Triton's models are
    called as their folders are."""
    port: Annotated[int, Field(ge=1024, le=65535)] = 8000
    """Port it serves on."""
    load_seconds: Annotated[
        Annotated[int, Field(ge=10, le=3600)] | None,
        Derived(
            "of Triton, and of a NIM with a cache and no `ngc_secret`: with `sizing` and `storage.read` 120, and twice "
            "the time in which its GPUs' share of that rate reads the weights"
        ),
    ] = None
    """Time the model may take to load before the start-up probe gives up. Null: 600, of a NIM 1800."""
    memory_gib: Annotated[int, Field(ge=1, le=2048)] = 32
    """Memory per replica."""
    cpus: Annotated[int, Field(ge=1, le=128)] = 4
    """Processors per replica as Kubernetes counts them: threads, two to a core unless a role turns the second off."""
    hugepages_gib: Annotated[int, Field(ge=0, le=512)] = 0
    """1 GiB huge pages per replica, of those that `pools` reserves: beside `memory_gib`, not within it. The pod finds
    them at /dev/hugepages."""
    volumes: Mounts = {}
    """Claims that every replica mounts: keys of `storage.volumes` of the same team."""
    secrets: Secrets = {}
    """Variables of the server from Secrets of the team's namespace: {HF_TOKEN: {secret: hub, key: token}}."""
    home_gib: HomeGib | None = None
    """GiB of a node's disk for HOME and the caches of compilers and the hub, which a pod of any user can write: more,
    and the pod is evicted. Given, it is asked of the scheduler too, and a pod waits where no node has as much left: how
    large disks are stands in no stack file, and is not checked. Null: 8 where the model is in a volume, else as many
    more as its GPUs have memory, for a model that is downloaded into it; unasked."""
    route: InferenceRoute | None = None
    """How users outside the cluster reach it. Null: pods of its own namespace alone do."""
    gateway: GatewayRoute | None = None
    """Instead of `route`: by `openshift.inference_gateway`, whose picker chooses the replica. Of vLLM alone: {}."""
    metrics: bool = False
    """OpenShift's monitoring of user projects reads the server's metrics, by a ServiceMonitor; it reads none before it
    is switched on: `openshift.user_workload_monitoring`, or by the cluster's administrator."""
    canary: Canary | None = None
    """A second version beside this one, and its share of the requests. Null: there is one version."""

    @property
    def most(self) -> int:
        """Replicas at most."""
        return self.scale.max if self.scale is not None else self.replicas

    @property
    def asks_cluster(self) -> bool:
        """Whether `up` asks the cluster about it beyond its objects: whether KServe's pods serve, how a canary does."""
        return self.kind == "kserve" or (self.canary is not None and self.canary.watch is not None)

    @property
    def url(self) -> str:
        """Where users outside the cluster reach it; empty without `route` and `gateway`."""
        return f"https://{way.host}" if (way := self.route or self.gateway) else ""


def called(name: str, service: Inference) -> str | None:
    """What clients call the model of a service; None where the models' folders say it."""
    if service.engine == "triton":
        return None
    own = name if service.engine == "vllm" and on_disk(service.model) else service.model
    return service.served_name or own


def second(name: str, service: Inference) -> tuple[str, Inference] | None:
    """Name and definition of the second version of a service, as if it were a service of its own; None without one."""
    if service.canary is None:
        return None
    new = ("image", "model", "sizing", "load_seconds")
    given = {key: value for key in new if (value := getattr(service.canary, key)) is not None}
    own: dict[str, object] = {"replicas": service.canary.replicas, "served_name": called(name, service)}
    own |= dict.fromkeys(("canary", "route", "scale", "gateway"))
    return name + SUFFIX, service.model_copy(update={**given, **own})


def versions(services: Mapping[str, Inference]) -> Iterator[tuple[Loc, str, Inference]]:
    """Both versions of every service, each as a service of its own: where a file defines it, its name, what it is."""
    for name, service in services.items():
        loc: Loc = ("workloads", "inference", name)
        yield loc, name, service
        if other := second(name, service):
            yield ((*loc, "canary"), *other)


def deployed(name: str, service: Inference) -> str:
    """Name of the Deployment of a service."""
    return f"{name}-predictor" if service.kind == "kserve" else name


class Asked(NamedTuple):
    """What runs that has an operator of its own."""

    sets: bool = False
    """Some training job is a JobSet, or becomes one."""
    scales: bool = False
    """Some inference service scales."""


class Acceptance(Spec):
    """The check that the fabric carries RoCE under incast, run inside every update that touches its path."""

    fan_in: Annotated[int, Field(ge=2, le=16)] = 4
    """Senders to one receiver."""
    minimum_percent: Annotated[int, Field(ge=1, le=100)] = 90
    """Least share of link speed, summed over the senders (90: perftest practice for healthy links)."""
    seconds: Annotated[int, Field(ge=1, le=600)] = 10
    """Duration of one test."""
    image: Image
    """Image with perftest."""
    enabled: bool = True
    """Off: no acceptance inside the update; `podwright accept` still runs it."""


class Workloads(Spec):
    """What runs on the cluster."""

    training: dict[Name, Training] = {}
    """Training jobs by name."""
    inference: dict[Name, Inference] = {}
    """Inference services by name."""

    @property
    def asked(self) -> Asked:
        """What of it has an operator of its own."""
        sets = any(job.kind in SETS for job in self.training.values())
        return Asked(sets, any(service.scale is not None for service in self.inference.values()))

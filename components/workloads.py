"""What the cluster is there for: training jobs, inference services."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi

from podwright.components.access import access
from podwright.components.canaries import watching
from podwright.components.contract import After, Component, under
from podwright.components.design.workloads import (
    ADMITTED,
    LEFT,
    canary,
    former,
    job,
    marked,
    monitor,
    picked,
    route,
    runtime_known,
    scaling,
    served,
    service,
    store,
)
from podwright.components.manifests import Objects, stack_mark
from podwright.components.model import (
    Attachments,
    Inference,
    InferenceGateway,
    Lossless,
    Pool,
    Server,
    Team,
    Training,
    Workloads,
    as_pooled,
)
from podwright.components.model.coherence import (
    inference_problems,
    queue_problems,
    run_problems,
    store_problems,
    training_problems,
)
from podwright.components.model.coherence.gateway import gateway_problems
from podwright.components.providers.openshift.resources import FormerJobEnded, RuntimeKnown, Served


@dataclass(frozen=True)
class TrainingJobArgs:
    """One distributed training job."""

    cluster: str
    """Name of the cluster; it is stamped on every resource."""
    job: str
    """Name of the job."""
    section: Training
    """The job."""
    pool: Pool
    """The pool that it runs on."""
    servers: Mapping[str, Server]
    """The pool's servers by host name: what a place for the job is chosen from."""
    lossless: Lossless
    """The class that the switches on their rails keep lossless: NCCL takes its values from it."""
    purpose: pulumi.Input[str]
    """`purpose` of the pool: policies check the job by it, in whatever stack the pool is."""
    kubeconfig: pulumi.Input[str]
    """Access to the cluster: a job that cannot change is ended before the next is made, and Kubeflow Trainer is asked
    whether it knows the runtime of a TrainJob."""
    owner: Team | None = None
    """The team: what it may ask for. None: its quota is not compared."""
    queue: str | None = None
    """LocalQueue of its namespace that it waits in, such as the pool's name. None: it starts at once."""
    apart: bool = False
    """Its team is in the service mesh, and its members are not."""
    tenant: str | None = None
    """Tenant of the fabric that `servers` are of, by whose label it selects nodes. None: it selects by none."""
    attachments: Attachments = "group"
    """What one attachment to a rail serves. group: a leaf group. rail: every leaf group, where host ports of the fabric
    route. fabric: and the job may take servers of several, which reach each other."""
    store_pool: Pool | None = None
    """The pool of `rendezvous_store`. None: the job has none."""
    store_purpose: pulumi.Input[str] = ""
    """`purpose` of that pool."""
    after: After = ()
    """`ready` of what must stand first: team, operators, acceptance, claims."""


class TrainingJob(Component):
    """A headless service that names the members, and an indexed job with one pod per server; before them the server at
    which members meet, where it is one of its own."""

    TOKEN = "podwright:index:TrainingJob"
    PROVIDERS = ("kubernetes",)

    job: pulumi.Output[str]
    """Namespace and name of the job: team/name."""
    pods: pulumi.Output[int]
    """Members of the gang."""
    ready: pulumi.Output[str]
    """Its name, once the job is accepted; not when it ends."""

    def __init__(self, name: str, args: TrainingJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        problems = [
            *under("section", training_problems(args.job, args.section, args.pool, args.servers, args.attachments)),
            *run_problems(args.section, args.servers, args.owner),
            *queue_problems(args.section, args.queue),
            *store_problems(args.section, args.store_pool),
        ]
        super().__init__(name, args.cluster, {"team": args.section.team, "pool": args.section.pool}, opts, problems)
        offered = as_pooled(args.pool, args.servers)
        placed = (args.lossless, args.attachments, args.queue, args.tenant)
        *rest, gang = job(args.job, args.section, offered, *placed, apart=args.apart)
        place = Objects(self, args.after)
        meet = place.workload(store(args.job, args.section, apart=args.apart), args.store_purpose)
        made: list[pulumi.Resource] = []
        if args.section.kind == "trainjob":
            # The runtime, then the job of it: its webhooks refuse one whose runtime they have not heard of.
            asked, behind = runtime_known(rest[0], gang), self.options(resources=place.workload(rest, args.purpose))
            made, rest = [RuntimeKnown(self.child("runtime-known"), asked, args.kubeconfig, behind)], []
        # Last of all, so that the one before trains on until there is nothing else to wait for.
        left = {} if args.section.min_nodes is None else ADMITTED
        ends = former(gang, stack_mark(), left.get(str(gang["kind"]), ()))
        behind = self.options(resources=made or meet or [self.join("needs", (), args.after)])
        ended = FormerJobEnded(self.child("former-ended"), ends, args.kubeconfig, behind)
        # A Job's Service too: the one before, as a set, has one of this name, which is JobSet's.
        made += place.following([ended]).workload([*rest, marked(gang, ends["digest"])], args.purpose, left)
        self.finish(
            job=f"{args.section.team}/{args.job}", pods=args.section.nodes, ready=self.join("ready", made).ready
        )


@dataclass(frozen=True)
class InferenceServiceArgs:
    """One inference service."""

    cluster: str
    """Name of the cluster; it is stamped on every resource."""
    service: str
    """Name of the service."""
    section: Inference
    """The service."""
    pool: Pool
    """The pool that it runs on."""
    servers: Mapping[str, Server]
    """The pool's servers by host name."""
    purpose: pulumi.Input[str]
    """`purpose` of the pool: policies check the service by it, in whatever stack the pool is."""
    owner: Team | None = None
    """The team: what it may ask for. None: its quota is not compared."""
    kubeconfig: pulumi.Input[str] | None = None
    """Access to the cluster, needed for kind kserve, whose pods are asked whether they serve, and to watch a canary."""
    gateway: InferenceGateway | None = None
    """The cluster's inference gateway, which a service with `gateway` is reached by. None: it has none."""
    after: After = ()
    """`ready` of what must stand first: team, operators, claims."""


class InferenceService(Component):
    """Replicas of a model server, the service in front of them, and the budget of a drain."""

    TOKEN = "podwright:index:InferenceService"
    PROVIDERS = ("kubernetes",)

    url: pulumi.Output[str]
    """Where pods of its own namespace reach it."""
    route_url: pulumi.Output[str]
    """Where users outside the cluster reach it; empty without `route` and `gateway`."""
    replicas: pulumi.Output[int]
    """Replicas; where it scales, at least so many."""
    ready: pulumi.Output[str]
    """Its name, once every replica serves."""

    def __init__(self, name: str, args: InferenceServiceArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        problems = [
            *under("section", inference_problems(args.service, args.section, args.pool, args.servers)),
            *run_problems(args.section, args.servers, args.owner, args.pool),
            *under("section", gateway_problems(args.section, args.gateway)),
        ]
        super().__init__(name, args.cluster, {"team": args.section.team, "pool": args.section.pool}, opts, problems)
        about = (args.service, args.section)
        placed = (*about, args.servers, args.pool.sharing)
        planned = (*service(*placed), *canary(*placed), *route(*about), *monitor(*about), *scaling(*about))
        planned += picked(*about, args.gateway)
        if args.section.kind == "kserve":
            asked, reached = served(*about, planned[0]), access(self, args.kubeconfig)

            def stands(first: pulumi.Resource) -> pulumi.Resource:
                """Its Route too is behind its replicas: KServe says Ready before they serve."""
                return Served(self.child("served"), asked, reached, self.options(resources=[first]))

            made = Objects(self, args.after).workload(planned, args.purpose, stands=stands)
        else:
            made = Objects(self, args.after).workload(planned, args.purpose, LEFT if args.section.scale else {})
            made = watching(self, about, planned, made, args.kubeconfig, args.after)
        self.finish(
            url=f"http://{args.service}.{args.section.team}.svc",
            route_url=args.section.url,
            replicas=args.section.replicas,
            ready=self.join("ready", made).ready,
        )


def in_short(work: Workloads) -> dict[str, dict[str, dict[str, str | int]]]:
    """What runs, as a stack exports it: by kind and name, whose it is, where, how many pods, and the URL of a route."""
    urls = {name: {"url": each.url} for name, each in work.inference.items() if each.url}
    return {
        "training": {
            name: {"team": each.team, "pool": each.pool, "pods": each.nodes} for name, each in work.training.items()
        },
        "inference": {
            name: {"team": each.team, "pool": each.pool, "pods": each.replicas, **urls.get(name, {})}
            for name, each in work.inference.items()
        },
    }

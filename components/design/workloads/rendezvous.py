"""How members of a training job find each other: member 0, by its name in the headless service, and one number; or a
store of its own (`rendezvous_store`).

What a launcher takes from its environment needs no place in the command, so that a shell, a path or a wrapper around it
get the same. torch's reads every option as PET_<OPTION> where the command does not give it (pytorch/pytorch,
torch/distributed/argparse_util.py; since torch 1.9, pytorch/elastic pull request 129 before it). NNODES, NODE_RANK,
NPROC_PER_NODE, MASTER_ADDR and MASTER_PORT are what programs read that start torchrun themselves (LLaMA-Factory,
ms-swift) or start processes by themselves (Lightning, plugins/environments/lightning.py).

WORLD_SIZE and RANK count processes, and a member with several GPUs has several: only where it has one are both known
before a launcher starts it. A launcher gives its processes their own (torch/distributed/elastic/agent).

`torchrun` as the first word gets arguments, as it always did: a job's pods cannot change, and one that runs would start
anew. `accelerate launch` has options of its own that come before torch's environment.
"""

from typing import Any

from podwright.components.design.workloads import rendezvous_store
from podwright.components.design.workloads.rendezvous_store import PORT
from podwright.components.design.workloads.sets import member
from podwright.components.model import Training
from podwright.components.model.launchers import ACCELERATE, launch, program
from podwright.components.model.workloads import SETS

_INDEX = {"fieldRef": {"fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}
"""The member's number. The controller's own JOB_COMPLETION_INDEX stands behind all variables of the pod template, where
none of them can refer to it (kubernetes/kubernetes, pkg/controller/job/indexed_job_utils.go)."""


LAST_CALL_SECONDS = 60
"""How long members that are enough wait for more (torchrun: 30), each time that they meet and are fewer than `nodes`.
One that comes later is taken in by starting the processes of all again, from the last checkpoint."""
JOIN_SECONDS = 3600
"""How long members of a job with checkpoints wait for one that is away (torchrun: 600). A server with eight GPUs takes
its half hour to restart for firmware; their own servers are theirs all the while, and giving up counts as a failure."""


def host(name: str, job: Training) -> str:
    """Name of member 0 in the cluster.

    The whole name is in /etc/hosts of that member, with its own address (kubernetes/kubernetes, pkg/kubelet/
    kubelet_pods.go, managedHostsFileContent). Any shorter one is asked of DNS, and while that has the address of the
    pod before, or none yet, the new member 0 does not find that it is the one to host the store, and asks the old
    address for it until it fails (pytorch/pytorch, torch/distributed/elastic/rendezvous/utils.py,
    _matches_machine_hostname). Jobs without checkpoints and `min_nodes` have the shorter one, as they always did: their
    pods cannot change. This is the default domain of OpenShift's DNS (openshift/cluster-dns-operator, README).
    """
    if job.kind in SETS:
        return f"{member(name, 0, SETS[job.kind])}.{name}.{job.team}.svc.cluster.local"
    return f"{name}-0.{name}.{job.team}.svc" + (".cluster.local" if _meets_again(job) else "")


def _meets_again(job: Training) -> bool:
    """Whether members are planned to meet more than once: another pod may be member 0 then."""
    return job.checkpoints is not None or job.min_nodes is not None or job.rendezvous_store is not None


def _endpoint(name: str, job: Training) -> str:
    """Where launchers of torch's meet: at member 0, or at a store of its own."""
    return f"{host(name, job) if job.rendezvous_store is None else rendezvous_store.host(name, job)}:{PORT}"


def _servers(job: Training) -> str:
    """How many members torch's launcher waits for: a number, or at least and at most."""
    return str(job.nodes) if job.min_nodes is None else f"{job.min_nodes}:{job.nodes}"


def command(name: str, job: Training) -> list[str]:
    """Program and arguments, with the arguments of a launcher that is the first word."""
    found = launch(job.command)
    if job.rendezvous == "own" or found is None:
        return list(job.command)
    restarts = [] if job.starts_again is None else [job.starts_again]
    if program(job.command) == "torchrun":
        options = [
            f"--nnodes={_servers(job)}",
            f"--nproc-per-node={job.gpus}",
            "--rdzv-backend=c10d",
            f"--rdzv-id={rendezvous_store.run_id(name, job)}",
            f"--rdzv-endpoint={_endpoint(name, job)}",
            *(f"--max-restarts={count}" for count in restarts),
        ]
    elif found.launcher == ACCELERATE:
        # kubelet puts the member's number in; a later option of the command's own counts instead of one of these.
        options = [
            f"--num_machines={job.nodes}",
            f"--num_processes={job.nodes * job.gpus}",
            "--machine_rank=$(NODE_RANK)",
            f"--main_process_ip={host(name, job)}",
            f"--main_process_port={PORT}",
            *(f"--max_restarts={count}" for count in restarts),
        ]
    else:
        options = []
    return [*found.head, *options, *found.rest]


def _kept(job: Training) -> dict[str, str | int]:
    """What members need that meet more than once. By variables: an older torchrun ends for an option that it does not
    have."""
    waits = {
        **({"join_timeout": JOIN_SECONDS} if job.checkpoints or job.rendezvous_store else {}),
        **({} if job.min_nodes is None else {"last_call_timeout": LAST_CALL_SECONDS}),
        # By itself a launcher compares the name with its own pod's.
        **({} if job.rendezvous_store is None else {"is_host": 0}),
    }
    if not _meets_again(job):
        return {}
    # It leaves its processes 30 seconds by itself.
    stop = {"PET_SHUTDOWN_TIMEOUT": job.checkpoints.shutdown_seconds} if job.checkpoints else {}
    return {
        "PET_RDZV_CONF": ",".join(f"{key}={seconds}" for key, seconds in waits.items()),
        **stop,
        # Else a launcher keeps the address at which processes met first for all later starts, be it of a pod that is
        # gone (torch/distributed/elastic/rendezvous/dynamic_rendezvous.py of 2.15, next_rendezvous).
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": 1,
    }


def variables(name: str, job: Training) -> list[dict[str, Any]]:
    """Environment of a member; where the first word is torchrun, what that takes from nowhere else."""
    if job.rendezvous == "own":
        return []
    kept: dict[str, str | int] = _kept(job)
    if program(job.command) == "torchrun":
        return [{"name": key, "value": str(value)} for key, value in kept.items()]
    # How many members there are, and so the rank of each, the launcher alone knows where it may be fewer.
    fixed = job.min_nodes is None
    alone = fixed and job.gpus == 1
    values = {
        **kept,
        "PET_NNODES": _servers(job),
        "PET_NPROC_PER_NODE": job.gpus,
        "PET_RDZV_BACKEND": "c10d",
        "PET_RDZV_ID": rendezvous_store.run_id(name, job),
        "PET_RDZV_ENDPOINT": _endpoint(name, job),
        **({} if job.starts_again is None else {"PET_MAX_RESTARTS": job.starts_again}),
        "MASTER_ADDR": host(name, job),
        "MASTER_PORT": PORT,
        **({"NNODES": job.nodes} if fixed else {}),
        "NPROC_PER_NODE": job.gpus,
        **({"WORLD_SIZE": job.nodes, "LOCAL_RANK": 0} if alone else {}),
    }
    numbers = ["NODE_RANK", *(["RANK"] if alone else [])]
    return [
        *({"name": key, "value": str(value)} for key, value in values.items()),
        *({"name": key, "valueFrom": _INDEX} for key in numbers),
    ]

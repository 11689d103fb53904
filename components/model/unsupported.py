"""What the field has and a stack file does not: why, and what to use instead. A page of the reference is made of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Unsupported:
    """One thing that no key leads to."""

    name: str
    why: str
    """A sentence."""
    instead: str
    """What to write or use: completes a hint."""
    keys: tuple[str, ...]
    """Keys by which a stack file would ask for it, in lower case with underscores."""


UNSUPPORTED: Final = (
    Unsupported(
        "NVIDIA vGPU", "Pods run on the servers themselves: there is no hypervisor that would hand out virtual GPUs.",
        "divide GPUs by pools.<name>.mig or mig_gpus, or share them by pools.<name>.sharing",
        ("vgpu", "vgpus", "vgpu_manager", "vgpu_profile"),
    ),
    Unsupported(
        "InfiniBand", "The backend is RoCE on Nexus switches; no subnet manager is installed and no InfiniBand switch "
        "reached.", "write fabric.lossless: one class that is lossless at every hop", ("infiniband", "ib", "ufm"),
    ),
    Unsupported(
        "GeoDNS, several sites in one stack", "A stack is one cluster at one site, and its DNS zone is the site's.",
        "write a stack file for each site, and balance between their Routes at the provider of the zone",
        ("geodns", "anycast", "sites", "regions"),
    ),
    Unsupported(
        "profilers", "What a program does with its GPUs is seen from within it.",
        "run Nsight Systems or PyTorch's profiler in the image, around the command",
        ("profiler", "profiling", "nsight"),
    ),
    Unsupported(
        "data engineering: ingestion, feature stores, DVC, lakeFS", "A stack ends at the volumes that pods mount.",
        "install them as workloads of a team, on claims of storage.volumes",
        ("feature_store", "feature_stores", "feast", "dvc", "lakefs", "data_ingestion", "ingestion"),
    ),
    Unsupported(
        "retention, archives and replication of data", "Who may delete data, and where its copies are, is the array's "
        "policy, which no StorageClass carries; of checkpoints podwright has the trainer keep the newest.",
        "set SnapMirror, tiering or expiry on the array, and `keep` of checkpoints in the stack file",
        ("replication", "retention", "archival", "snapmirror"),
    ),
    Unsupported(
        "drift and bias of models, retraining by itself", "Whether answers are still right is for the team to decide: "
        "TrustyAI's pods and database are in no plan, and no figure starts a job.",
        "write metrics: true and an alert of the team's own, and retrain by a pipeline of openshift.data_science",
        ("drift", "drift_detection", "model_monitoring", "trustyai", "bias", "retraining", "feedback"),
    ),
    Unsupported(
        "hyperparameter tuning: Katib, Ray Tune", "Their pods start one by one, beside the queues in which gangs wait.",
        "let several training jobs, each with its values, wait in openshift.queues: min_nodes and priority: batch",
        ("katib", "hyperparameter_tuning", "ray_tune", "optuna"),
    ),
    Unsupported(
        "several namespaces of one team, by environment", "Quota, queue, network policies and cost centre are of a "
        "team, and a team is one namespace.",
        "write a team for each, such as chat-dev and chat-prod with the same `group`, or a stack for each environment: "
        "docs/how-to/stage-a-change.md", ("environments", "environment", "namespaces"),
    ),
    Unsupported(
        "licences of NVIDIA AI Enterprise", "Drivers on servers without a hypervisor ask no licence server; the "
        "entitlement is a contract, and images need its key alone.",
        "name the Secrets with that key in workloads.inference.<name>.nim: ngc_secret and pull_secret",
        ("ai_enterprise", "nvidia_ai_enterprise", "licences", "licenses", "license_server"),
    ),
    Unsupported(
        "NCCL topology files", "On servers NCCL reads GPUs, NICs and the switches between them from /sys, in a pod "
        "too. A file is for virtual machines, which hide them.",
        "leave it out; an image with a file of its own sets NCCL_TOPO_FILE",
        ("nccl_topology", "nccl_topo_file", "topology_file"),
    ),
    Unsupported(
        "vertical pod autoscaler", "A pod with GPUs asks for what fits its server beside the others, and would start "
        "anew for another amount.", "write memory_gib and cpus of the workload", ("vpa", "vertical_pod_autoscaler"),
    ),
    Unsupported(
        "cluster autoscaler, MachineSets", "Servers are in racks and cables: none comes or goes by itself.",
        "write the server into `servers`, as docs/how-to/add-and-remove-a-server.md shows",
        ("cluster_autoscaler", "machine_autoscaler", "machine_sets", "autoscaling_groups"),
    ),
    Unsupported(
        "MPI jobs", "mpirun reaches other servers by ssh, and pods have no server of it.",
        "start programs by torchrun or accelerate, or by the variables that every member has",
        ("mpi", "mpi_job", "mpirun", "hostfile"),
    ),
    Unsupported(
        "Slurm", "The scheduler is Kubernetes' own.", "let training jobs wait in openshift.queues",
        ("slurm", "sbatch"),
    ),
)  # fmt: skip
_BY_KEY: Final[Mapping[str, Unsupported]] = {key: each for each in UNSUPPORTED for key in each.keys}


def unsupported(key: str) -> Unsupported | None:
    """What a key asks for that there is not; None for any other key."""
    return _BY_KEY.get(key.lower().replace("-", "_"))

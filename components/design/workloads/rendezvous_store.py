"""The store at which members of a job meet, as a server of its own: no member takes it along when it goes.

It is torch's own, from the job's own image: no program more to trust, to pull and to keep in step. A member's launcher
is told not to host one itself (`is_host=0`; pytorch/pytorch, torch/distributed/elastic/rendezvous/
c10d_rendezvous_backend.py, _create_tcp_store).

A Deployment, on a pool that is not for training: on a server of a member it would go as often as member 0 did, and what
runs until somebody stops it is not lawful on training pools. Without a queue's label Kueue leaves it alone.

What is in the store outlives the launchers too, and some of it must not: one that ends with an error, or has done its
work, closes the rendezvous (torch/distributed/launcher/api.py, launch_agent), and a closed one lets nobody in again
(dynamic_rendezvous.py, _RendezvousJoinOp). So the store ends when nobody has written to the rendezvous for a while,
which every launcher does each five seconds, and kubelet starts an empty one. No clock is compared with another, and
nothing that the launchers write is interpreted.
"""

from typing import Any, Final

from podwright.components.design.platform.names import (
    MESH_LABEL,
    OUTSIDE,
    POOL_LABEL,
    TRAINING,
    WORKLOAD_LABEL,
    Manifest,
    tolerations,
)
from podwright.components.model import RendezvousStore, Training
from podwright.components.model.rendezvous import MEETING

PORT: Final = 29500
"""Rendezvous port (torchrun's default)."""
IDLE_SECONDS: Final = 45
"""Without a sign of any launcher. Others take one for dead after 15 (dynamic_rendezvous.py: keep_alive_interval and
keep_alive_max_attempt)."""
CPUS: Final = "1"
MEMORY_GIB: Final = 1
PULL_SECONDS: Final = 1800
"""For an image with PyTorch in it, tens of GB, on a server that has no member and so not the image."""

PROGRAM: Final = """\
import signal, sys, time
from torch.distributed import TCPStore
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
port, key, idle = int(sys.argv[1]), "torch.rendezvous." + sys.argv[2], float(sys.argv[3])
store = TCPStore("localhost", port, None, True, wait_for_workers=False)
print("members meet here at port", port, flush=True)
last, since = None, time.monotonic()
while True:
    time.sleep(min(5, idle / 3))
    state = store.get(key) if store.check([key]) else None
    if state != last:
        last, since = state, time.monotonic()
    elif state is not None and time.monotonic() - since > idle:
        print("no launcher has given a sign for", idle, "seconds: what they left is dropped", flush=True)
        sys.exit(0)
"""


def run_id(name: str, job: Training) -> str:
    """What tells the rendezvous of one job from another's in a store."""
    return f"{job.team}-{name}"


def host(name: str, job: Training) -> str:
    """Where launchers find it: a Service, whose address stays whichever pod is behind it."""
    return f"{name}{MEETING}.{job.team}.svc.cluster.local"


def planned(name: str, job: Training, *, apart: bool = False) -> tuple[Manifest, ...]:
    """The Deployment, then its Service, which the pinned plugin takes for ready once it leads somewhere; nothing for a
    job whose members meet at member 0. `apart`: outside the service mesh, as the members are."""
    if job.rendezvous_store is None:
        return ()
    own = f"{name}{MEETING}"
    labels = {"app.kubernetes.io/name": own, WORKLOAD_LABEL: TRAINING, **({MESH_LABEL: OUTSIDE} if apart else {})}
    meta = {"name": own, "namespace": job.team, "labels": labels}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": meta,
        "spec": {
            "type": "ClusterIP",
            "selector": labels,
            "ports": [{"name": "rendezvous", "port": PORT, "targetPort": PORT, "protocol": "TCP"}],
        },
    }
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {**meta, "annotations": {"pulumi.com/timeoutSeconds": str(PULL_SECONDS)}},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            # Two of them would part the members.
            "strategy": {"type": "Recreate"},
            "progressDeadlineSeconds": PULL_SECONDS,
            "template": {"metadata": {"labels": labels}, "spec": _pod(name, job, job.rendezvous_store)},
        },
    }
    return deployment, service


def _python(job: Training) -> str:
    """Python of the job's own launcher, where its command says which."""
    folder, cut, own = job.command[0].rpartition("/") if job.command else ("", "", "")
    if own.startswith("python"):
        return f"{folder}{cut}{own}"
    return f"{folder}{cut}python3" if own == "torchrun" else "python3"


def _pod(name: str, job: Training, store: RendezvousStore) -> dict[str, Any]:
    memory = {"memory": f"{MEMORY_GIB}Gi"}
    return {
        "serviceAccountName": TRAINING,
        "automountServiceAccountToken": False,
        "nodeSelector": {POOL_LABEL: store.pool},
        "tolerations": tolerations(store.pool),
        # It has nothing to save.
        "terminationGracePeriodSeconds": 5,
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [
            {
                "name": "store",
                "image": job.image,
                "command": [_python(job), "-c", PROGRAM, str(PORT), run_id(name, job), str(IDLE_SECONDS)],
                "ports": [{"name": "rendezvous", "containerPort": PORT, "protocol": "TCP"}],
                # With a limit the processor would be its own, half a core, and kubelets whose pool has single-numa-node
                # give none (SMTAlignmentError).
                "resources": {"requests": {"cpu": CPUS, **memory}, "limits": memory},
                "readinessProbe": {"tcpSocket": {"port": "rendezvous"}, "periodSeconds": 5},
                "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
            }
        ],
    }

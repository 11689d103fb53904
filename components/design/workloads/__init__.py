"""Workloads, derived: training jobs and inference services that the scheduler can place for the right reasons."""

from podwright.components.design.workloads.canary import canary
from podwright.components.design.workloads.former import former, marked
from podwright.components.design.workloads.gateway import picked
from podwright.components.design.workloads.inference import service
from podwright.components.design.workloads.kserve import served
from podwright.components.design.workloads.mesh import clear
from podwright.components.design.workloads.monitor import monitor
from podwright.components.design.workloads.rendezvous_store import planned as store
from podwright.components.design.workloads.route import route
from podwright.components.design.workloads.scaling import LEFT, scaling
from podwright.components.design.workloads.train_jobs import known as runtime_known
from podwright.components.design.workloads.training import ADMITTED, job
from podwright.components.design.workloads.watch import reader, watched

__all__ = [
    "ADMITTED",
    "LEFT",
    "canary",
    "clear",
    "former",
    "job",
    "marked",
    "monitor",
    "picked",
    "reader",
    "route",
    "runtime_known",
    "scaling",
    "served",
    "service",
    "store",
    "watched",
]

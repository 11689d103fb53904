"""When a node takes pods: the checks of each boot that its taint waits for."""

from typing import Annotated

from pydantic import Field

from podwright.components.model.types import Image, Spec


class Admission(Spec):
    """Nodes of a pool take no workload before checks of their own have passed, at first and after every boot.

    Switching it on restarts the pool's nodes once, within `max_unavailable`, since they register with one more taint;
    pods that run on a node then stay, and its checks wait until they have ended.
    """

    controller_image: Image
    """Image with python3, UBI's for example, by digest: two pods on control-plane hosts that put the taint on, start
    the checks and take it off."""
    dcgm_image: Image
    """Image with DCGM (nv-hostengine, dcgmi), bash and NVIDIA's container hooks, by digest."""
    nccl_image: Image | None = None
    """Image with NCCL's tests (all_reduce_perf) and bash, by digest. Needed where some GPUs are neither divided nor
    shared; elsewhere no all-reduce runs: no MIG slice reaches another one, and a container has one share."""
    diagnostics: Annotated[int, Field(ge=1, le=4)] | None = None
    """Level of `dcgmi diag -r`: 1 takes seconds, 2 two minutes, 3 a quarter of an hour, 4 an hour or two. None: 2, or 1
    where GPUs are shared by time-slicing, which take no higher one: pods may have the other shares. On MIG slices and
    with MPS none runs."""
    bus_gbytes: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """Least bus bandwidth of an all-reduce over the GPUs of one node, in GB/s. None: 150 where they are on NVSwitches,
    else 15, which NVIDIA takes for NVLink and PCIe (NVIDIA/NVSentinel, preflight-nccl-loopback)."""
    straggler_percent: Annotated[int, Field(ge=0, le=100)] = 90
    """A node whose bandwidth is below so many percent of the pool's median is a straggler and not admitted, once three
    nodes of the pool were measured. 0: none is."""
    hot_celsius: Annotated[int, Field(ge=40, le=120)] = 83
    """A GPU that warm is too hot, where it does not report how far it is from slowing down; where it does, less than
    5 °C from it are."""
    retry_seconds: Annotated[int, Field(ge=10, le=86_400)] = 600
    """How long after checks have failed they run again. A GPU that is offered again, and another boot, are looked at
    at once."""

"""The lossless class as hosts need it: the other half of what the switches carry."""

from dataclasses import dataclass

from podwright.components.model import Lossless

_ECT = 2
"""ECN-capable transport ECT(0) in the two low bits of the traffic class; without it a switch drops, not marks."""
_RDMA_MTUS = (256, 512, 1024, 2048, 4096)
"""Path MTUs InfiniBand defines, in bytes."""
_ROCE_HEADERS = 96
"""What Linux sets aside before it picks the InfiniBand MTU (include/rdma/ib_addr.h, iboe_get_mtu): room for an IPv6
header 40, UDP 8, BTH 12, XRC 4, atomics 28, ICRC 4."""


@dataclass(frozen=True)
class HostLossless:
    """What NICs, pods and NCCL are set to."""

    traffic_class: int
    """NCCL_IB_TC, `ib_write_bw --tclass`, `cma_roce_tos -t`: the whole traffic class byte."""
    pfc: str
    """`mlnx_qos --pfc`: one digit for each priority from 0."""
    priority: int
    trust: str
    """`mlnx_qos --trust`."""
    rdma_mtu: int
    """Largest InfiniBand MTU that fits the NIC's MTU, in bytes."""
    host_mtu: int
    """MTU of NICs and pods, in bytes."""
    cnp_dscp: int
    """Firmware setting CNP_DSCP_P1: DSCP of the congestion notifications that a NIC sends."""
    cnp_priority: int
    """Firmware setting CNP_802P_PRIO_P1: priority that belongs to that DSCP."""


def host(lossless: Lossless) -> HostLossless:
    """Derive the host side from the class the switches carry."""
    return HostLossless(
        traffic_class=lossless.dscp << 2 | _ECT,
        pfc=",".join("1" if priority == lossless.priority and lossless.pfc == "on" else "0" for priority in range(8)),
        priority=lossless.priority,
        trust="dscp",
        rdma_mtu=max(mtu for mtu in _RDMA_MTUS if mtu + _ROCE_HEADERS <= lossless.host_mtu),
        host_mtu=lossless.host_mtu,
        cnp_dscp=lossless.cnp_dscp,
        # mlx5 maps eight DSCP values to each priority.
        cnp_priority=lossless.cnp_dscp >> 3,
    )

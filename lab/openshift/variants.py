"""Forms in which clusters differ where no public source decides, or where sites differ."""

from __future__ import annotations

from collections.abc import Mapping

from podwright.lab.variant import Variant

OPENSHIFT: Mapping[str, Variant] = {
    "nic-names": Variant(
        "OpenShift: what the nodes' system calls NICs and their RDMA devices",
        {
            "by-path": "after the PCI address, enp9s0f0np0 and rocep9s0f0: systemd's naming scheme and rdma-core's "
            "NAME_PCI, as Red Hat's systems are delivered",
            "by-driver": "as drivers found them, eth3 and mlx5_3: net.ifnames=0, and rdma-core's NAME_KERNEL; NVIDIA's "
            "public profile of the C885A shows eth names",
        },
        side="openshift",
    ),
    "registry": Variant(
        "OpenShift: what registries nodes reach",
        {"connected": "every one", "disconnected": "those that the installer was given as mirrors, and no other"},
        side="openshift",
    ),
}

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
    "mig-places": Variant(
        "OpenShift: where the GPU driver puts a MIG instance that may start at several memory slices",
        {
            "tight": "where the fewest other places are lost: public outputs of seven 1g.10gb on one H100, which came "
            "to 6, 4, 5, 0, 1, 2, 3, and of 3g, 1g, 2g, 1g on one A100, which came to 4, 0, 2, 1",
            "lowest": "at the lowest: the MIG user guide's two 3g.20gb on one A100, the first of which came to 0",
        },
        side="openshift",
    ),
    "nmstate-answers": Variant(
        "OpenShift: conditions of an enactment when its policy has another generation",
        {
            "kept": "those of the generation before, until the handler applies the new one: kubernetes-nmstate as its "
            "handlers were before July 2026",
            "cleared": "none: kubernetes-nmstate of July 2026",
        },
        side="openshift",
    ),
    "nmstate-shows": Variant(
        "OpenShift: what a node's state has of a NIC beside what was asked for",
        {
            "bare": "neither what it is a port of nor its permanent address: nmstate as it was for years "
            "(rust/src/lib/ifaces/base.rs: both are left out of what is shown)",
            "all": "`controller` and `permanent-mac-address`: nmstate's YAML API as its page has it today",
        },
        side="openshift",
    ),
    "peer-memory": Variant(
        "OpenShift: the module for NICs in a GPU's driver, when another driver of NICs is loaded",
        {
            "built-once": "it fails beside the new one until the GPU driver starts anew: gpu-operator, issue 2868",
            "reloaded": "its container loads it again, as gpu-operator's manifest describes it",
        },
        side="openshift",
    ),
    "registry": Variant(
        "OpenShift: what registries nodes reach",
        {"connected": "every one", "disconnected": "those that the installer was given as mirrors, and no other"},
        side="openshift",
    ),
    "routers": Variant(
        "OpenShift: where connections of its routers come from",
        {
            "host-network": "a host: strategy HostNetwork, as IngressControllers have it on bare metal",
            "pods": "a pod of openshift-ingress: strategies NodePortService, LoadBalancerService and Private",
        },
        side="openshift",
    ),
    "nim-key": Variant(
        "OpenShift: whether a NIM's download asks for a key of NVIDIA's catalogue",
        {
            "asked": "it does: releases before 2.0.10, and those of production branches",
            "open": "it does not: NIM for large language models from 2.0.10 on (NVIDIA's page of its configuration)",
        },
        side="openshift",
    ),
    "dcgm": Variant(
        "OpenShift: what `dcgmi diag` prints of a test",
        {
            "by-test": "one row, `Fail - GPU: 0` where one fails: captures of DCGM 3",
            "by-gpu": "a row for the test and one for each GPU below it: captures of DCGM 4",
        },
        side="openshift",
    ),
}

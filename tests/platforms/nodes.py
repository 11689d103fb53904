"""Nodes as they come up, worked out from the file and from vendors' tables: nothing of podwright counts here.

What kubelet keeps back: 500m and 1 GiB unless configured otherwise
(https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/nodes/working-with-nodes), 100 MiB for
eviction; under a PerformanceProfile its reserved processors, and 1,000 MiB (500 for the system, 500 for kubelet:
openshift/cluster-node-tuning-operator, kubeletconfig component). Huge pages are none of a node's memory.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from tests.platforms.planned import Object, of_kind

HARDWARE: Final[dict[str, tuple[int, int, dict[str, int]]]] = {
    "UCSC-885A-M8": (128, 2304, {"": 8}),
    "UCSC-880A-M8": (128, 4096, {"": 8}),
    "UCSC-845A-M8": (128, 1536, {"": 8}),
    "UCSC-C245-M8SX": (96, 768, {"": 2}),
    "UCSC-C240-M8SX": (64, 512, {"NVIDIA-L40S": 2, "NVIDIA-L4": 8}),
    "UCSC-C240-M7SX": (64, 512, {"NVIDIA-L40S": 2, "NVIDIA-L4": 8}),
    "UCSC-C225-M8N": (32, 256, {"": 3}),
    "UCSC-C220-M8S": (64, 512, {"": 3}),
    "UCSC-C220-M7S": (64, 512, {"": 3}),
}
"""Cores of all sockets, GiB, and GPUs of the fully fitted server, as the file means them where it states nothing."""
STARTS: Final[dict[int, dict[str, tuple[int, tuple[int, ...]]]]] = {
    8: {
        "1g": (1, (0, 1, 2, 3, 4, 5, 6)), "1g2": (2, (0, 2, 4, 6)), "2g": (2, (0, 2, 4)), "3g": (4, (0, 4)),
        "4g": (4, (0,)), "7g": (8, (0,)),
    },
    4: {"1g": (1, (0, 1, 2, 3)), "2g": (2, (0, 2)), "4g": (4, (0,))},
}  # fmt: skip
"""Memory slices and start places of profiles on GPUs of eight and of four slices (NVIDIA MIG User Guide)."""
SHAPES: Final[dict[str, tuple[int, dict[str, str]]]] = {
    "NVIDIA-H100-80GB-HBM3": (8, {"1g": "10", "1g2": "20", "2g": "20", "3g": "40", "4g": "40", "7g": "80"}),
    "NVIDIA-H100-PCIe": (8, {"1g": "10", "1g2": "20", "2g": "20", "3g": "40", "4g": "40", "7g": "80"}),
    "NVIDIA-H100-NVL": (8, {"1g": "12", "1g2": "24", "2g": "24", "3g": "47", "4g": "47", "7g": "94"}),
    "NVIDIA-H200": (8, {"1g": "18", "1g2": "35", "2g": "35", "3g": "71", "4g": "71", "7g": "141"}),
    "NVIDIA-H200-NVL": (8, {"1g": "18", "1g2": "35", "2g": "35", "3g": "71", "4g": "71", "7g": "141"}),
    "NVIDIA-B300-SXM6-AC": (8, {"1g": "34", "1g2": "67", "2g": "67", "3g": "135", "4g": "135", "7g": "269"}),
    "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition": (4, {"1g": "24", "2g": "48", "4g": "96"}),
}
"""Gigabytes in the names of profiles, by product (NVIDIA MIG User Guide, supported profiles)."""

RAILS: Final = tuple(f"0000:{bus}:00.0" for bus in ("09", "23", "53", "69", "8f", "9c", "cd", "f1"))
"""PCI addresses of the C885A's rails, the first rail's first (NVIDIA/k8s-launch-kit, UCSC-885A-M8)."""


@dataclass
class Node:
    """What the scheduler knows of a node."""

    name: str
    labels: dict[str, str]
    taints: list[dict[str, str]]
    free: Counter[str]
    """By resource: milli-cores, MiB of memory and of huge pages, devices, pods."""


def nodes(file: dict[str, Any], found: list[Object]) -> list[Node]:
    """Every server of the file as a node, with the plan's objects in force."""
    return [_node(name, server, file, found) for name, server in file["servers"].items()]


def _node(name: str, server: dict[str, Any], file: dict[str, Any], found: list[Object]) -> Node:
    pool = server["pool"]
    cores, memory, _ = HARDWARE[server["model"]]
    threads = server.get("cores", cores) * (2 if has_two_threads(pool, file) else 1)
    free = Counter({"cpu": threads * 1000 - 500, "memory": server.get("memory_gib", memory) * 1024 - 1124, "pods": 250})
    free["ephemeral-storage"] = 446 * 1024
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}
    taints: list[dict[str, str]] = []
    if pool == "control-plane":
        taints.append({"key": "node-role.kubernetes.io/master", "effect": "NoSchedule"})
        labels |= {"node-role.kubernetes.io/master": "", "node-role.kubernetes.io/control-plane": ""}
    for patch in of_kind(found, "Node"):
        if patch["metadata"]["name"].partition(".")[0] == name:
            labels |= patch["metadata"].get("labels", {})
    for profile in of_kind(found, "PerformanceProfile"):
        if profile["spec"]["nodeSelector"].items() <= labels.items():
            free["cpu"] = threads * 1000 - 1000 * len(numbers(profile["spec"]["cpu"]["reserved"]))
            pages = profile["spec"]["hugepages"]["pages"]
            free["hugepages-1Gi"] = sum(each["count"] for each in pages if each["size"] == "1G") * 1024
            free["memory"] += 1124 - 1100 - free["hugepages-1Gi"]
            kubelet = json.loads(profile["metadata"].get("annotations", {}).get("kubeletconfig.experimental", "{}"))
            taints += kubelet.get("registerWithTaints", [])
    for fields in _kubelets(pool, found):
        taints += fields.get("registerWithTaints", [])
        if "reservedSystemCPUs" in fields:
            free["cpu"] = threads * 1000 - 1000 * len(numbers(fields["reservedSystemCPUs"]))
        free["memory"] += 1124 - 1100 if "systemReserved" in fields else 0
    # It goes once the checks of the node's boot have passed.
    taints = [each for each in taints if each["key"] != "podwright.io/not-admitted"]
    free.update(gpus(server, file["pools"].get(pool, {})))
    free.update(_functions(server, labels, found))
    if "gpus" in server:
        labels["nvidia.com/gpu.product"] = server["gpus"]
    return Node(name, labels, taints, free)


def has_two_threads(pool: str, file: dict[str, Any]) -> bool:
    """Whether the cores of a pool of the file run two threads each."""
    roles = file.get("compute", {}).get("roles", {}).values()
    return all(role["smt"]["enabled"] for role in roles if pool in role["pools"])


def _kubelets(pool: str, found: list[Object]) -> Iterator[dict[str, Any]]:
    for each in of_kind(found, "KubeletConfig"):
        if each["spec"]["machineConfigPoolSelector"]["matchLabels"].items() <= _pool_labels(pool, found).items():
            yield each["spec"]["kubeletConfig"]


def _pool_labels(pool: str, found: list[Object]) -> dict[str, str]:
    pools = [each for each in of_kind(found, "MachineConfigPool") if each["metadata"]["name"] == pool]
    return dict(pools[0]["metadata"]["labels"]) if pools else {}


def numbers(text: str) -> set[int]:
    """Numbers of a list of processors as the kernel writes it."""
    found: set[int] = set()
    for part in text.split(","):
        low, _, high = part.partition("-")
        found |= set(range(int(low), int(high or low) + 1))
    return found


def fitted(server: dict[str, Any]) -> int:
    """GPUs of a server."""
    if "gpus" not in server:
        return 0
    default = HARDWARE[server["model"]][2]
    return int(server.get("gpu_count") or default.get(server["gpus"], default.get("", 0)))


def gpus(server: dict[str, Any], pool: dict[str, Any]) -> Counter[str]:
    """Devices that the plugin of the mixed strategy offers."""
    count, whole = fitted(server), Counter({"gpu": 1})
    if not count:
        return Counter()
    each = whole
    if pool.get("mig"):
        each = Counter({f"mig-{name}": number for name, number in instances(server["gpus"], pool["mig"]).items()})
    end, times = (".shared", pool["sharing"]["replicas"]) if pool.get("sharing") else ("", 1)
    return Counter({f"nvidia.com/{name}{end}": number * count * times for name, number in each.items()})


def ports(server: dict[str, Any]) -> list[str]:
    """PCI addresses of a server's rails: the file's own, else the model's."""
    own = {int(rail): address for rail, address in server.get("nics", {}).items()}
    return [own.get(rail, address) for rail, address in enumerate(RAILS)]


def _functions(server: dict[str, Any], labels: dict[str, str], found: list[Object]) -> Counter[str]:
    """Functions that policies make of the NICs that the server has."""
    made: Counter[str] = Counter()
    for policy in of_kind(found, "SriovNetworkNodePolicy"):
        spec = policy["spec"]
        if "group" in server and spec["nodeSelector"].items() <= labels.items():
            present = set(ports(server)) & set(spec["nicSelector"]["rootDevices"])
            made[f"openshift.io/{spec['resourceName']}"] += spec["numVfs"] * len(present)
    return made


def instances(product: str, layout: str) -> dict[str, int]:
    """Instances on one GPU under a layout of mig-parted's default table, placed by trying every place."""
    slices, gigabytes = SHAPES[product]
    spelled = {f"{shape[:2]}.{size}gb": shape for shape, size in gigabytes.items()}
    if layout == "all-balanced":
        return {f"1g.{gigabytes['1g']}gb": 2, f"2g.{gigabytes['2g']}gb": 1, f"3g.{gigabytes['3g']}gb": 1}
    profile = layout.removeprefix("all-")
    if profile.endswith(".me"):
        return {profile: 1}
    size, starts = STARTS[slices][spelled[profile]]
    return {profile: _most(size, starts, 0)}


def _most(size: int, starts: tuple[int, ...], taken: int) -> int:
    """The most instances of one size that fit, by trying all ways."""
    best = 0
    for place, start in enumerate(starts):
        bits = ((1 << size) - 1) << start
        if not taken & bits:
            best = max(best, 1 + _most(size, starts[place + 1 :], taken | bits))
    return best

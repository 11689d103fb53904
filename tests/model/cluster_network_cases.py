"""Networks of pods and services: the change, its place, a word of the sentence."""

from collections.abc import Callable

from tests.model.changes import LAB, PROD, Said, both, put

AT, LOC = "openshift/networks", "openshift.networks"

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (LAB, put(AT, {"cluster": "10.128.0.0/21"}), f"{LOC}.cluster", "has 4 subnets of /23, one for each node, and 9"),
    (LAB, put(AT, {"cluster": "10.128.0.0/24"}), f"{LOC}.cluster", "has 0 subnets of /23"),
    (PROD, put(AT, {"host_prefix": 16}), f"{LOC}.host_prefix", "has 4 subnets of /16"),
    (LAB, put(AT, {"max_nodes": 513}), f"{LOC}.max_nodes", "has 512 subnets of /23, one for each node, and 513"),
    (PROD, put(AT, {"cluster": "11.0.0.0/8", "host_prefix": 24}), f"{LOC}.host_prefix", "65536 subnets of /24, more"),
    (LAB, put(AT, {"host_prefix": 25}), f"{LOC}.host_prefix", "a /25 has addresses for 124 pods, and a node takes 250"),
    (LAB, put(AT, {"max_nodes": 4}), f"{LOC}.max_nodes", "the file has 9 servers"),
    (PROD, put(AT, {"max_nodes": 252}), f"{LOC}.max_nodes", "198.51.100.0/24 has addresses for 251 nodes"),
    (LAB, put(AT, {"service": "160.0.0.0/11"}), f"{LOC}.service", "wider than the API server takes"),
    (LAB, put(AT, {"service": "10.130.0.0/16"}), f"{LOC}.service", "overlaps OpenShift's pod network"),
    (LAB, put(AT, {"cluster": "192.0.0.0/16"}), f"{LOC}.cluster", "overlaps openshift.machine_network"),
    (PROD, put(AT, {"cluster": "10.20.0.0/16"}), f"{LOC}.cluster", "overlaps fabric.frontend.vlans.storage.subnet"),
    (LAB, put(AT, {"cluster": "100.64.0.0/14"}), f"{LOC}.cluster", "overlaps OVN-Kubernetes' join subnet"),
    (LAB, put(AT, {"service": "100.88.0.0/16"}), f"{LOC}.service", "overlaps OVN-Kubernetes' transit subnet"),
    (
        PROD,
        both(put(f"{AT}/cluster", "10.64.0.0/14"), put(f"{AT}/service", "10.65.0.0/16")),
        f"{LOC}.service",
        "overlaps openshift.networks.cluster",
    ),
    (
        PROD,
        put("fabric/frontend/vlans/storage/subnet", "169.254.20.0/24"),
        "fabric.frontend.vlans.storage.subnet",
        "overlaps OVN-Kubernetes' masquerade subnet",
    ),
]

"""What vendors publish for OpenShift, in a folder that VENDOR names, rendered for a rack of the lab.

Nothing of it is in this repository: SHA256SUMS lists the files and their sums.
"""

import hashlib
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from podwright.toolchain import gosdk
from tests.lab.openshift.rack import RAILS, Rack

HERE = Path(__file__).parent
SUMS = {
    name: digest
    for digest, name in (line.split() for line in (HERE / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
}
PROFILE = "profiles/sriov-ethernet-rdma-ocp/profile.yaml"
ABSENT = frozenset({"30-nicinterfacenametemplate.yaml", "60-example-daemonset.yaml"})
"""Templates of the profile that are left out: names of interfaces that nothing here selects by, and sleeping pods."""
NAMESPACE, NETWORK, RESOURCE, POOL = "rdma", "rdma-net", "rdma_nic", "nv-ipam-pool"
IDENTIFIER = "gpu"
DRIVER = [{"Name": "UNLOAD_STORAGE_MODULES", "Value": "true", "Custom": False}]
"""The driver container's environment, of which the kit writes more by its own defaults."""
Manifest = dict[str, Any]


def folder() -> Path | None:
    """The folder, None where nobody named one."""
    named = os.environ.get("VENDOR")
    return Path(named) if named else None


def differing(where: Path) -> list[str]:
    """Files that are not there or not the listed ones."""
    return [
        name
        for name, digest in SUMS.items()
        if not (where / name).is_file() or hashlib.sha256((where / name).read_bytes()).hexdigest() != digest
    ]


def subnet(rail: int) -> str:
    """Addresses of one rail's pods."""
    return f"198.51.100.{64 * rail}/26"


def inventory(rack: Rack) -> Manifest:
    """What the kit's `discover` would find in the rack, and what its guide lets a site choose."""
    names = [name for name, server in rack.world.servers.items() if server.gpus and server.gpus.count]
    nics = {nic.name: nic for nic in rack.world.servers[names[0]].nics.values()}
    rails = [nics[f"rail{rail}"] for rail in range(RAILS)]
    return {
        "Flavor": "ocp",
        "Profile": {"Multirail": True, "Fabric": "ethernet", "Deployment": "sriov"},
        "NetworkOperator": {
            "ImagePullSecrets": [], "Repository": "nvcr.io/nvidia/mellanox", "Namespace": "nvidia-network-operator",
            "ComponentVersion": "network-operator-v26.4.1", "SelectedRelease": "26.4",
        },
        # Without UpdateFW this version of the cluster policy leaves out the operator that reads the template.
        "NicConfigurationOperator": {
            "DeployNicInterfaceNameTemplate": False, "DeployNicConfigurationTemplate": True, "UpdateFW": True,
        },
        "DOCADriver": {"Enable": True, "Version": "doca3.4.1-26.04-1.1.0.0-1", "Env": DRIVER},
        "Maintenance": {
            "MaxParallelUpgrades": 1, "MaxParallelOperations": {"String": "1"}, "MaxUnavailable": {"String": "1"},
            "MaxNodeMaintenanceTimeSeconds": 1600, "OperatorNamespace": "nvidia-maintenance-operator",
        },
        "NFD": {"ConfigurationName": "nfd-instance", "OperatorNamespace": "openshift-nfd"},
        "Sriov": {
            "OperatorNamespace": "openshift-sriov-network-operator", "EthernetMtu": 9000, "NumVfs": 1, "Priority": 99,
            "ResourceName": RESOURCE, "NetworkName": NETWORK,
        },
        "NvIpam": {
            "PoolName": POOL, "PerNodeBlockSize": 8,
            "Subnets": [
                {"Subnet": subnet(rail), "Gateway": f"198.51.100.{64 * rail + 1}", "Exclusions": []}
                for rail in range(RAILS)
            ],
        },
        "NetworkNamespaces": [NAMESPACE], "CurrentNetworkNamespace": NAMESPACE,
        "ClusterConfig": {
            "Identifier": IDENTIFIER, "NodeSelector": {"node-role.kubernetes.io/worker": ""}, "RailPciAddresses": None,
            "WorkerNodes": [f"{name}.lab.example.com" for name in names],
            "PFs": [
                {"Rail": rail, "Traffic": "east-west", "PciAddress": nic.pci, "DeviceID": nic.device}
                for rail, nic in enumerate(rails)
            ],
        },
    }  # fmt: skip


def network(where: Path, given: Mapping[str, Any], work: Path) -> Iterator[tuple[str, list[Manifest]]]:
    """The profile's objects by the template they come from, in the profile's order of numbers."""
    listed = yaml.safe_load((where / PROFILE).read_text(encoding="utf-8"))["templates"]
    paths = {Path(name).name: ((where / PROFILE).parent / name).resolve() for name in listed}
    texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items() if name not in ABSENT}
    go = gosdk.on_path(os.environ, work)
    if go is None:
        raise RuntimeError("the templates are rendered by Go: put one of at least the toolchain's minimum on PATH")
    done = subprocess.run(
        [go.path, "run", "."], cwd=HERE / "render", input=json.dumps({"data": given, "files": texts}), text=True,
        capture_output=True, check=False, env={**go.env, "GOCACHE": str(work / "go"), "GOFLAGS": "-mod=mod"},
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"the templates cannot be rendered:\n{done.stderr}")
    made = json.loads(done.stdout)
    for name in sorted(made):
        yield name, [each for each in yaml.safe_load_all(made[name]) if each]


def cluster_policy(where: Path) -> Manifest:
    """The ClusterPolicy of the bundle's examples, as the guide for OpenShift takes it from the installed version."""
    text = (where / "gpu-operator/gpu-operator-certified.clusterserviceversion.yaml").read_text(encoding="utf-8")
    examples = json.loads(yaml.safe_load(text)["metadata"]["annotations"]["alm-examples"])
    return dict(next(each for each in examples if each["kind"] == "ClusterPolicy"))

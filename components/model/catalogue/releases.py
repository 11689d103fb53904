"""Release sets: operator versions that were tested together, as data, with the OpenShift releases that each declares.

Sources: NVIDIA/gpu-operator v26.7.0 bundle (own-namespace only) and `deployments/gpu-operator/values.yaml` (images
that OLM's bundle does not name), NVIDIA Network Operator v26.4.1 documentation (NicClusterPolicy example: the DOCA
driver's version), bundle and `hack/release.yaml` (images that belong to it), bundle of NVIDIA's Maintenance Operator
(https://github.com/Mellanox/maintenance-operator: channels stable and v0.2, own namespace or all), Red Hat's operator
catalogue for channels. Builds of Red Hat's operators carry a date in their CSV name: a site writes its catalogue's own
under `operators.pins`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from podwright.components.model.catalogue.packages import (
    AUTOSCALER,
    BUNDLES,
    CERT_MANAGER,
    DATA_SCIENCE,
    GPU,
    JOB_SET,
    KEYS,
    KUEUE,
    MAINTENANCE,
    MESH,
    NETWORK,
    Package,
    nfd,
    nmstate,
    node_health_check,
    self_node_remediation,
    sriov,
)


@dataclass(frozen=True)
class Waiver:
    """Why a set has a member whose bundle does not declare the set's OpenShift release."""

    package: str
    reason: str
    source: str
    """Public page that supports the reason."""
    date: str
    """Day on which the source was as the reason describes it: 2026-07-23."""


@dataclass(frozen=True)
class ReleaseSet:
    """One tested combination."""

    openshift: str
    """Minor release the set is for."""
    nfd: Package
    sriov: Package
    maintenance: Package
    network: Package
    gpu: Package
    nmstate: Package
    """Where `openshift.host_network` is managed."""
    kueue: Package
    """Where `openshift.queues` is set."""
    cert_manager: Package
    """Beside Kueue and JobSet, which take their certificates from it."""
    job_set: Package
    """Where some training job is of kind jobset."""
    data_science: Package
    """Where `openshift.data_science` is set: Red Hat OpenShift AI."""
    autoscaler: Package
    """Where some service has `scale`: KEDA."""
    keys: Package
    """Where `openshift.inference_gateway.keys` is set: Red Hat Connectivity Link."""
    mesh: Package
    """Where `openshift.service_mesh` is set: Red Hat OpenShift Service Mesh."""
    self_node_remediation: Package
    """Where `openshift.lost_nodes` is set: what resets a node that fell silent, and takes it out of service."""
    node_health_check: Package
    """Beside it: what decides that a node is lost."""
    doca_driver: str
    """Version of the DOCA-OFED driver image that belongs to the network operator."""
    nic_configuration: str
    """Version of the images of the NIC Configuration Operator that belong to it."""
    nv_ipam: str
    """Version of the image of NVIDIA's IPAM plugin that belongs to it."""
    gpu_driver: str = "595.91.07"
    """Driver that the GPU operator was built with; an NVIDIADriver must name one."""
    gdrcopy: str = "v2.6"
    """Version of the image of GDRCopy's module that belongs to the GPU operator."""
    nvidia_fs: str = "2.29.4"
    """Version of the image of GPUDirect Storage's module that belongs to the GPU operator."""
    driver_by_pool: bool = False
    """The NICs' driver is a NicNodePolicy of each pool instead of a section of the one NicClusterPolicy. The network
    operator takes it from one of both kinds only, so a set keeps the one that it began with."""
    waivers: tuple[Waiver, ...] = ()
    """One for each member whose bundle does not declare `openshift`; without it the set is refused."""

    @property
    def packages(self) -> tuple[Package, ...]:
        """Every operator of the set."""
        values = (getattr(self, field.name) for field in fields(self))
        return tuple(value for value in values if isinstance(value, Package))

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """Names that `operators.pins` may use."""
        return tuple(each.package for each in self.packages)

    @property
    def undeclared(self) -> tuple[Package, ...]:
        """Members whose bundle does not declare the set's OpenShift release, waived or not."""
        return tuple(each for each in self.packages if not each.declares(self.openshift))

    @property
    def refused(self) -> tuple[Package, ...]:
        """Undeclared members without a waiver: a stack file cannot take a set that has one."""
        waived = {each.package for each in self.waivers}
        return tuple(each for each in self.undeclared if each.package not in waived)


RELEASE_SETS: Mapping[str, ReleaseSet] = {
    "2026.11": ReleaseSet(
        openshift="4.20",
        nfd=nfd("4.20"),
        sriov=sriov("4.20"),
        maintenance=MAINTENANCE,
        network=NETWORK,
        gpu=GPU,
        nmstate=nmstate("4.20"),
        kueue=KUEUE,
        cert_manager=CERT_MANAGER,
        job_set=JOB_SET,
        data_science=DATA_SCIENCE,
        autoscaler=AUTOSCALER,
        keys=KEYS,
        mesh=MESH,
        self_node_remediation=self_node_remediation("0.12.1"),
        node_health_check=node_health_check("0.11.0"),
        doca_driver="doca3.4.1-26.04-1.1.0.0-1",
        nic_configuration="network-operator-v26.4.1",
        nv_ipam="network-operator-v26.4.1",
        driver_by_pool=True,
    ),
    "2026.10": ReleaseSet(
        openshift="4.22",
        nfd=nfd("4.22"),
        sriov=sriov("4.22"),
        maintenance=MAINTENANCE,
        network=NETWORK,
        gpu=GPU,
        nmstate=nmstate("4.22"),
        kueue=KUEUE,
        cert_manager=CERT_MANAGER,
        job_set=JOB_SET,
        data_science=DATA_SCIENCE,
        autoscaler=AUTOSCALER,
        keys=KEYS,
        mesh=MESH,
        self_node_remediation=self_node_remediation("0.13.1"),
        node_health_check=node_health_check("0.12.1"),
        doca_driver="doca3.4.1-26.04-1.1.0.0-1",
        nic_configuration="network-operator-v26.4.1",
        nv_ipam="network-operator-v26.4.1",
        waivers=(
            Waiver(
                "nvidia-network-operator",
                "NVIDIA lists v26.4.1, and nothing else, in the certified catalogue of 4.22",
                f"{BUNDLES}/nvidia-network-operator/catalog-templates/v4.22.yaml",
                "2026-07-23",
            ),
        ),
    ),
}
"""Release sets by name. The newest is what a new project begins with, and every member of it declares its release."""

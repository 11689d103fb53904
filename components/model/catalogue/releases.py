"""Release sets: operator versions that were tested together, as data, with the OpenShift releases that each declares.

Sources: NVIDIA/gpu-operator v26.7.0 bundle (own-namespace only) and `deployments/gpu-operator/values.yaml` (images
that OLM's bundle does not name), NVIDIA Network Operator v26.4.1 documentation (NicClusterPolicy example: the DOCA
driver's version), bundle and `hack/release.yaml` (images that belong to it), bundle of NVIDIA's Maintenance Operator
(https://github.com/Mellanox/maintenance-operator: channels stable and v0.2, own namespace or all), Red Hat's operator
catalogue for channels. Builds of Red Hat's operators carry a date in their CSV name: a site writes its catalogue's own
under `operators.pins`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

DECLARATION = re.compile(r"(?P<exact>=)?v(?P<first>4\.\d+)(?:-v(?P<last>4\.\d+))?")
"""`com.redhat.openshift.versions` of a bundle: v4.14 is that release and later ones, =v4.20 that one alone, v4.17-v4.20
a range with both ends.

https://redhat-connect.gitbook.io/certified-operator-guide/ocp-deployment/operator-metadata/bundle-directory/managing-openshift-versions
"""


@dataclass(frozen=True)
class Package:
    """One operator of a set, as OLM names it."""

    package: str
    """Name of its subscription, which `operators.pins` takes."""
    source: str
    """Catalogue in openshift-marketplace."""
    channel: str
    csv: str
    namespace: str
    versions: str
    """OpenShift releases that the bundle declares: its `com.redhat.openshift.versions`."""
    versions_source: str
    """Where that is read."""
    everywhere: bool = False
    """Its bundle supports AllNamespaces and nothing else; without it, the operator watches its own namespace."""
    tolerates: bool = True
    """Its pods, and those that it makes in its namespace, may run on the control plane by themselves; others only where
    their namespace lets them."""

    def declares(self, openshift: str) -> bool:
        """Whether the bundle is for this minor release, for example 4.20. Raises ValueError for another syntax."""
        found = DECLARATION.fullmatch(self.versions)
        if found is None:
            raise ValueError(f"{self.csv}: {self.versions} is no com.redhat.openshift.versions")
        if found["exact"]:
            return openshift == found["first"]
        return _minor(openshift) in range(_minor(found["first"]), _minor(found["last"] or openshift) + 1)


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


def _minor(release: str) -> int:
    return int(release.partition(".")[2])


_RED_HAT, _CERTIFIED = "redhat-operators", "certified-operators"
_BUNDLES = "https://github.com/redhat-openshift-ecosystem/certified-operators/blob/main/operators"
_RED_HAT_BUILD = "https://github.com/openshift-eng/art-tools/blob/main/doozer/doozerlib/backend/konflux_olm_bundler.py"
"""Red Hat's build of operators that come with OpenShift: a bundle is labelled with the one release it is built of."""

_MAINTENANCE = Package(
    "nvidia-maintenance-operator",
    _CERTIFIED,
    "v0.2",
    "nvidia-maintenance-operator.v0.2.3",
    "nvidia-maintenance-operator",
    "v4.14",
    f"{_BUNDLES}/nvidia-maintenance-operator/0.2.3/metadata/annotations.yaml",
)
_NETWORK = Package(
    "nvidia-network-operator",
    _CERTIFIED,
    "v26.4",
    "nvidia-network-operator.v26.4.1",
    "nvidia-network-operator",
    "v4.17-v4.20",
    f"{_BUNDLES}/nvidia-network-operator/26.4.1/metadata/annotations.yaml",
)
_GPU = Package(
    "gpu-operator-certified",
    _CERTIFIED,
    "v26.7",
    "gpu-operator-certified.v26.7.0",
    "nvidia-gpu-operator",
    "v4.18-v4.22",
    f"{_BUNDLES}/gpu-operator-certified/26.7.0/metadata/annotations.yaml",
)


def _nfd(openshift: str) -> Package:
    home, versions = "openshift-nfd", f"=v{openshift}"
    return Package("nfd", _RED_HAT, "stable", f"nfd.{openshift}.0", home, versions, _RED_HAT_BUILD)


def _sriov(openshift: str) -> Package:
    name, home = "sriov-network-operator", "openshift-sriov-network-operator"
    return Package(name, _RED_HAT, "stable", f"{name}.v{openshift}.0", home, f"=v{openshift}", _RED_HAT_BUILD)


def _nmstate(openshift: str) -> Package:
    """Its bundle: https://github.com/openshift/kubernetes-nmstate/tree/main/manifests/stable; no v in its releases."""
    name, versions = "kubernetes-nmstate-operator", f"=v{openshift}"
    return Package(name, _RED_HAT, "stable", f"{name}.{openshift}.0", "openshift-nmstate", versions, _RED_HAT_BUILD)


_KUEUE = Package(
    "kueue-operator",
    _RED_HAT,
    "stable-v1.3",
    "kueue-operator.v1.3.1",
    "openshift-kueue-operator",
    "v4.18",
    "https://github.com/openshift/kueue-fbc, catalog/kueue-operator of v4.18 to v4.22: the channel, and this release "
    "in it; install modes in bundle/manifests of openshift/kueue-operator, release-1.3",
    everywhere=True,
    tolerates=False,
)
"""Its operand is Kueue 0.16 (openshift/kueue-operator, release-1.3, upstream/kueue/src), which serves v1beta2; pods
without tolerations: bindata/assets/kueue-operator/deployment.yaml, and the CSV's Deployment."""
_CERT_MANAGER = Package(
    "openshift-cert-manager-operator",
    _RED_HAT,
    "stable-v1.19",
    "cert-manager-operator.v1.19.0",
    "cert-manager-operator",
    "v4.18",
    "https://github.com/openshift/cert-manager-operator, cert-manager-1.19, bundle/manifests: minKubeVersion 1.31.0, "
    "which is OpenShift 4.18",
    tolerates=False,
)
"""Pods without tolerations: bundle/manifests, the CSV's Deployment."""

_JOB_SET = Package(
    "job-set",
    _RED_HAT,
    "stable-v1.0",
    "jobset-operator.v1.0.0",
    "openshift-jobset-operator",
    "v4.18",
    "https://github.com/openshift/jobset-operator, branch fbc, catalogues of v4.18 to v5.0: the channel, and this "
    "release in it; README of main: 4.18 to 5.0; install modes in manifests/",
    tolerates=False,
)
"""Its operand is JobSet 0.11 (README of openshift/jobset-operator); pods without tolerations: deploy/12_deployment.yaml
and bindata/assets/jobset-controller-generated."""


def _self_node_remediation(release: str) -> Package:
    return Package(
        "self-node-remediation",
        _RED_HAT,
        "stable",
        f"self-node-remediation.v{release}",
        "openshift-workload-availability",
        "v4.20",
        "https://github.com/medik8s/self-node-remediation, release-0.12 and release-0.13, Makefile: OCP_VERSION, which "
        "add_ocp_annotations puts into the bundle; install modes and suggested namespace in bundle/manifests",
        everywhere=True,
    )


def _node_health_check(release: str) -> Package:
    """Apart from the agents' operator: OLM puts all that a namespace's Subscriptions ask for into one plan."""
    return Package(
        "node-healthcheck-operator",
        _RED_HAT,
        "stable",
        f"node-healthcheck-operator.v{release}",
        "openshift-node-healthcheck",
        "v4.20",
        "https://github.com/medik8s/node-healthcheck-operator, release-0.11 and release-0.12, released with "
        "those of self-node-remediation; install modes in bundle/manifests",
        everywhere=True,
    )


RELEASE_SETS: Mapping[str, ReleaseSet] = {
    "2026.11": ReleaseSet(
        openshift="4.20",
        nfd=_nfd("4.20"),
        sriov=_sriov("4.20"),
        maintenance=_MAINTENANCE,
        network=_NETWORK,
        gpu=_GPU,
        nmstate=_nmstate("4.20"),
        kueue=_KUEUE,
        cert_manager=_CERT_MANAGER,
        job_set=_JOB_SET,
        self_node_remediation=_self_node_remediation("0.12.1"),
        node_health_check=_node_health_check("0.11.0"),
        doca_driver="doca3.4.1-26.04-1.1.0.0-1",
        nic_configuration="network-operator-v26.4.1",
        nv_ipam="network-operator-v26.4.1",
        driver_by_pool=True,
    ),
    "2026.10": ReleaseSet(
        openshift="4.22",
        nfd=_nfd("4.22"),
        sriov=_sriov("4.22"),
        maintenance=_MAINTENANCE,
        network=_NETWORK,
        gpu=_GPU,
        nmstate=_nmstate("4.22"),
        kueue=_KUEUE,
        cert_manager=_CERT_MANAGER,
        job_set=_JOB_SET,
        self_node_remediation=_self_node_remediation("0.13.1"),
        node_health_check=_node_health_check("0.12.1"),
        doca_driver="doca3.4.1-26.04-1.1.0.0-1",
        nic_configuration="network-operator-v26.4.1",
        nv_ipam="network-operator-v26.4.1",
        waivers=(
            Waiver(
                "nvidia-network-operator",
                "NVIDIA lists v26.4.1, and nothing else, in the certified catalogue of 4.22",
                f"{_BUNDLES}/nvidia-network-operator/catalog-templates/v4.22.yaml",
                "2026-07-23",
            ),
        ),
    ),
}
"""Release sets by name. The newest is what a new project begins with, and every member of it declares its release."""

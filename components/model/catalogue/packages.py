"""Operators as their catalogues offer them: name, channel, release, and the OpenShift releases that each declares.

Sources: NVIDIA's bundles in the certified catalogue, Red Hat's operator catalogue and the repositories that its
operators are built from, each beside its package.
"""

import re
from dataclasses import dataclass

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
    brings: tuple[str, ...] = ()
    """Packages that its bundle depends on, which OLM installs along with it: releases of the same minor version."""

    def declares(self, openshift: str) -> bool:
        """Whether the bundle is for this minor release, for example 4.20. Raises ValueError for another syntax."""
        found = DECLARATION.fullmatch(self.versions)
        if found is None:
            raise ValueError(f"{self.csv}: {self.versions} is no com.redhat.openshift.versions")
        if found["exact"]:
            return openshift == found["first"]
        return _minor(openshift) in range(_minor(found["first"]), _minor(found["last"] or openshift) + 1)


def _minor(release: str) -> int:
    return int(release.partition(".")[2])


_RED_HAT, _CERTIFIED = "redhat-operators", "certified-operators"
BUNDLES = "https://github.com/redhat-openshift-ecosystem/certified-operators/blob/main/operators"
_RED_HAT_BUILD = "https://github.com/openshift-eng/art-tools/blob/main/doozer/doozerlib/backend/konflux_olm_bundler.py"
"""Red Hat's build of operators that come with OpenShift: a bundle is labelled with the one release it is built of."""

MAINTENANCE = Package(
    "nvidia-maintenance-operator",
    _CERTIFIED,
    "v0.2",
    "nvidia-maintenance-operator.v0.2.3",
    "nvidia-maintenance-operator",
    "v4.14",
    f"{BUNDLES}/nvidia-maintenance-operator/0.2.3/metadata/annotations.yaml",
)
NETWORK = Package(
    "nvidia-network-operator",
    _CERTIFIED,
    "v26.4",
    "nvidia-network-operator.v26.4.1",
    "nvidia-network-operator",
    "v4.17-v4.20",
    f"{BUNDLES}/nvidia-network-operator/26.4.1/metadata/annotations.yaml",
)
GPU = Package(
    "gpu-operator-certified",
    _CERTIFIED,
    "v26.7",
    "gpu-operator-certified.v26.7.0",
    "nvidia-gpu-operator",
    "v4.18-v4.22",
    f"{BUNDLES}/gpu-operator-certified/26.7.0/metadata/annotations.yaml",
)


def nfd(openshift: str) -> Package:
    """Node Feature Discovery of a minor release."""
    home, versions = "openshift-nfd", f"=v{openshift}"
    return Package("nfd", _RED_HAT, "stable", f"nfd.{openshift}.0", home, versions, _RED_HAT_BUILD)


def sriov(openshift: str) -> Package:
    """The SR-IOV operator of a minor release."""
    name, home = "sriov-network-operator", "openshift-sriov-network-operator"
    return Package(name, _RED_HAT, "stable", f"{name}.v{openshift}.0", home, f"=v{openshift}", _RED_HAT_BUILD)


def nmstate(openshift: str) -> Package:
    """Its bundle: https://github.com/openshift/kubernetes-nmstate/tree/main/manifests/stable; no v in its releases."""
    name, versions = "kubernetes-nmstate-operator", f"=v{openshift}"
    return Package(name, _RED_HAT, "stable", f"{name}.{openshift}.0", "openshift-nmstate", versions, _RED_HAT_BUILD)


KUEUE = Package(
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
CERT_MANAGER = Package(
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


JOB_SET = Package(
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
AUTOSCALER = Package(
    "openshift-custom-metrics-autoscaler-operator",
    _RED_HAT,
    "stable",
    "custom-metrics-autoscaler.v2.19.0",
    "openshift-keda",
    "v4.12",
    "https://github.com/openshift/custom-metrics-autoscaler-operator, keda/2.19.0/manifests: release, install modes, "
    "suggested namespace; the releases of OpenShift that its guide lists for 2.18, whose minKubeVersion it has too",
    tolerates=False,
)
"""Its operand is KEDA 2.19.0; nothing says that pods of either tolerate the control plane by themselves."""


def self_node_remediation(release: str) -> Package:
    """The agents' operator."""
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


def node_health_check(release: str) -> Package:
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


KEYS = Package(
    "rhcl-operator",
    _RED_HAT,
    "stable",
    "rhcl-operator.v1.4.3",
    "kuadrant-system",
    "v4.19",
    "https://github.com/opendatahub-io/models-as-a-service, pages of installation: OpenShift 4.19.9 and later, "
    "channel, namespace; catalogue of 4.22.14 as it was on 2026-09-23: this release with authorino-operator.v1.4.3, "
    "limitador-operator.v1.4.2, dns-operator.v1.4.2; install modes in bundle/manifests of Kuadrant/kuadrant-operator",
    everywhere=True,
    tolerates=False,
    brings=("authorino-operator", "limitador-operator", "dns-operator"),
)
"""Red Hat Connectivity Link, which is Kuadrant 1.5; what it brings: bundle/metadata/dependencies.yaml upstream."""
MESH = Package(
    "servicemeshoperator3",
    _RED_HAT,
    "stable-3.3",
    "servicemeshoperator3.v3.3.5",
    "openshift-service-mesh-operator",
    "v4.19",
    "https://github.com/openshift-service-mesh/sail-operator, release-3.3.5, bundle/: channels, this release, install "
    "modes; Red Hat's guide of its ambient mode: OpenShift 4.19 and later; the catalogue of 4.19 in public listings "
    "has 3.3.4 at the head of this channel, and clusters of 4.21.22 have run 3.3.5",
    everywhere=True,
    tolerates=False,
)
"""Red Hat OpenShift Service Mesh 3.3, whose Istio is 1.28; pods without tolerations: bundle/manifests, the CSV."""
DATA_SCIENCE = Package(
    "rhods-operator",
    _RED_HAT,
    "stable-3.4",
    "rhods-operator.3.4.3",
    "redhat-ods-operator",
    "v4.19-v4.22",
    "https://github.com/red-hat-data-services/RHOAI-Build-Config, rhoai-3.4, catalog/ of v4.19 to v4.22, each with the "
    "channel and this release in it; install modes and suggested namespace in bundle/manifests",
    everywhere=True,
    tolerates=False,
)
"""Red Hat OpenShift AI Self-Managed; pods without tolerations: bundle/manifests, the CSV's Deployment."""

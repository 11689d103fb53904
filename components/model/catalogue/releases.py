"""Release sets: operator versions that were tested together, as data.

Sources: NVIDIA/gpu-operator v26.7.0 bundle (OpenShift 4.18 to 4.22, own-namespace only), NVIDIA Network Operator
v26.4.1 documentation (NicClusterPolicy example: the DOCA driver's version), bundle and `hack/release.yaml` (images
that belong to it), bundle of NVIDIA's Maintenance Operator (https://github.com/Mellanox/maintenance-operator: channels
stable and v0.2, own namespace or all), Red Hat's operator catalogue for channels. The network operator's bundle names
OpenShift 4.17 to 4.20; later ones are not declared. Builds of Red Hat's operators carry a date in their CSV name: a
site writes its catalogue's own under `operators.pins`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields


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
    doca_driver: str
    """Version of the DOCA-OFED driver image that belongs to the network operator."""
    nic_configuration: str
    """Version of the images of the NIC Configuration Operator that belong to it."""

    @property
    def packages(self) -> tuple[Package, ...]:
        """Every operator of the set."""
        values = (getattr(self, field.name) for field in fields(self))
        return tuple(value for value in values if isinstance(value, Package))

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """Names that `operators.pins` may use."""
        return tuple(each.package for each in self.packages)


_RED_HAT, _CERTIFIED = "redhat-operators", "certified-operators"

RELEASE_SETS: Mapping[str, ReleaseSet] = {
    "2026.10": ReleaseSet(
        openshift="4.22",
        nfd=Package("nfd", _RED_HAT, "stable", "nfd.4.22.0", "openshift-nfd"),
        sriov=Package(
            "sriov-network-operator",
            _RED_HAT,
            "stable",
            "sriov-network-operator.v4.22.0",
            "openshift-sriov-network-operator",
        ),
        maintenance=Package(
            "nvidia-maintenance-operator",
            _CERTIFIED,
            "v0.2",
            "nvidia-maintenance-operator.v0.2.3",
            "nvidia-maintenance-operator",
        ),
        network=Package(
            "nvidia-network-operator",
            _CERTIFIED,
            "v26.4",
            "nvidia-network-operator.v26.4.1",
            "nvidia-network-operator",
        ),
        gpu=Package(
            "gpu-operator-certified",
            _CERTIFIED,
            "v26.7",
            "gpu-operator-certified.v26.7.0",
            "nvidia-gpu-operator",
        ),
        doca_driver="doca3.4.1-26.04-1.1.0.0-1",
        nic_configuration="network-operator-v26.4.1",
    ),
}
"""Release sets by name."""

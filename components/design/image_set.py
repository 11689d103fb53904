"""What a site without a way out has to mirror for one stack: an ImageSetConfiguration of oc-mirror (v2alpha1).

Shape after https://github.com/openshift/oc-mirror/tree/main/internal/pkg/api/v2alpha1: of an operator the channel that
the stack subscribes to and the one release it approves. What a bundle runs comes along with it (`relatedImages`); what
the stack itself names by tag, or an operator makes up on a node, does not stand still or is not known here: `unpinned`
names it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podwright.components.design.mirror import CATALOGS
from podwright.components.design.operators import gpu_driver, nic_driver, nic_settings, node_addresses
from podwright.components.design.operators.subscribed import subscriptions
from podwright.components.design.operators.subscription import pinned
from podwright.components.design.platform import pools
from podwright.components.model import Cluster, Operators
from podwright.components.model.catalogue import RELEASE_SETS, Package, ReleaseSet

_DATED = "redhat-operators"
"""Builds of this catalogue carry a date in their version, which only the catalogue knows."""


@dataclass(frozen=True)
class ImageSet:
    """The document, and what of the stack it does not pin, each with what to do."""

    document: dict[str, Any]
    unpinned: tuple[str, ...]


def image_set(cluster: Cluster) -> ImageSet:
    """Release, operators and images of a stack. Raises ValueError where it installs no cluster."""
    shift = cluster.openshift
    if shift is None:
        raise ValueError(f"{cluster.name} has no openshift: it pulls no images")
    minor = shift.version.rpartition(".")[0]
    release = {"name": f"stable-{minor}", "minVersion": shift.version, "maxVersion": shift.version}
    mirror: dict[str, Any] = {"platform": {"channels": [release], "architectures": ["amd64"]}}
    found: list[str] = []
    own = dict.fromkeys(cluster.images)
    images = dict(own)
    if cluster.operators is not None:
        release_set = RELEASE_SETS[cluster.operators.release]
        packages = subscriptions(cluster)
        mirror["operators"] = [
            {"catalog": f"{image}:v{minor}", "packages": [_package(cluster.operators, each) for each in chosen]}
            for source, image in CATALOGS.items()
            if (chosen := [each for each in packages if each.source == source])
        ]
        found += [
            f"{each.package}: builds of {each.source} carry a date, so the channel's head is mirrored; "
            f"write the catalogue's own release under operators.pins.{each.package}"
            for each in packages
            if _dated(cluster.operators, each)
        ]
        if release_set.network in packages:
            images |= dict.fromkeys(_of_nics(release_set, routed=cluster.fabric.host_ports == "routed"))
        found += [
            f"{image}: the operator completes this tag with the system of a node; "
            "add the one of your nodes to additionalImages, by digest"
            for image in _of_a_node(cluster, cluster.operators, release_set, packages)
        ]
    mirror["additionalImages"] = [{"name": image} for image in images]
    found += [
        f"{image}: has no digest; " + ("write its name@sha256:…" if image in own else "its tag is the release set's")
        for image in images
        if "@sha256:" not in image
    ]
    document = {"apiVersion": "mirror.openshift.io/v2alpha1", "kind": "ImageSetConfiguration", "mirror": mirror}
    return ImageSet(document, tuple(found))


def _package(operators: Operators, package: Package) -> dict[str, Any]:
    """One channel, which is made the default: oc-mirror refuses a catalogue whose default channel is left out."""
    pin = pinned(operators, package)
    version = pin.csv.partition(".")[2].removeprefix("v")
    only = {} if _dated(operators, package) else {"minVersion": version, "maxVersion": version}
    return {
        "name": package.package,
        "defaultChannel": pin.channel,
        "channels": [{"name": pin.channel, **only}],
    }


def _dated(operators: Operators, package: Package) -> bool:
    return package.source == _DATED and package.package not in operators.pins


def _of_a_node(
    cluster: Cluster, operators: Operators, release: ReleaseSet, packages: Sequence[Package]
) -> Iterator[str]:
    """Images of kernel modules, which are built for one system."""
    if release.network in packages:
        yield f"{_tag(nic_driver.section(operators, release))}-<system>-amd64"
    if release.gpu in packages:
        own = gpu_driver.objects(operators, release, pools.offered(cluster.pools, cluster.servers), rdma=False)
        specs = [each["spec"] for each in own] or [gpu_driver.driver(operators, rdma=False)]
        parts = [*specs, *(spec[key] for spec in specs for key in ("gds", "gdrcopy") if key in spec)]
        parts += [] if own else gpu_driver.beside(operators, release).values()
        yield from dict.fromkeys(f"{_tag(part)}-<system>" for part in parts if "repository" in part)


def _tag(part: Mapping[str, Any]) -> str:
    return f"{part['repository']}/{part['image']}:{part['version']}"


def _of_nics(release: ReleaseSet, *, routed: bool) -> Iterator[str]:
    addresses = [node_addresses.section(release)] if routed else []
    for part in [*nic_settings.section(release).values(), *addresses]:
        yield _tag(part)

"""Rules about operators: what is installed is what was tested."""

import re
from collections.abc import Iterator

from .kubernetes import kind, of_kind
from .resource import Resource
from .rule import NotApplicable, Rule

_DIGEST = re.compile(r"@sha256:[0-9a-f]{64}$")


def _pinned(resource: Resource) -> Iterator[str]:
    if kind(resource) != "Subscription" or "operators.coreos.com" not in resource.type:
        raise NotApplicable("not an OLM subscription")
    spec = resource.props.get("spec") or {}
    name = spec.get("name") or resource.name
    if spec.get("installPlanApproval") != "Manual":
        yield f"subscription {name} is approved by {spec.get('installPlanApproval') or 'default (Automatic)'}"
    if not spec.get("startingCSV"):
        yield f"subscription {name} names no startingCSV"
    if not spec.get("channel"):
        yield f"subscription {name} names no channel: the catalogue's default is another one some day"


def _by_address(resource: Resource) -> Iterator[str]:
    if kind(resource) != "SriovNetworkNodePolicy":
        raise NotApplicable("no SR-IOV policy")
    selector = (resource.props.get("spec") or {}).get("nicSelector") or {}
    name = (resource.props.get("metadata") or {}).get("name") or resource.name
    if named := selector.get("pfNames"):
        yield f"SriovNetworkNodePolicy {name} selects NICs by name: {', '.join(map(str, named))}"
    if not selector.get("rootDevices"):
        yield f"SriovNetworkNodePolicy {name} names no PCI address"


def _index(resource: Resource) -> Iterator[str]:
    if kind(resource) != "CatalogSource" or "operators.coreos.com" not in resource.type:
        raise NotApplicable("no OLM catalogue")
    image = str((resource.props.get("spec") or {}).get("image") or "")
    if image and not _DIGEST.search(image):
        name = (resource.props.get("metadata") or {}).get("name") or resource.name
        yield f"CatalogSource {name} runs {image}"


OPERATORS: tuple[Rule, ...] = (
    Rule(
        id="operators-subscription-pinned",
        title="Subscriptions are pinned and approved by hand",
        why="An automatic upgrade drains GPU nodes when the catalogue changes, not when you planned it.",
        fix="Leave operators.pins.<name>.approval at Manual and name csv and channel.",
        reference="https://docs.openshift.com/container-platform/latest/operators/admin/olm-upgrading-operators.html",
        severity="high",
        types=of_kind("Subscription"),
        check=_pinned,
    ),
    Rule(
        id="operators-nics-by-address",
        title="SR-IOV policies select NICs by PCI address",
        why="An interface's name is its system's and changes with driver and release: a policy for another name makes "
        "no function and reports nothing. One without an address selects every NIC of a kind, whatever its leaf.",
        fix="Write nicSelector.rootDevices, as `oc get sriovnetworknodestates -o yaml` shows pciAddress; no pfNames.",
        reference="https://www.freedesktop.org/software/systemd/man/latest/systemd.net-naming-scheme.html",
        severity="medium",
        types=of_kind("SriovNetworkNodePolicy"),
        check=_by_address,
    ),
    Rule(
        id="operators-catalogue-by-digest",
        title="Catalogues are pinned by digest",
        why="Behind a tag the catalogue can be another one at its pod's next restart: what may be installed, and which "
        "images a bundle names, changes without a change of the plan; a disconnected site may not have mirrored them.",
        fix="Write the digest of the index under openshift.mirror.catalogs; `skopeo inspect` prints it.",
        reference="https://olm.operatorframework.io/docs/concepts/crds/catalogsource/",
        severity="medium",
        types=of_kind("CatalogSource"),
        check=_index,
    ),
)

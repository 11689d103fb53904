"""The reference of release sets: their operators, the OpenShift releases that each declares, and what is waived."""

from collections.abc import Iterator

from podwright.components.model.catalogue import RELEASE_SETS, ReleaseSet

_HEAD = """# Release sets

Made by `python -m tools.docs` from `components/model/catalogue/releases.py`; do not edit.

`operators.release` takes one of these: operators that belong together, for one minor release of OpenShift. Each one's
bundle [declares](https://redhat-connect.gitbook.io/certified-operator-guide/ocp-deployment/operator-metadata/bundle-directory/managing-openshift-versions)
the releases it is for: `v4.14` that one and later ones, `=v4.20` that one alone, `v4.17-v4.20` a range. A set with a
member that does not declare the set's release is refused, unless the set's data waives it with a reason, a source and
its date. What a set holds never changes; `operators.pins` replaces single members.
"""


def page() -> str:
    """The page."""
    return "\n".join([_HEAD, *(line for name in sorted(RELEASE_SETS, reverse=True) for line in _set(name)), ""])


def _set(name: str) -> Iterator[str]:
    taken = RELEASE_SETS[name]
    yield from (f"## {name}: OpenShift {taken.openshift}", "")
    yield from ("| operator | release | channel | catalogue | declares |", "|---|---|---|---|---|")
    for each in taken.packages:
        declares = f"[`{each.versions}`]({each.versions_source})"
        yield f"| {each.package} | `{each.csv}` | {each.channel} | {each.source} | {declares} |"
    kind = "a NicNodePolicy of each pool" if taken.driver_by_pool else "a section of NicClusterPolicy"
    versions = f"NIC driver `{taken.doca_driver}`, {kind}; NIC Configuration Operator `{taken.nic_configuration}`."
    yield from ("", versions, "")
    yield from _waivers(taken)


def _waivers(taken: ReleaseSet) -> Iterator[str]:
    for waiver in taken.waivers:
        yield f"Waived: `{waiver.package}`. {waiver.reason} ([{waiver.date}]({waiver.source}))."
    if taken.waivers:
        yield ""

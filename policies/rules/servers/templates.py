"""Profiles that are derived: a template has what its profiles list, and each template has a profile."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..resource import Resource
from ..rule import Finding, NotApplicable, StackRule, items
from .inventory import CHASSIS, DOMAIN, POLICY, PROFILE, Object, children, of, of_type, properties, spec, target

TEMPLATES_OF: Final = {
    PROFILE: "podwright:intersight:ServerProfileTemplate",
    DOMAIN: "podwright:intersight:DomainProfileTemplate",
    CHASSIS: "podwright:intersight:ChassisProfileTemplate",
}
"""Token of the templates, by that of the profiles that are derived from them."""
_TEMPLATES: Final = "https://docs.ansible.com/projects/ansible/latest/collections/cisco/intersight/intersight_server_profile_derive_module.html"


def _agree(resources: Sequence[Resource]) -> Iterator[Finding]:
    found = [each for each in resources if each.type in TEMPLATES_OF and spec(each).get("template")]
    if not found and not any(each.type in TEMPLATES_OF.values() for each in resources):
        raise NotApplicable("no template of profiles")
    for profiles, templates in TEMPLATES_OF.items():
        known = {_of(spec(each), "name"): each for each in resources if each.type == templates}
        yield from _alike([each for each in found if each.type == profiles], known)


def _alike(profiles: Sequence[Resource], known: Mapping[tuple[str, str], Resource]) -> Iterator[Finding]:
    for each in profiles:
        about = spec(each)
        template = known.get(_of(about, "template"))
        if template is None:
            yield Finding(f"{each.name} is derived from {about['template']}, which nobody defines", each.urn)
            continue
        held = spec(template)
        odd = sorted(" ".join(key) for key in _bucket(about) ^ _bucket(held))
        odd += [key for key, default in _ALIKE.items() if _said(about, key, default) != _said(held, key, default)]
        if odd:
            yield Finding(f"{each.name} and its template {about['template']} differ in {', '.join(odd)}", each.urn)
    used = {_of(spec(each), "template") for each in profiles}
    for key, each in known.items():
        if key not in used:
            yield Finding(f"{each.name} is a template that no profile is derived from", each.urn)


_ALIKE: Final = {"target_platform": "", "server_family": "Unspecified"}
"""What a profile must have as its template has it, and the value of one that leaves it out."""


def _said(about: Mapping[str, Any], key: str, default: str) -> str:
    return str(about.get(key) or default)


def _of(about: Mapping[str, Any], key: str) -> tuple[str, str]:
    return str(about.get("organization")), str(about.get(key))


def _bucket(about: Mapping[str, Any]) -> set[tuple[str, ...]]:
    """Policies by type and name; of a domain with the fabric before them."""
    policies = about.get("policies")
    if isinstance(policies, Mapping):
        return {(fabric, *key) for fabric, each in policies.items() for key in target(list(items(each)))}
    return set(target(list(items(policies))))


_VNICS: Final = (
    "https://docs.ansible.com/projects/ansible/latest/collections/cisco/intersight/intersight_vnic_template_module.html"
)
_OWN: Final = ("Order", "Placement", "MacAddressType", "StaticMacAddress", "SrcTemplate")
"""What a derived vNIC has that no template gives it."""


def _vnics(resources: Sequence[Resource]) -> Iterator[Finding]:
    known = {_of(spec(each), "name"): each for each in of_type(resources, "vnic.VnicTemplate")}
    lans = list(of_type(resources, "vnic.LanConnectivityPolicy"))
    derived = [(lan, vnic) for lan in lans for vnic in children(lan, "vnic.EthIf") if _source(vnic)]
    if not known and not derived:
        raise NotApplicable("no vNIC template")
    used = set()
    for lan, vnic in derived:
        key = str(spec(lan).get("organization")), _source(vnic)
        used.add(key)
        name = f"{lan.name} {vnic.get('name')}"
        if key not in known:
            yield Finding(f"{name} is derived from {key[1]}, which nobody defines", lan.urn)
        elif odd := sorted(_odd(vnic, spec(known[key]))):
            yield Finding(f"{name} and its template {key[1]} differ in {', '.join(odd)}", lan.urn)
    for key, each in known.items():
        if key not in used:
            yield Finding(f"{each.name} is a template that no vNIC is derived from", each.urn)
        if properties(each).get("EnableOverride"):
            yield Finding(f"{each.name} lets its vNICs have other values than it has", each.urn)


def _source(vnic: Object) -> str:
    return str(((vnic.get("references") or {}).get("SrcTemplate") or {}).get("name") or "")


def _odd(vnic: Object, template: Object) -> Iterator[str]:
    """Names of what a vNIC lists otherwise than its template has it."""
    for part in ("properties", "references"):
        listed, held = (each.get(part) or {} for each in (vnic, template))
        yield from (name for name, value in listed.items() if name not in _OWN and held.get(name) != value)
    fabric = ((vnic.get("properties") or {}).get("Placement") or {}).get("SwitchId")
    if fabric != (template.get("properties") or {}).get("SwitchId"):
        yield "SwitchId"


TEMPLATES: tuple[StackRule, ...] = (
    StackRule(
        id="compute-templates-hold",
        title="A derived profile has the policies, platform and family of its template",
        why="Intersight takes no policy of a derived profile but from its template: what the profile lists otherwise "
        "never reaches its machine, and what a preview says about restarts is about something else.",
        fix="List the template's policies in the profile, as the components do; define the template beside it.",
        reference=_TEMPLATES,
        severity="high",
        types=of(*TEMPLATES_OF, *TEMPLATES_OF.values()),
        compare=_agree,
    ),
    StackRule(
        id="compute-vnic-templates-hold",
        title="A derived vNIC lists what its template has, and overrides none of it",
        why="Intersight brings every vNIC in step with its template by itself: what a vNIC lists otherwise is undone. "
        "Where overrides are allowed, people may give it a value that no other server has.",
        fix="List the template's fabric, policies and pool in the vNIC, as components do; set EnableOverride to false.",
        reference=_VNICS,
        severity="high",
        types=of(POLICY),
        compare=_vnics,
    ),
)

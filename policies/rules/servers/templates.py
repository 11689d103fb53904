"""Profiles that are derived: a template has what its profiles list, and each template has a profile."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from ..resource import Resource, UnknownValueError
from ..rule import Finding, NotApplicable, StackRule, apart, known
from .asked import Some, all_of, asked, differ, each_of, indexed, joined, sifted, some
from .inventory import (
    CHASSIS,
    DOMAIN,
    POLICY,
    PROFILE,
    Object,
    called,
    children,
    of,
    of_type,
    part,
    properties,
    spec,
    target,
)

TEMPLATES_OF: Final = {
    PROFILE: "podwright:intersight:ServerProfileTemplate",
    DOMAIN: "podwright:intersight:DomainProfileTemplate",
    CHASSIS: "podwright:intersight:ChassisProfileTemplate",
}
"""Token of the templates, by that of the profiles that are derived from them."""
_TEMPLATES: Final = "https://docs.ansible.com/projects/ansible/latest/collections/cisco/intersight/intersight_server_profile_derive_module.html"


def _agree(resources: Sequence[Resource]) -> Iterator[Finding]:
    derived = sifted(lambda each: spec(each).get("template"), (each for each in resources if each.type in TEMPLATES_OF))
    found, unknown = known(derived)
    if not found and unknown is None and not any(each.type in TEMPLATES_OF.values() for each in resources):
        raise NotApplicable("no template of profiles")
    for profiles, templates in TEMPLATES_OF.items():
        there = [each for each in resources if each.type == templates]
        of_these = [each for each in found if each.type == profiles]
        used = some(apart((each_of(lambda each: _of(spec(each), "template"), of_these), _raised(unknown))))
        by_name = indexed(there, lambda each: _organization(spec(each)), lambda each: str(spec(each).get("name")))
        parts = (
            *(partial(_alike, each, by_name) for each in of_these),
            *(partial(_used, each, used) for each in there),
        )
        yield from all_of(parts)
    if unknown is not None:
        raise unknown


def _alike(profile: Resource, known: Mapping[tuple[str, str], Resource]) -> Iterator[Finding]:
    about = spec(profile)
    template = known.get(_of(about, "template"))
    if template is None:
        yield Finding(f"{profile.name} is derived from {about['template']}, which nobody defines", profile.urn)
        return
    base = spec(template)
    others = sifted(lambda key: _written(about, key) != _written(base, key), _ALIKE)
    odd = apart((_other_policies(about, base), others))
    text = f"{profile.name} and its template {about['template']} differ in"
    yield from joined(odd, lambda those: Finding(f"{text} {', '.join(those)}", profile.urn))


def _other_policies(about: Object, base: Object) -> Iterator[str]:
    one, two = some(_bucket(about)), some(_bucket(base))
    odd, unknown = known(apart((one.without(two), two.without(one))))
    yield from (" ".join(key) for key in sorted(odd))
    if unknown is not None:
        raise unknown


def _used(template: Resource, used: Some[tuple[str, str]]) -> Iterator[Finding]:
    if not used.has(_of(spec(template), "name")):
        yield Finding(f"{template.name} is a template that no profile is derived from", template.urn)


_ALIKE: Final = {"target_platform": "", "server_family": "Unspecified"}
"""What a profile must have as its template has it, and the value of one that leaves it out."""


def _written(about: Mapping[str, Any], key: str) -> str:
    return str(about.get(key) or _ALIKE[key])


def _of(about: Mapping[str, Any], key: str) -> tuple[str, str]:
    return _organization(about), str(about.get(key))


def _organization(about: Mapping[str, Any]) -> str:
    return str(about.get("organization"))


def _bucket(about: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Policies by type and name; of a domain with the fabric before them."""
    policies = about.get("policies")
    if isinstance(policies, Mapping):
        return asked(lambda fabric: each_of(lambda key: (fabric, *key), target(policies[fabric])), policies)
    return target(policies)


_VNICS: Final = (
    "https://docs.ansible.com/projects/ansible/latest/collections/cisco/intersight/intersight_vnic_template_module.html"
)
_OWN: Final = ("Order", "Placement", "MacAddressType", "StaticMacAddress", "SrcTemplate")
"""What a derived vNIC has that no template gives it."""


def _vnics(resources: Sequence[Resource]) -> Iterator[Finding]:
    there, unsure = known(of_type(resources, "vnic.VnicTemplate"))
    lans = of_type(resources, "vnic.LanConnectivityPolicy")
    vnics = asked(lambda lan: each_of(lambda vnic: (lan, vnic), children(lan, "vnic.EthIf")), lans)
    derived, unread = known(sifted(lambda each: _source(each[1]), vnics))
    unknown = unsure or unread
    if not there and not derived and unknown is None:
        raise NotApplicable("no vNIC template")
    named = apart((there, _raised(unsure)))
    by_name = indexed(named, lambda each: _organization(spec(each)), lambda each: str(spec(each).get("name")))
    used = some(apart((each_of(_template_of, derived), _raised(unread))))
    parts: Sequence[Callable[[], Iterator[Finding]]] = (*(partial(_as_template, *each, by_name) for each in derived),
             *(partial(ask, each) for each in there for ask in (partial(_named, used), _overrides)))  # fmt: skip
    yield from all_of(parts)
    if unknown is not None:
        raise unknown


def _raised(unknown: UnknownValueError | None) -> Iterator[Any]:
    """Nothing, and that there may be more."""
    if unknown is not None:
        raise unknown.with_traceback(None)
    yield from ()


def _template_of(derived: tuple[Resource, Object]) -> tuple[str, str]:
    lan, vnic = derived
    return _organization(spec(lan)), _source(vnic)


def _as_template(lan: Resource, vnic: Object, known: Mapping[tuple[str, str], Resource]) -> Iterator[Finding]:
    key = _template_of((lan, vnic))
    name = f"{lan.name} {called(vnic)}"
    if key not in known:
        yield Finding(f"{name} is derived from {key[1]}, which nobody defines", lan.urn)
        return
    text = f"{name} and its template {key[1]} differ in"
    yield from joined(
        _odd(vnic, spec(known[key])), lambda those: Finding(f"{text} {', '.join(sorted(those))}", lan.urn)
    )


def _named(used: Some[tuple[str, str]], template: Resource) -> Iterator[Finding]:
    if not used.has(_of(spec(template), "name")):
        yield Finding(f"{template.name} is a template that no vNIC is derived from", template.urn)


def _overrides(template: Resource) -> Iterator[Finding]:
    if properties(template).get("EnableOverride"):
        yield Finding(f"{template.name} lets its vNICs have other values than it has", template.urn)


def _source(vnic: Object) -> str:
    return str(part(vnic, "references", "SrcTemplate").get("name") or "")


def _odd(vnic: Object, template: Object) -> Iterator[str]:
    """Names of what a vNIC lists otherwise than its template has it."""
    lists = (partial(_in, each, vnic, template) for each in ("properties", "references"))
    return all_of((*lists, partial(_placed, vnic, template)))


def _in(place: str, vnic: Object, template: Object) -> Iterator[str]:
    listed, base = part(vnic, place), part(template, place)
    return sifted(lambda name: name not in _OWN and differ(base.get(name), listed[name]), listed)


def _placed(vnic: Object, template: Object) -> Iterator[str]:
    if part(vnic, "properties", "Placement").get("SwitchId") != part(template, "properties").get("SwitchId"):
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

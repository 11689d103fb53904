"""`podwright audit STACK`: every object on the cluster by the rules of the policy pack, whoever made it.

A preview checks what the stack file leads to; what a person applied by hand, a chart brought or an operator was given
is on the cluster alone.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import groupby
from typing import Final

from podwright.cli import stack
from podwright.cli.makers import Makers
from podwright.components import model
from podwright.components.providers.status import everything
from podwright.components.providers.status.everything import Everything
from podwright.components.providers.status.snapshot import Object
from podwright.policies.rules import RULES
from podwright.policies.rules.kubernetes import runs_pods
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import NotApplicable, Rule, StackRule
from podwright.policies.rules.waivers import Waiver, choose, verdict

PATIENCE: Final = 20.0
"""Seconds for each request."""
BY_WRITER: Final = ("platform-no-hand-set-gpu-labels",)
"""Rules about who writes a value: on a cluster an operator has written the same one."""
OPENSHIFTS: Final = frozenset((
    *(
        f"CatalogSource/openshift-marketplace/{name}"
        for name in ("certified-operators", "community-operators", "redhat-marketplace", "redhat-operators")
    ),
    *(f"MachineConfig/50-{role}s-chrony-configuration" for role in ("master", "worker")),
))  # fmt: skip
"""What OpenShift makes: catalogues, and makes them again (operator-framework/operator-marketplace, defaults); time
servers of the installer, before ours on purpose (openshift/assisted-service, internal/network/manifests_generator.go).
"""
_CHECKED: Final = tuple(rule for rule in RULES if rule.id not in BY_WRITER)
_SEVERITIES: Final = ("critical", "high", "medium", "low")


@dataclass(frozen=True)
class Found:
    """One finding about an object."""

    rule: Rule | StackRule
    place: str
    """Kind, namespace and name of the object."""
    message: str
    waiver: str = ""
    """What a waiver says of it; empty where it has none."""
    waived: bool = False

    @property
    def stops(self) -> bool:
        """Whether a preview with this object in it would stop."""
        return self.rule.mandatory and not self.waived


@dataclass(frozen=True)
class Audit:
    """What was looked at, and what was found."""

    objects: int
    found: tuple[Found, ...]
    unread: tuple[str, ...] = ()
    """Groups of kinds whose own server did not answer."""

    @property
    def well(self) -> bool:
        """Nothing that would stop a preview, and everything was read."""
        return not self.unread and not any(each.stops for each in self.found)


def asked(token: str) -> bool:
    """Whether some rule is about objects of this kind."""
    return any(rule.types(token) for rule in _CHECKED)


def run(name: str, cluster: model.Cluster) -> Audit:
    """Read the cluster of a stack. Raises StackError or ValueError in words for people."""
    known = stack.read(name)
    if not known.kubeconfig:
        raise ValueError(f"stack {name} has no OpenShift cluster yet: run `pulumi up`")
    seen = asyncio.run(everything.take(known.kubeconfig, PATIENCE, asked, runs_pods))
    waivers = tuple(Waiver(**each.model_dump()) for each in cluster.waivers)
    return judge(seen, Accepted(waivers, planned(known), datetime.now(UTC).date()))


@dataclass(frozen=True)
class Accepted:
    """Waivers of the stack file, which name objects as a preview does."""

    waivers: Sequence[Waiver] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    """By place of an object, the name that it has in previews."""
    today: date = date.max

    def of(self, rule: Rule | StackRule, place: str) -> tuple[bool, str]:
        """Whether a finding is waived, and what the waiver says of it."""
        waiver = choose(self.waivers, rule.id, self.names.get(place, place.rpartition("/")[2]))
        return verdict(waiver, rule, self.today)


def planned(known: stack.Stack) -> dict[str, str]:
    """Names of a stack's Kubernetes objects in previews, by place."""
    rows = (each for each in known.resources if each["type"].startswith("kubernetes:"))
    inputs = ((each, each.get("inputs") or {}) for each in rows)
    return {_place(given): str(each["urn"]).rpartition("::")[2] for each, given in inputs if given.get("metadata")}


def judge(seen: Everything, accepted: Accepted | None = None) -> Audit:
    """Every finding, those of the worst rules first."""
    by = accepted or Accepted()
    makers = Makers([_resource(each) for each in seen.objects if _place(each) not in OPENSHIFTS])
    looked_at: set[Resource] = set()
    found: list[Found] = []
    for rule in _CHECKED:
        about = makers.about(rule)
        looked_at.update(about)
        for each, message in makers.once(list(_of(rule, about))):
            waived, waiver = by.of(rule, each.urn)
            found.append(Found(rule, each.urn, message, waived=waived, waiver=waiver))
    found.sort(key=lambda each: (_SEVERITIES.index(each.rule.severity), each.rule.id, each.place))
    return Audit(len(looked_at), tuple(found), seen.unread)


def _resource(found: Object) -> Resource:
    kind = everything.token(str(found["apiVersion"]), str(found["kind"]))
    return Resource(kind, str(found["metadata"]["name"]), _place(found), found)


def _place(found: Object) -> str:
    meta = found["metadata"]
    return "/".join(filter(None, (str(found.get("kind")), meta.get("namespace"), str(meta.get("name")))))


def _of(rule: Rule | StackRule, about: Sequence[Resource]) -> Iterator[tuple[Resource, str]]:
    """Object and sentence of each finding of a rule. A cluster's objects are of one cluster, whatever their labels."""
    if isinstance(rule, StackRule):
        by_urn = {each.urn: each for each in about}
        try:
            yield from [(by_urn[each.urn], each.message) for each in rule.compare(about)] if about else ()
        except NotApplicable:
            return
        return
    for each in about:
        try:
            yield from [(each, message) for message in rule.check(each)]
        except NotApplicable:
            continue


def text(audit: Audit) -> str:
    """For people: each rule once, its findings below it, then what to do."""
    lines: list[str] = []
    for rule, found in groupby(audit.found, key=lambda each: each.rule):
        advice = "" if rule.mandatory else ", advice"
        lines += [f"{rule.id} ({rule.severity}{advice}): {rule.title}"]
        lines += [f"  {line}" for each in found for line in _lines(each)]
        lines += [f"  why: {rule.why}", f"  fix: {rule.fix}", ""]
    lines += [f"{version} was not read: its server does not answer" for version in audit.unread]
    stopping = sum(each.stops for each in audit.found)
    others = len(audit.found) - stopping
    counted = f"{stopping} finding{'s' * (stopping != 1)}, {others} waived or advice"
    return "\n".join([*lines, f"{audit.objects} objects: {counted}"])


def _lines(found: Found) -> Iterator[str]:
    yield f"{found.place}: {found.message}"
    if found.waiver:
        yield f"  {found.waiver}"


def as_json(audit: Audit) -> str:
    """For programs."""
    rows = [
        {
            "rule": each.rule.id,
            "severity": each.rule.severity,
            "object": each.place,
            "message": each.message,
            "stops": each.stops,
            **({"waiver": each.waiver} if each.waiver else {}),
        }
        for each in audit.found
    ]
    return json.dumps({"objects": audit.objects, "unread": list(audit.unread), "findings": rows}, indent=2)

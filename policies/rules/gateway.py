"""Rules about requests that a picker shares out: it picks among replicas that are there, and nothing goes past it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .kubernetes import called, kind, of_kind, pod_labels, runs_pods
from .resource import Resource
from .rule import Finding, NotApplicable, StackRule, items, nothing, strings

Place = tuple[str, str]
"""Namespace and name."""


def space(resource: Resource) -> str:
    """Namespace of an object."""
    return str((resource.props.get("metadata") or {}).get("namespace") or "default")


def place(resource: Resource) -> Place:
    """Of an object."""
    return space(resource), str((resource.props.get("metadata") or {}).get("name") or resource.name)


def spec_of(resource: Resource) -> Mapping[str, Any]:
    """Of an object; empty where it has none."""
    return resource.props.get("spec") or {}


def _pools(resources: Sequence[Resource]) -> list[Resource]:
    found = [each for each in resources if kind(each) == "InferencePool"]
    if not found:
        raise NotApplicable("no InferencePool")
    return found


def _selected(pool: Resource) -> Mapping[str, str]:
    return strings((spec_of(pool).get("selector") or {}).get("matchLabels"))


def has(labels: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    """Whether a selector selects these labels."""
    return all(labels.get(key) == value for key, value in wanted.items())


def _works(token: str) -> bool:
    """Whether a pool may have pods of objects of a type; one of a Job is given requests for as long as it runs."""
    return runs_pods(token) or of_kind("LeaderWorkerSet")(token)


def _pods(resource: Resource) -> Iterator[Mapping[str, str]]:
    """Labels of the pods that an object makes: leaders of a set may have others than its workers."""
    yield from pod_labels(resource)
    sets = spec_of(resource).get("leaderWorkerTemplate") or {}
    for part in ("leaderTemplate", "workerTemplate"):
        yield strings(((sets.get(part) or {}).get("metadata") or {}).get("labels"))


def _picks(resources: Sequence[Resource]) -> Iterator[Finding]:
    """A pool has pods; one of several workloads has pods of each, whatever model they serve."""
    for pool in _pools(resources):
        tests = _behind(space(pool), _selected(pool))
        behind = [each for each in resources if all(test(each) for test in tests)]
        title = f"InferencePool {called(pool)}"
        if not behind:
            message = f"{title} selects pods of no workload here: every request is answered with 503"
            yield Finding(message, pool.urn, tests)
        elif len(behind) > 1:
            names = ", ".join(sorted(map(called, behind)))
            yield Finding(f"{title} selects pods of {names}: a request goes to any of them", pool.urn, (nothing,))


def _behind(home: str, wanted: Mapping[str, str]) -> tuple[Callable[[Resource], bool], ...]:
    """Tests that a workload passes whose pods a pool of a namespace selects."""
    return (
        lambda one: _works(one.type),
        lambda one: space(one) == home,
        *(lambda one, key=key: any(labels.get(key) == wanted[key] for labels in _pods(one)) for key in wanted),
        lambda one: any(has(labels, wanted) for labels in _pods(one)),
    )


def _past(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Requests that reach replicas of a pool by their Service, which no picker sees."""
    pools = _pools(resources)
    services = {
        place(each): strings(spec_of(each)["selector"])
        for each in resources
        if kind(each) == "Service" and spec_of(each).get("selector")
    }
    for each in resources:
        for target in _targets(each):
            for pool in pools:
                if space(pool) == target[0] and services.get(target) == _selected(pool):
                    past = f"gives requests to Service {target[1]}, past the picker of InferencePool {called(pool)}"
                    excused = (lambda one: kind(one) == "Service", lambda one, target=target: place(one) == target)
                    yield Finding(f"{kind(each)} {called(each)} {past}", each.urn, excused)


def _targets(resource: Resource) -> Iterator[Place]:
    """Services that a route names: one of OpenShift those of its own namespace, and no other kind has their group."""
    spec, own = spec_of(resource), space(resource)
    if kind(resource) == "Route":
        rows = [spec.get("to") or {}, *items(spec.get("alternateBackends"))]
        yield from ((own, str(row.get("name"))) for row in rows)
    if kind(resource) == "HTTPRoute":
        for rule in items(spec.get("rules")):
            for ref in items(rule.get("backendRefs")):
                if not ref.get("group"):
                    yield str(ref.get("namespace") or own), str(ref.get("name"))


GATEWAY: tuple[StackRule, ...] = (
    StackRule(
        id="workloads-pool-picks-one-service",
        title="An InferencePool selects the pods of one service",
        why="A pool without pods answers 503 to everybody, and its status is in order. A pool with pods of two "
        "services gives each request to either model.",
        fix="Write workloads.inference.<name>.gateway, or the labels of that one service's pods as matchLabels.",
        reference="https://gateway-api-inference-extension.sigs.k8s.io/api-types/inferencepool/",
        severity="high",
        types=lambda token: _works(token) or of_kind("InferencePool")(token),
        compare=_picks,
    ),
    StackRule(
        id="workloads-nothing-past-the-picker",
        title="Requests for replicas of an InferencePool pass its picker",
        why="A picker counts what it has sent. What comes by the Service beside it waits at replicas that the picker "
        "believes idle until it reads their metrics again, and knows nothing of their caches.",
        fix="Name the InferencePool as backendRef (group inference.networking.k8s.io), or take the Route away.",
        reference="https://gateway-api-inference-extension.sigs.k8s.io/concepts/api-overview/",
        severity="medium",
        types=of_kind("InferencePool", "Service", "Route", "HTTPRoute"),
        compare=_past,
    ),
)

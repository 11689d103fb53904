"""Rules about clients' keys at a gateway: each route asks for one, of Secrets that no team makes, and counts tokens."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from .gateway import Place, has, place, spec_of
from .kubernetes import containers, kind, of_kind, pod_labels, pod_spec, runs_pods
from .resource import Resource
from .rule import Finding, NotApplicable, Rule, StackRule, items, strings

_USAGE: Final = "--enable-force-include-usage"


def _target(policy: Resource) -> tuple[str, Place]:
    ref = spec_of(policy).get("targetRef") or {}
    return str(ref.get("kind")), (place(policy)[0], str(ref.get("name")))


def _gateways(route: Resource) -> Iterator[Place]:
    for ref in items(spec_of(route).get("parentRefs")):
        yield str(ref.get("namespace") or place(route)[0]), str(ref.get("name"))


def _pools(route: Resource) -> set[Place]:
    refs = [ref for rule in items(spec_of(route).get("rules")) for ref in items(rule.get("backendRefs"))]
    pools = [each for each in refs if each.get("kind") == "InferencePool"]
    return {(str(each.get("namespace") or place(route)[0]), str(each.get("name"))) for each in pools}


def _asked(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Where some route asks for keys, one that asks for none is a way around them."""
    targets = {_target(each) for each in resources if kind(each) == "AuthPolicy"}
    if not targets:
        raise NotApplicable("no AuthPolicy")
    for route in resources:
        if kind(route) != "HTTPRoute" or not _pools(route):
            continue
        ways = {("HTTPRoute", place(route)), *(("Gateway", each) for each in _gateways(route))}
        if not ways & targets:
            message = "is answered without a key: no AuthPolicy is for it or for its Gateway"
            yield Finding(f"HTTPRoute {place(route)[1]} {message}", route.urn)


def _counted(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Servers whose streams say nothing of what they took, behind a limit of tokens."""
    limited = {_target(each): each for each in resources if kind(each) == "TokenRateLimitPolicy"}
    if not limited:
        raise NotApplicable("no TokenRateLimitPolicy")
    pools = {place(each): each for each in resources if kind(each) == "InferencePool"}
    for route in resources:
        policy = limited.get(("HTTPRoute", place(route))) if kind(route) == "HTTPRoute" else None
        for key in sorted(_pools(route)) if policy is not None else ():
            for each in resources if key in pools else ():
                if runs_pods(each.type) and place(each)[0] == key[0] and _silent(each, pools[key]):
                    message = f"counts no streams of {kind(each)} {place(each)[1]}, which lacks {_USAGE}"
                    yield Finding(f"TokenRateLimitPolicy {place(policy)[1] if policy else ''} {message}", each.urn)


def _silent(workload: Resource, pool: Resource) -> bool:
    wanted = strings((spec_of(pool).get("selector") or {}).get("matchLabels"))
    boxes = list(containers(pod_spec(workload)))
    words = [str(word) for box in boxes for word in (*items(box.get("command")), *items(box.get("args")))]
    return has(pod_labels(workload), wanted) and _USAGE not in words


def _everywhere(resource: Resource) -> Iterator[str]:
    if kind(resource) != "AuthPolicy":
        raise NotApplicable("no AuthPolicy")
    given: Mapping[str, Any] = spec_of(resource)
    for part in (given, given.get("defaults") or {}, given.get("overrides") or {}):
        for name, rule in ((part.get("rules") or {}).get("authentication") or {}).items():
            if ((rule or {}).get("apiKey") or {}).get("allNamespaces") is True:
                yield f"AuthPolicy {place(resource)[1]}: {name} takes keys from Secrets of every namespace"


KEYS: tuple[Rule | StackRule, ...] = (
    StackRule(
        id="workloads-models-ask-for-keys",
        title="Beside services for clients with keys, every model asks for one",
        why="Keys and limits are asked for where a policy says so. A route without one is answered for everybody who "
        "reaches the gateway, and nothing in its status says that.",
        fix="Write workloads.inference.<name>.gateway.clients, or an AuthPolicy for the route or for its Gateway.",
        reference="https://docs.kuadrant.io/latest/kuadrant-operator/doc/overviews/auth/",
        severity="high",
        types=of_kind("AuthPolicy", "HTTPRoute"),
        compare=_asked,
    ),
    StackRule(
        id="workloads-streams-are-counted",
        title="Behind a limit of tokens streams say what they took",
        why="Tokens are read from an answer's usage. A stream has none unless its client asks for it "
        "(stream_options.include_usage): one that does not has no limit.",
        fix=f"Write tokens in workloads.inference.<name>.gateway.clients, or start vLLM with {_USAGE}.",
        reference="https://docs.kuadrant.io/latest/kuadrant-operator/doc/overviews/token-rate-limiting/",
        severity="high",
        types=lambda token: runs_pods(token) or of_kind("TokenRateLimitPolicy", "HTTPRoute", "InferencePool")(token),
        compare=_counted,
    ),
    Rule(
        id="workloads-keys-of-one-namespace",
        title="Keys are Secrets of one namespace",
        why="With allNamespaces a Secret with the right labels opens the service from whichever namespace it is in: "
        "whoever may make Secrets in one gives out keys.",
        fix="Take allNamespaces away, and keep keys where Authorino is, in kuadrant-system.",
        reference="https://docs.kuadrant.io/latest/authorino/docs/features/#api-key-authenticationapikey",
        severity="high",
        types=of_kind("AuthPolicy"),
        check=_everywhere,
    ),
)

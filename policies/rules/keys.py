"""Rules about clients' keys at a gateway: each route asks for one, of Secrets that no team makes, and counts tokens."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from .gateway import Place, has, place, space, spec_of
from .kubernetes import called, containers, kind, of_kind, pod_labels, pod_spec, runs_pods
from .resource import Resource
from .rule import Finding, NotApplicable, Rule, StackRule, apart, items, perhaps, strings

_USAGE: Final = "--enable-force-include-usage"


def _ref(policy: Resource) -> Mapping[str, Any]:
    return spec_of(policy).get("targetRef") or {}


def _target(policy: Resource) -> tuple[str, Place]:
    return str(_ref(policy).get("kind")), (space(policy), str(_ref(policy).get("name")))


def _gateways(route: Resource) -> Iterator[Place]:
    for ref in items(spec_of(route).get("parentRefs")):
        yield str(ref.get("namespace") or space(route)), str(ref.get("name"))


def _pools(route: Resource) -> set[Place]:
    refs = [ref for rule in items(spec_of(route).get("rules")) for ref in items(rule.get("backendRefs"))]
    pools = [each for each in refs if each.get("kind") == "InferencePool"]
    return {(str(each.get("namespace") or space(route)), str(each.get("name"))) for each in pools}


def _asked(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Where some route asks for keys, one that asks for none is a way around them."""
    policies = [each for each in resources if kind(each) == "AuthPolicy"]
    if not policies:
        raise NotApplicable("no AuthPolicy")
    yield from apart(_open(each, policies) for each in resources if kind(each) == "HTTPRoute")


def _open(route: Resource, policies: Sequence[Resource]) -> Iterator[Finding]:
    ways = {("HTTPRoute", place(route)), *(("Gateway", each) for each in _gateways(route))} if _pools(route) else set()

    def may_be_for(policy: Resource) -> bool:
        return any(all(perhaps(test, policy) for test in _for(way)) for way in ways)

    if ways and not any(_target(each) in ways for each in policies if may_be_for(each)):
        message = f"HTTPRoute {called(route)} is answered without a key: no AuthPolicy is for it or for its Gateway"
        yield Finding(message, route.urn, (lambda one: kind(one) == "AuthPolicy", may_be_for))


def _for(way: tuple[str, Place]) -> tuple[Callable[[Resource], bool], ...]:
    """Tests that an AuthPolicy passes whose target this is."""
    what, (home, name) = way
    return (
        lambda one: str(_ref(one).get("kind")) == what,
        lambda one: str(_ref(one).get("name")) == name,
        lambda one: space(one) == home,
    )


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
                if runs_pods(each.type) and space(each) == key[0] and _silent(each, pools[key]):
                    message = f"TokenRateLimitPolicy {called(policy) if policy else ''} counts no streams of "
                    message += f"{kind(each)} {called(each)}, which lacks {_USAGE}"
                    excused = (lambda one: kind(one) == "InferencePool", lambda one, key=key: place(one) == key)
                    yield Finding(message, each.urn, excused)


def _silent(workload: Resource, pool: Resource) -> bool:
    wanted = strings((spec_of(pool).get("selector") or {}).get("matchLabels"))
    boxes = list(containers(pod_spec(workload)))
    words = [str(word) for box in boxes for word in (*items(box.get("command")), *items(box.get("args")))]
    return any(has(each, wanted) for each in pod_labels(workload)) and _USAGE not in words


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

"""Pulumi's analyzer protocol over our rules: each resource decoded at most once, each switch parsed once.

The SDK's own servicer (pulumi_policy 1.21) decodes every resource again for each rule, in `Analyze` and in
`AnalyzeStack`, before a rule can say that it is about another type: at 878 resources and 28 rules that took longer
than the rules themselves. What it answers is answered here in the same words (tests/policies/test_analyzer.py).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from typing import Any, Final

from google.protobuf import empty_pb2
from pulumi.runtime.proto import analyzer_pb2 as proto
from pulumi.runtime.proto import analyzer_pb2_grpc, plugin_pb2

from ..resource import Resource, UnknownValueError
from ..rule import NotApplicable, Rule, RuleText, StackRule
from ..waivers import CLUSTER, ENDS, IDLE
from .properties import decode
from .waived import Waivers

VERSION: Final = "0.0.1"
"""Shown where PulumiPolicy.yaml has no version; the engine prefers that one."""
_SEVERITY: Final = {
    "low": proto.POLICY_SEVERITY_LOW,
    "medium": proto.POLICY_SEVERITY_MEDIUM,
    "high": proto.POLICY_SEVERITY_HIGH,
    "critical": proto.POLICY_SEVERITY_CRITICAL,
}


def _utc() -> date:
    return datetime.now(UTC).date()


class Analyzer(analyzer_pb2_grpc.AnalyzerServicer):
    """One pack for one operation of the engine, which asks for one thing at a time."""

    def __init__(
        self,
        name: str,
        rules: Iterable[Rule | StackRule],
        about_waivers: Iterable[RuleText] = (),
        today: Callable[[], date] = _utc,
    ) -> None:
        """`about_waivers` are shown beside `rules`; what they find comes from the waivers of the stack file."""
        self._name, self._rules, self._about_waivers = name, tuple(rules), tuple(about_waivers)
        self._waivers = Waivers(today)
        self._levels: dict[str, proto.EnforcementLevel.ValueType] = {}
        self._of_no_type: dict[str, proto.AnalyzeResponse] = {}
        """Answers for types that no rule is about."""
        self._seen: dict[str, Resource] = {}
        """Resources by URN that a comparing rule will ask for, so that it finds their switches parsed."""

    def GetAnalyzerInfo(self, _request: Any, _context: Any) -> Any:  # noqa: N802
        """Names, sentences and levels of every rule."""
        info = proto.AnalyzerInfo(name=self._name, version=VERSION, supportsConfig=True)
        info.policies.extend(map(_info, (*self._rules, *self._about_waivers)))
        return info

    def GetPluginInfo(self, _request: Any, _context: Any) -> Any:  # noqa: N802
        """The version of this plugin."""
        return plugin_pb2.PluginInfo(version=VERSION)

    def Configure(self, request: Any, _context: Any) -> Any:  # noqa: N802
        """Levels that a policy configuration gives to single rules."""
        self._levels = {name: each.enforcementLevel for name, each in request.policyConfig.items()}
        self._of_no_type.clear()
        return empty_pb2.Empty()

    def ConfigureStack(self, _request: Any, _context: Any) -> Any:  # noqa: N802
        """No rule asks for the stack's name or tags."""
        return proto.AnalyzerStackConfigureResponse()

    def Remediate(self, _request: Any, _context: Any) -> Any:  # noqa: N802
        """No rule changes a resource."""
        return proto.RemediateResponse()

    def Analyze(self, request: Any, _context: Any) -> Any:  # noqa: N802
        """Verdicts of the rules that check one resource alone; waivers are read where they come by."""
        token = request.type
        if token == CLUSTER:
            return self._cluster(request)
        judging = [rule for rule in self._active(Rule) if rule.types(token)]
        if not judging:
            if any(rule.types(token) for rule in self._active(StackRule)):
                self._seen[request.urn] = _resource(request)
            return self._about_others(token)
        response = proto.AnalyzeResponse()
        resource = _resource(request)
        if any(rule.types(token) for rule in self._active(StackRule)):
            self._seen[request.urn] = resource
        for rule in self._active(Rule):
            if not rule.types(token):
                response.not_applicable.append(_others(rule))
                continue
            self._judge(rule, response, _alone(rule, resource), resource.urn)
        return response

    def _cluster(self, request: Any) -> Any:
        """What is found about the waivers of a cluster; rules compare what it holds, and none is about it alone."""
        response = proto.AnalyzeResponse(not_applicable=map(_others, self._active(Rule)))
        sentences = list(self._waivers.read(request.type, request.urn, decode(request.properties, request.urn)))
        self._report(ENDS, response, ((each, "") for each in sentences))
        return response

    def _report(self, rule: RuleText, response: Any, findings: Iterable[tuple[str, str]]) -> None:
        """Findings about waivers, unless a policy configuration has switched their rule off."""
        if self._level(rule) != proto.DISABLED:
            self._judge(rule, response, findings)

    def _about_others(self, token: str) -> Any:
        known = self._of_no_type.get(token)
        if known is None:
            known = self._of_no_type[token] = proto.AnalyzeResponse(not_applicable=map(_others, self._active(Rule)))
        return known

    def AnalyzeStack(self, request: Any, _context: Any) -> Any:  # noqa: N802
        """Verdicts of the rules that compare resources, each reported on the resource it is about."""
        response = proto.AnalyzeResponse()
        comparing = list(self._active(StackRule))
        wanted = {
            token for token in {each.type for each in request.resources} if any(r.types(token) for r in comparing)
        }
        resources = [self._again(each) for each in request.resources if each.type in wanted]
        self._seen.clear()
        for rule in comparing:
            self._compare(rule, response, resources)
        self._report(IDLE, response, list(self._waivers.idle()))
        return response

    def _again(self, message: Any) -> Resource:
        """A resource as it will be, with what was made of it before where its `spec` is still the same."""
        now = _resource(message)
        seen = self._seen.get(message.urn)
        return seen if seen is not None and (_same_spec(seen, now) or _unsaid(seen, now)) else now

    def _active(self, kind: type[Any]) -> Iterator[Any]:
        return (rule for rule in self._rules if isinstance(rule, kind) and self._level(rule) != proto.DISABLED)

    def _level(self, rule: RuleText) -> proto.EnforcementLevel.ValueType:
        return self._levels.get(rule.id, _own_level(rule))

    def _judge(self, rule: RuleText, response: Any, findings: Iterable[tuple[str, str]], asked: str = "") -> None:
        """Add what one rule finds: violations, that it is about others, or that it asked for what nobody knows yet.

        `asked` is the resource that a finding without one of its own stands on. A waived finding advises.
        """
        own = self._level(rule)
        try:
            for message, urn in findings:
                waived, waiver = self._waivers.of(rule, urn or asked)
                level = proto.ADVISORY if waived else proto.MANDATORY if own == proto.REMEDIATE else own
                text = f"{_description(rule)}\n{message}\n  why: {rule.why}\n  fix: {rule.fix}"
                response.diagnostics.append(
                    self._diagnostic(
                        rule,
                        message=f"{text}\n  {waiver}" if waiver else text,
                        urn=urn,
                        enforcementLevel=level,
                        severity=_SEVERITY[rule.severity],
                    )
                )
        except NotApplicable as reason:
            response.not_applicable.append(proto.PolicyNotApplicable(policy_name=rule.id, reason=str(reason)))
        except UnknownValueError as unknown:
            self._advise(rule, response, f"can't run policy {self._said(rule)} during preview: {unknown}")

    def _compare(self, rule: StackRule, response: Any, resources: Sequence[Resource]) -> None:
        """Add what a rule finds in a stack for certain, and advice on each resource that it could not look at."""
        unseen: dict[str, UnknownValueError] = {}
        self._judge(rule, response, _together(rule, resources, unseen))
        for urn, unknown in unseen.items():
            text = f"{urn.rpartition('::')[2]} is not looked at by policy {self._said(rule)} during preview: {unknown}"
            self._advise(rule, response, text, urn)

    def _advise(self, rule: RuleText, response: Any, message: str, urn: str = "") -> None:
        """Say what a rule could not read. Whether its waivers are needed is not known then."""
        self._waivers.unsure(rule)
        advice = self._diagnostic(rule, message=message, urn=urn, enforcementLevel=proto.ADVISORY)
        response.diagnostics.append(advice)

    def _said(self, rule: RuleText) -> str:
        return f"'{rule.id}' from policy pack '{self._name}@v{VERSION}'"

    def _diagnostic(self, rule: RuleText, **about: Any) -> Any:
        return proto.AnalyzeDiagnostic(
            policyName=rule.id,
            policyPackName=self._name,
            policyPackVersion=VERSION,
            description=_description(rule),
            **about,
        )


def _resource(message: Any) -> Resource:
    return Resource(message.type, message.name, message.urn, decode(message.properties, message.urn))


def _unsaid(seen: Resource, now: Resource) -> bool:
    """Whether `AnalyzeStack` lacks what was registered: it is given outputs, and a component's are what it registered
    at its end, those of an object of a cluster that does not exist yet none.
    """
    return not now.props or ("about" in seen.props and "about" not in now.props)


def _same_spec(one: Resource, two: Resource) -> bool:
    try:
        spec = one.props.get("spec")
        return spec is not None and bool(spec == two.props.get("spec"))
    except UnknownValueError:
        return False


def _alone(rule: Rule, resource: Resource) -> Iterator[tuple[str, str]]:
    """Each violation, with the resource it stands on: the one that was asked about."""
    for sentence in rule.check(resource):
        yield sentence, ""


def _together(
    rule: StackRule, resources: Sequence[Resource], unseen: dict[str, UnknownValueError]
) -> Iterator[tuple[str, str]]:
    """Each violation in a stack that is certain; `unseen` is given what the rule could not look at, by URN."""
    seen = rule.look(resources)
    unseen |= seen.unseen
    yield from ((each.message, each.urn) for each in seen.findings)


def _description(rule: RuleText) -> str:
    return f"{rule.title}. {rule.why}"


def _own_level(rule: RuleText) -> proto.EnforcementLevel.ValueType:
    return proto.MANDATORY if rule.mandatory else proto.ADVISORY


def _others(rule: RuleText) -> Any:
    return proto.PolicyNotApplicable(policy_name=rule.id, reason="the rule is about resources of other types")


def _info(rule: RuleText) -> Any:
    return proto.PolicyInfo(
        name=rule.id,
        description=_description(rule),
        displayName=rule.title,
        enforcementLevel=_own_level(rule),
        policy_type=proto.POLICY_TYPE_STACK if isinstance(rule, StackRule) else proto.POLICY_TYPE_RESOURCE,
        severity=_SEVERITY[rule.severity],
        remediation_steps=rule.fix,
        url=rule.reference if rule.reference.startswith("http") else "",
    )

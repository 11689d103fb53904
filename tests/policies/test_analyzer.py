"""The pack answers the engine as Pulumi's own servicer does, which decodes every resource again for every rule."""

from collections.abc import Iterator
from functools import reduce
from typing import Any

import pulumi_policy
import pytest
from google.protobuf import json_format, struct_pb2
from hypothesis import given, settings
from hypothesis import strategies as st
from pulumi.runtime.proto import analyzer_pb2 as proto
from pulumi_policy.deserialize import SPECIAL_SECRET_SIG, SPECIAL_SIG_KEY
from pulumi_policy.deserialize import deserialize_properties as theirs
from pulumi_policy.policy import _PolicyAnalyzerServicer
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE, unknown_checking_proxy
from pulumi_policy.proxy import UnknownValueError as TheirUnknown

from podwright.policies.rules import RULES
from podwright.policies.rules import switches as parsed
from podwright.policies.rules.pack.analyzer import Analyzer
from podwright.policies.rules.pack.properties import decode
from podwright.policies.rules.resource import Resource, UnknownValueError
from podwright.policies.rules.rule import NotApplicable, Rule, StackRule
from tests.policies.owned import owned
from tests.policies.test_rules import CASES, resources_of

LOOKED_PAST = " is not looked at by policy "


def reference(rules: tuple[Rule | StackRule, ...]) -> Any:
    """Pulumi's servicer over the same rules."""
    return _PolicyAnalyzerServicer("podwright", "0.0.1", [_policy(rule) for rule in rules],
                                   pulumi_policy.EnforcementLevel.ADVISORY)  # fmt: skip


def _policy(rule: Rule | StackRule) -> pulumi_policy.Policy:
    level = "mandatory" if rule.mandatory else "advisory"
    about: Any = {
        "name": rule.id, "description": f"{rule.title}. {rule.why}", "display_name": rule.title,
        "enforcement_level": pulumi_policy.EnforcementLevel(level), "severity": pulumi_policy.Severity(rule.severity),
        "remediation_steps": rule.fix, "url": rule.reference if rule.reference.startswith("http") else None,
    }  # fmt: skip

    def found(args: Any) -> Iterator[tuple[str, str | None]]:
        if isinstance(rule, StackRule):
            stack = [
                Resource(each.resource_type, each.name, each.urn, owned(each.props, each.urn))
                for each in args.resources
            ]
            yield from ((each.message, each.urn) for each in rule.check(stack))
        else:
            one = Resource(args.resource_type, args.name, args.urn, owned(args.props, ""))
            yield from ((each, None) for each in rule.check(one))

    def validate(args: Any, report: Any) -> None:
        try:
            for message, urn in found(args):
                report(f"{message}\n  why: {rule.why}\n  fix: {rule.fix}", urn)
        except NotApplicable as reason:
            args.not_applicable(str(reason))
        except UnknownValueError as unknown:
            raise unknown.__cause__ or unknown from None

    kind = (
        pulumi_policy.StackValidationPolicy if isinstance(rule, StackRule) else pulumi_policy.ResourceValidationPolicy
    )
    made: pulumi_policy.Policy = kind(validate=validate, **about)
    return made


def struct(props: Any) -> struct_pb2.Struct:
    made = struct_pb2.Struct()
    made.update(props)
    return made


def message(resource: Resource, kind: Any = proto.AnalyzeRequest) -> Any:
    return kind(type=resource.type, name=resource.name, urn=resource.urn, properties=struct(resource.props))


def stacks() -> Iterator[list[Resource]]:
    """Every stack of every rule's cases."""
    for cases in CASES.values():
        for case in (*cases["passes"], *cases["does_not_apply"], *(each["resources"] for each in cases["fails"])):
            yield resources_of(case)


def answers(analyzer: Any, resources: list[Resource]) -> list[Any]:
    """What the engine hears about a stack: of each resource, then of all; rules that do not apply by name.

    Sorted: maps have no order on the wire, and the SDK reports in the order that it happens to read. Without our advice
    on resources that a rule did not look at, for which the SDK has no words.
    """
    stack = proto.AnalyzeStackRequest(resources=[message(each, proto.AnalyzerResource) for each in resources])
    found = [analyzer.Analyze(message(each), None) for each in resources]
    return [
        (
            sorted(str(one) for one in each.diagnostics if LOOKED_PAST not in one.message),
            {about.policy_name for about in each.not_applicable},
        )
        for each in (*found, analyzer.AnalyzeStack(stack, None))
    ]


@pytest.mark.rough
def test_it_answers_as_the_sdk_does() -> None:
    ours, sdk = Analyzer("podwright", RULES), reference(RULES)
    spoken = 0
    for resources in stacks():
        said = answers(ours, resources)
        assert said == answers(sdk, resources)
        spoken += sum(len(diagnostics) for diagnostics, _ in said)
    assert spoken > 100
    assert ours.GetAnalyzerInfo(None, None) == sdk.GetAnalyzerInfo(None, None)


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list) and value:
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(inner, (*path, key))
    elif path:
        yield path


def _put(value: Any, path: tuple[Any, ...], leaf: Any) -> Any:
    if not path:
        return leaf
    made = dict(value) if isinstance(value, dict) else list(value)
    made[path[0]] = _put(value[path[0]], path[1:], leaf)
    return made


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_unknowns_and_secrets_are_answered_as_the_sdk_does(data: st.DataObject) -> None:
    resources = data.draw(st.sampled_from([each for each in stacks() if each]))
    at = data.draw(st.integers(0, len(resources) - 1))
    old = resources[at]
    found = list(_leaves(old.props))
    if not found:
        return
    path = data.draw(st.sampled_from(found))
    path = path[: data.draw(st.integers(1, len(path)))]
    secret = {SPECIAL_SIG_KEY: SPECIAL_SECRET_SIG, "value": reduce(lambda value, key: value[key], path, old.props)}
    leaf = data.draw(st.sampled_from([UNKNOWN_STRING_VALUE, secret]))
    resources[at] = Resource(old.type, old.name, old.urn, _put(old.props, path, leaf))
    assert answers(Analyzer("podwright", RULES), resources) == answers(reference(RULES), resources)


@pytest.mark.parametrize("unknown", ["about", "spec"])
def test_what_nobody_knows_yet_of_a_whole_stack_ends_no_analysis(unknown: str) -> None:
    """Every resource of every case in turn, with what rules read of it not known before the update."""
    ours, sdk = Analyzer("podwright", RULES), reference(RULES)
    for resources in [each for each in stacks() if any(unknown in one.props for one in each)][:40]:
        unsure = [
            Resource(one.type, one.name, one.urn, {**one.props, unknown: UNKNOWN_STRING_VALUE})
            if unknown in one.props
            else one
            for one in resources
        ]
        assert answers(ours, unsure) == answers(sdk, unsure)


def test_lists_are_compared_by_what_is_in_them_and_not_before_it_is_known() -> None:
    one, two = (decode(struct({"of": [{"a": 1}, leaf]}), "urn") for leaf in ("b", UNKNOWN_STRING_VALUE))
    with pytest.raises(UnknownValueError) as raised:
        _ = one["of"] == two["of"]
    assert raised.value.urn == "urn"


TREES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5) | st.just(UNKNOWN_STRING_VALUE),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    | st.builds(lambda value: {SPECIAL_SIG_KEY: SPECIAL_SECRET_SIG, "value": value}, inner),
    max_leaves=12,
)  # fmt: skip


def plain(value: Any) -> Any:
    """A decoded tree with the paths of its unknowns instead of them."""
    if isinstance(value, str | int | float | type(None)):
        return value
    keys = list(value) if hasattr(value, "keys") else range(len(value))
    found = {}
    for key in keys:
        try:
            found[key] = plain(value[key])
        except (UnknownValueError, TheirUnknown) as unknown:
            found[key] = getattr(unknown, "message", str(unknown))
    return found


@given(st.dictionaries(st.text(max_size=3), TREES, max_size=4))
def test_properties_are_decoded_as_the_sdk_decodes_them(props: dict[str, Any]) -> None:
    sent = struct(props)
    wanted = unknown_checking_proxy(theirs(json_format.MessageToDict(sent)))
    assert plain(decode(sent)) == plain(wanted)


SWITCH_STACK = next(each for each in stacks() if sum(one.type == parsed.SWITCH for one in each) > 1)


def test_a_switch_is_parsed_once_for_all_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[str] = []
    original = parsed._parse

    def parse(spec: Any) -> Any:
        times.append(spec["hostname"])
        return original(spec)

    monkeypatch.setattr(parsed, "_parse", parse)
    answers(Analyzer("podwright", RULES), SWITCH_STACK)
    assert sorted(times) == sorted(each.props["spec"]["hostname"] for each in SWITCH_STACK)


def test_a_switch_whose_outputs_differ_is_parsed_again() -> None:
    analyzer = Analyzer("podwright", RULES)
    for each in SWITCH_STACK:
        analyzer.Analyze(message(each), None)
    first, *others = SWITCH_STACK
    other = Resource(first.type, first.name, first.urn, {"spec": {**first.props["spec"], "config": {}}})
    changed = [other, *others]
    stack = proto.AnalyzeStackRequest(resources=[message(each, proto.AnalyzerResource) for each in changed])
    assert analyzer.AnalyzeStack(stack, None) == Analyzer("podwright", RULES).AnalyzeStack(stack, None)


def test_nothing_is_kept_after_a_stack_and_nothing_decoded_of_types_without_rules() -> None:
    analyzer = Analyzer("podwright", RULES)
    answers(analyzer, SWITCH_STACK)
    assert not analyzer._seen
    other = proto.AnalyzeRequest(type="podwright:nxos:Verification", urn="u", name="n")
    assert analyzer.Analyze(other, None) is analyzer.Analyze(other, None)


@pytest.mark.parametrize("level", [proto.DISABLED, proto.ADVISORY, proto.REMEDIATE])
def test_the_level_of_a_single_rule_is_configurable(level: Any) -> None:
    request = proto.ConfigureAnalyzerRequest(
        policyConfig={"fabric-pfc-on-every-hop": proto.PolicyConfig(enforcementLevel=level)}
    )
    wrong = resources_of(CASES["fabric-pfc-on-every-hop"]["fails"][0]["resources"])
    ours, sdk = Analyzer("podwright", RULES), reference(RULES)
    for each in (ours, sdk):
        each.Configure(request, None)
    assert answers(ours, wrong) == answers(sdk, wrong)


def test_a_component_is_compared_by_what_it_is_about_though_a_stack_has_its_outputs_alone() -> None:
    """The engine hands `AnalyzeStack` outputs; of a component those are what it registered at its end."""
    case = CASES["compute-gpu-acs-off"]["fails"][0]
    resources = resources_of(case["resources"])
    ours = Analyzer("podwright", RULES)
    for each in resources:
        ours.Analyze(message(each), None)
    ends = [
        Resource(each.type, each.name, each.urn, {"ready": "gpu-01"} if "about" in each.props else each.props)
        for each in resources
    ]
    assert ends != resources
    stack = proto.AnalyzeStackRequest(resources=[message(each, proto.AnalyzerResource) for each in ends])
    found = [each.message for each in ours.AnalyzeStack(stack, None).diagnostics]
    assert any(case["finding"][0] in each for each in found)


def test_an_object_that_is_not_known_is_named_and_hides_no_finding_of_others() -> None:
    """Of one in the pool's namespace the pods may be the pool's; of one elsewhere they are not, and nothing is read."""
    rule = "workloads-pool-picks-one-service"
    wrong, *_ = CASES[rule]["fails"]
    resources = resources_of(wrong["resources"])
    pool = next(each for each in resources if each.type.endswith(":InferencePool"))
    urn = "urn:pulumi:lab::podwright::kubernetes:apps/v1:Deployment::later"
    elsewhere = {"metadata": {"namespace": "elsewhere", "labels": UNKNOWN_STRING_VALUE}, "spec": UNKNOWN_STRING_VALUE}
    near = {"metadata": {"namespace": pool.props["metadata"]["namespace"]}, "spec": UNKNOWN_STRING_VALUE}
    for props, finds in ((elsewhere, True), (near, False)):
        later = Resource("kubernetes:apps/v1:Deployment", "later", urn, props)
        stack = [message(each, proto.AnalyzerResource) for each in (*resources, later)]
        said = Analyzer("podwright", RULES).AnalyzeStack(proto.AnalyzeStackRequest(resources=stack), None).diagnostics
        own = [each for each in said if each.policyName == rule]
        assert any(wrong["finding"][0] in each.message for each in own) is finds
        advice = [(each.urn, each.message, each.enforcementLevel) for each in own if LOOKED_PAST in each.message]
        text = f"later is not looked at by policy '{rule}' from policy pack 'podwright@v0.0.1' during preview"
        known = f"{text}: string value at .spec can't be known during preview"
        assert advice == ([] if finds else [(urn, known, proto.ADVISORY)])

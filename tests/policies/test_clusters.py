"""Rules compare the resources of one cluster: a stack may hold two, and a cluster may lie in two stacks."""

from typing import Any

import pytest
from google.protobuf.struct_pb2 import Struct
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE

from podwright.policies.rules import RULES
from podwright.policies.rules.pack.properties import decode
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import NotApplicable, StackRule

BY_ID = {rule.id: rule for rule in RULES}
NO_INFERENCE = "workloads-no-inference-on-training-pool"
CLUSTER, PURPOSE, POOL = "podwright.io/cluster", "podwright.io/purpose", "podwright.io/pool"


def found(rule: str, *resources: Resource) -> list[str] | None:
    """Messages of a comparing rule; None where it does not apply."""
    judging = BY_ID[rule]
    assert isinstance(judging, StackRule)
    try:
        return [f"{finding.urn}: {finding.message}" for finding in judging.check(resources)]
    except NotApplicable:
        return None


def pool(cluster: str | None, name: str, purpose: str) -> Resource:
    labels = {PURPOSE: purpose} | ({CLUSTER: cluster} if cluster else {})
    props = {"metadata": {"name": name, "labels": labels}}
    token = "kubernetes:machineconfiguration.openshift.io/v1:MachineConfigPool"
    return Resource(token, f"{cluster}-{name}", f"{cluster}/pool/{name}", props)


def service(cluster: str | None, pool: str, purpose: str = "", select: dict[str, str] | None = None) -> Resource:
    labels = ({PURPOSE: purpose} if purpose else {}) | ({CLUSTER: cluster} if cluster else {})
    template = {"metadata": {"labels": labels}, "spec": {"nodeSelector": select or {POOL: pool}}}
    return Resource("kubernetes:apps/v1:Deployment", "chat", f"{cluster}/chat", {"spec": {"template": template}})


def test_equal_pool_names_in_one_stack() -> None:
    pools = [pool("east", "gpu", "training"), pool("west", "gpu", "inference")]
    assert found(NO_INFERENCE, *pools, service("west", "gpu", "inference")) == []
    wrong = "Deployment chat serves requests from training pool gpu"
    assert found(NO_INFERENCE, *pools, service("east", "gpu", "training")) == [f"east/chat: {wrong}"]
    # What the pod carries does not overrule its pool, where that is in the stack.
    assert found(NO_INFERENCE, *pools, service("east", "gpu", "inference")) == [f"east/chat: {wrong}"]
    assert found(NO_INFERENCE, *pools, service("west", "gpu")) == []


def test_a_workload_without_its_pool_in_the_stack() -> None:
    assert found(NO_INFERENCE, service("east", "gpu", "inference")) is None
    wrong = ["east/chat: Deployment chat serves requests from training pool gpu"]
    assert found(NO_INFERENCE, service("east", "gpu", "training")) == wrong
    assert found(NO_INFERENCE, pool("west", "gpu", "inference"), service("east", "gpu", "training")) == wrong
    assert found(NO_INFERENCE, service("east", "", select={PURPOSE: "training"}, purpose="training")) == [
        "east/chat: Deployment chat serves requests from training pool of another stack"
    ]


def test_what_says_no_cluster_belongs_to_the_only_one() -> None:
    wrong = "Deployment chat serves requests from training pool gpu"
    assert found(NO_INFERENCE, pool(None, "gpu", "training"), service(None, "gpu")) == [f"None/chat: {wrong}"]
    assert found(NO_INFERENCE, pool("east", "gpu", "training"), service(None, "gpu")) == [f"None/chat: {wrong}"]
    two = [pool("east", "gpu", "training"), pool("west", "gpu", "inference")]
    assert found(NO_INFERENCE, *two, service(None, "gpu")) == []


def switch(cluster: str, mtu: int, where: str = "spec") -> Resource:
    """One of two switches that are called alike in each cluster."""
    lossless = {"priority": 3, "dscp": 26, "cnp_dscp": 48}
    config = {"interface Ethernet1/1": f"no switchport\nmtu {mtu}\nno shutdown"}
    links = {"Ethernet1/1": {"device": "gpu-01", "port": "rail0", "role": "host"}}
    spec: dict[str, Any] = {"hostname": "leaf-01", "config": config, "links": links, "lossless": lossless}
    stamp = {"cluster": cluster}
    props = {"spec": spec | stamp} if where == "spec" else {"spec": spec} | stamp
    return Resource("podwright:nxos:Switch", f"{cluster}-leaf-01", f"{cluster}/leaf-01", props)


def nics(cluster: str, mtu: int) -> Resource:
    token = "kubernetes:sriovnetwork.openshift.io/v1:SriovNetworkNodePolicy"
    props = {"metadata": {"labels": {CLUSTER: cluster}}, "spec": {"mtu": mtu}}
    return Resource(token, f"{cluster}-rail0", f"{cluster}/rail0", props)


@pytest.mark.parametrize("where", ["spec", "beside"])
def test_switches_and_nics_of_two_clusters(where: str) -> None:
    small, large = switch("east", 4200, where), switch("west", 9216, where)
    assert found("fabric-mtu-agrees-on-path", small, large, nics("east", 4000), nics("west", 9000)) == []
    assert found("fabric-mtu-agrees-on-path", small, large, nics("east", 9000), nics("west", 9000)) == [
        "east/rail0: east-rail0 gives server NICs mtu 9000; a switch on the path has 4200"
    ]
    # One switch of each name per cluster: neither has anybody to agree with.
    assert found("fabric-one-class-everywhere", small, large) is None


def _struct(props: dict[str, Any]) -> Struct:
    made = Struct()
    made.update(props)
    return made


def group(space: str, labels: Any) -> Resource:
    props = {"metadata": {"name": "group", "namespace": space, "labels": labels}}
    urn = f"{space}/group"
    return Resource("kubernetes:operators.coreos.com/v1:OperatorGroup", "group", urn, decode(_struct(props), urn))


def subscription(cluster: str, space: str) -> Resource:
    props = {"metadata": {"name": "nfd", "namespace": space, "labels": {CLUSTER: cluster}}}
    return Resource("kubernetes:operators.coreos.com/v1alpha1:Subscription", "nfd", f"{cluster}/{space}", props)


def test_what_may_be_of_either_cluster_accuses_nobody_in_both() -> None:
    rule = BY_ID["operators-group-beside-subscription"]
    assert isinstance(rule, StackRule)
    both = [subscription("east", "nfd"), subscription("west", "gpu")]
    missing = [
        f"{each.urn}: subscription nfd is in namespace {each.urn[5:]}, which has no OperatorGroup" for each in both
    ]
    assert found(rule.id, *both) == missing
    unknown = group("nfd", UNKNOWN_STRING_VALUE)
    seen = rule.look([*both, unknown])
    assert [each.urn for each in seen.findings] == ["west/gpu"]
    assert {urn: str(error) for urn, error in seen.unseen.items()} == {
        "nfd/group": "string value at .metadata.labels can't be known during preview"
    }
    assert found(rule.id, *both, group("nfd", {CLUSTER: "east"})) == missing[1:]
    # In a stack of one cluster there is no other that it could be of.
    assert found(rule.id, both[0], unknown) == []


def test_objects_that_a_rule_is_not_about_make_no_second_cluster() -> None:
    rule = "operators-group-beside-subscription"
    assert found(rule, subscription("east", "nfd"), group("nfd", {})) == []
    assert found(rule, subscription("east", "nfd"), group("nfd", {}), service("west", "gpu")) == []


def test_where_a_rule_speaks_about_neither_cluster_what_it_could_not_look_at_is_named() -> None:
    rule = BY_ID["operators-group-beside-subscription"]
    assert isinstance(rule, StackRule)
    known = [group("nfd", {CLUSTER: "east"}), group("gpu", {CLUSTER: "west"})]
    with pytest.raises(NotApplicable):
        rule.look(known)
    seen = rule.look([*known, group("later", UNKNOWN_STRING_VALUE)])
    assert not seen.findings and [*seen.unseen] == ["later/group"]

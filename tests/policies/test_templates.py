"""Pods in objects of kinds that nobody listed, as the engine sends these."""

from typing import Any

import pytest
from google.protobuf.struct_pb2 import Struct
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from podwright.policies.rules.pack.properties import decode
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.templates import templates

POD = {"containers": [{"name": "main"}], "nodeSelector": {"podwright.io/pool": "training"}}


@pytest.mark.parametrize("spec", [
    {"a": UNKNOWN, "pod": POD},
    {"pods": [UNKNOWN, POD]},
    {"pods": [{"first": UNKNOWN}, {"deep": [[UNKNOWN], {"pod": POD}]}]},
])  # fmt: skip
def test_a_part_that_nobody_knows_yet_hides_no_pod_beside_it(spec: dict[str, Any]) -> None:
    sent = Struct()
    sent.update({"spec": spec})
    found = templates(Resource("kubernetes:example.com/v1:Robot", "robot", "urn", decode(sent)))
    assert [dict(each.spec) for each in found] == [POD]

"""What rules read of an object: its pods as one, and maps with unknown values in them."""

from typing import Any

import pytest
from google.protobuf.struct_pb2 import Struct
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from podwright.policies.rules.kubernetes import pod_spec, pod_specs
from podwright.policies.rules.pack.properties import decode
from podwright.policies.rules.resource import Resource, UnknownValueError
from podwright.policies.rules.rule import apart, known, strings


def sent(props: dict[str, Any]) -> Any:
    """Properties as the engine sends them."""
    made = Struct()
    made.update(props)
    return decode(made)


def test_the_pod_of_a_set_has_the_containers_of_all_and_nothing_of_any_one() -> None:
    pods: list[dict[str, Any]] = [
        {"nodeSelector": {"a": "b"}, "containers": [{"name": "first"}]},
        {"subdomain": "other", "containers": [{"name": "second"}], "initContainers": [{"name": "before"}]},
    ]
    jobs = [{"template": {"spec": {"template": {"spec": each}}}} for each in pods]
    one = Resource("kubernetes:jobset.x-k8s.io/v1alpha2:JobSet", "set", "urn", {"spec": {"replicatedJobs": jobs}})
    boxes = {"containers": [*pods[0]["containers"], *pods[1]["containers"]], "initContainers": [{"name": "before"}]}
    assert dict(pod_spec(one)) == boxes
    assert len(pod_spec(one)) == 2
    assert [*pod_specs(one)] == pods


def test_a_map_with_unknown_values_is_read_value_by_value_and_has_no_null_in_it() -> None:
    read = strings(sent({"a": "1", "b": None, "later": UNKNOWN}))
    assert read.get("a") == "1"
    assert read.get("b") is None and "b" not in read
    found, unknown = known(read)
    assert found == ["a"] and "later" in str(unknown)
    with pytest.raises(UnknownValueError):
        len(read)


def test_of_several_unknown_values_the_first_is_raised_after_all_that_is_found() -> None:
    parts = sent({"a": UNKNOWN, "b": "1", "c": UNKNOWN})
    found = list[str]()
    with pytest.raises(UnknownValueError, match=r"\.a can't"):
        found.extend(apart((parts[one] for one in key) for key in ("a", "b", "c")))
    assert found == ["1"]

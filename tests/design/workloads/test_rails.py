"""Jobs on a part of each server: what their pods ask for, and that kubelet gives both jobs of one server their part."""

import copy
from collections.abc import Mapping
from typing import Any

from podwright.components import model
from podwright.lab.openshift.topology import mask
from tests.design import whole
from tests.model.changes import LAB
from tests.model.rail_cases import LAWFUL

GPU = "nvidia.com/gpu"
SERVER = [
    {"cpu": 124, GPU: 4, **{f"openshift.io/rail{rail}": 1 for rail in range(first, first + 4)}} for first in (0, 4)
]
"""A C885A by NUMA node (the first of the catalogue with rails)."""


def _jobs() -> dict[str, dict[str, Any]]:
    stack = copy.deepcopy(LAB)
    LAWFUL[2](stack)
    planned = whole.workloads(model.load(stack))
    return {each["metadata"]["name"]: each["spec"]["template"] for each in planned if each["kind"] == "Job"}


def _asked(template: Mapping[str, Any]) -> dict[str, int]:
    (container,) = template["spec"]["containers"]
    limits = container["resources"]["limits"]
    return {key: int(amount) for key, amount in limits.items() if key == "cpu" or "/" in key}


def test_a_job_asks_for_its_rails_and_is_attached_to_no_other() -> None:
    template = _jobs()["second"]
    assert {key for key in _asked(template) if "rail" in key} == {f"openshift.io/rail{rail}" for rail in (4, 5, 6, 7)}
    networks = template["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"].split(",")
    assert [each.partition("@")[2] for each in networks] == ["rail4", "rail5", "rail6", "rail7"]


def test_kubelet_gives_each_of_two_jobs_its_half_of_one_server() -> None:
    first, second = _asked(_jobs()["pretrain"]), _asked(_jobs()["second"])
    for policy in ("restricted", "single-numa-node"):
        assert mask(policy, first, SERVER, SERVER) == (0,)
        left = [{key: have - first.get(key, 0) for key, have in SERVER[0].items()}, SERVER[1]]
        assert mask(policy, second, SERVER, left) == (1,)
        assert mask(policy, first, SERVER, left) is None

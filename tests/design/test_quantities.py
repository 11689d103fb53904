"""Amounts in objects are as whoever decodes them writes them back, and what is made of a digest keeps it."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components.design.quantities import canonical, count, gib
from podwright.components.design.workloads import former
from podwright.components.model import Cluster
from tests.design import whole
from tests.model.changes import LAB, Said, both, put
from tests.model.data_science_cases import DESKS
from tests.model.kserve_cases import HERE
from tests.model.queue_cases import QUEUED, TRAIN
from tests.model.scaling_cases import CHAT
from tests.model.train_job_cases import ON
from tests.platforms.planned import Object, objects, of_kind

STEPS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18,
         "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}  # fmt: skip
BUILT_IN = {"v1", "apps", "autoscaling", "batch", "policy", "admissionregistration.k8s.io", "apiextensions.k8s.io",
            "flowcontrol.apiserver.k8s.io", "networking.k8s.io", "rbac.authorization.k8s.io", "scheduling.k8s.io",
            "storage.k8s.io"}  # fmt: skip
"""Groups whose kinds the Kubernetes plugin knows."""
AS_WRITTEN = {
    # Its webhook only refuses: kubeflow/trainer v2.3.0, pkg/webhooks/trainingruntime_webhook.go.
    "TrainingRuntime",
    # Numbers or texts, not amounts: red-hat-data-services/rhods-operator, api/infrastructure/v1.
    "HardwareProfile",
}
ALL_ARE = {"requests", "limits"}
ONE_IS = {"nominalQuota", "borrowingLimit", "lendingLimit", "sizeLimit", "weight"}
KINDS = {"job": "Job", "jobset": "JobSet", "trainjob": "TrainJob"}


def stack(*changes: Any) -> Cluster:
    written: Said = copy.deepcopy(LAB)
    both(*changes)(written)
    return Cluster.model_validate(written)


@cache
def large(kind: str, number: int) -> Cluster:
    """Whatever takes an amount has this one: a job of this kind, the queues, a service of KServe."""
    job = {"kind": kind, "memory_gib": 2 * number, "shm_gib": min(number, 1024), "home_gib": 1024, "nodes": 2}
    queues = {"pool": "training", "borrow": True, "fair_sharing": True, "teams": {"research": {"weight": 1000}}}
    servers = [put(f"servers/{name}/memory_gib", 4 * number) for name in LAB["servers"]]
    chat = {"memory_gib": number, "home_gib": 1024, "replicas": 1}
    serving = [DESKS, HERE, *(put(f"{CHAT}/{key}", value) for key, value in chat.items())]
    training = [QUEUED, put("openshift/queues", queues), *(put(f"{TRAIN}/{key}", value) for key, value in job.items())]
    return stack(*servers, *training, *([ON] if kind == "trainjob" else serving))


@cache
def registered(kind: str, number: int) -> list[Object]:
    return objects(large(kind, number))


def amounts(found: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """Whatever has a binary suffix, and what stands where amounts do."""
    if isinstance(found, Mapping):
        for key, each in found.items():
            inside = at.rpartition(".")[2] in ALL_ARE or key in ONE_IS
            if inside and isinstance(each, str):
                yield f"{at}.{key}", each
            else:
                yield from amounts(each, f"{at}.{key}")
    elif isinstance(found, list):
        for number, each in enumerate(found):
            yield from amounts(each, f"{at}[{number}]")
    elif isinstance(found, str) and re.fullmatch(r"\d+[KMGTPE]i", found):
        yield at, found


def custom(found: list[Object]) -> list[Object]:
    """Objects of kinds that the plugin does not know."""
    return [each for each in found if each["apiVersion"].partition("/")[0] not in BUILT_IN]


@pytest.mark.parametrize(
    ("amount", "written"),
    [
        ("1024Gi", "1Ti"), ("1536Gi", "1536Gi"), ("2048Gi", "2Ti"), ("0Gi", "0"), ("0Pi", "0"), ("0", "0"),
        ("1024Pi", "1Ei"), ("1024Ti", "1Pi"), ("1048576Gi", "1Pi"), ("1024Ei", "1024Ei"), ("1Gi", "1Gi"),
        ("1000", "1k"), ("1024", "1024"), ("1000000", "1M"), ("1000k", "1M"), ("1500", "1500"), ("007", "7"),
        ("500m", "500m"), ("1.5Gi", "1.5Gi"), ("4GiB", "4GiB"), ("", ""), ("all", "all"),
    ],
)  # fmt: skip
def test_an_amount_by_kubernetes_rule(amount: str, written: str) -> None:
    assert canonical(amount) == written


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 4096), st.integers(0, 3), st.sampled_from(sorted(STEPS)))
def test_it_is_the_same_amount_with_the_largest_suffix_that_divides_it(small: int, power: int, suffix: str) -> None:
    """By the definition: https://pkg.go.dev/k8s.io/apimachinery/pkg/api/resource#Quantity."""
    binary = suffix.endswith("i")
    number = small * (1024 if binary else 1000) ** power
    found = re.fullmatch(r"(\d+)(\D*)", canonical(f"{number}{suffix}"))
    assert found and int(found[1]) * STEPS[found[2]] == number * STEPS[suffix]
    own = [each for each in STEPS if each.endswith("i") == binary or not each]
    larger = [each for each in own if STEPS[each] > STEPS[found[2]]]
    assert number == 0 or not [each for each in larger if number * STEPS[suffix] % STEPS[each] == 0]
    assert number or found[0] == "0"


def test_gib_and_counts() -> None:
    assert [gib(each) for each in (0, 64, 1024, 1100, 3072)] == ["0", "64Gi", "1Ti", "1100Gi", "3Ti"]
    assert [count(each) for each in (0, 8, 1000, 1024, 2_000_000)] == ["0", "8", "1k", "1024", "2M"]


@pytest.mark.parametrize("number", [1024, 2048])
@pytest.mark.parametrize("kind", KINDS)
def test_kinds_that_the_plugin_does_not_know_have_each_amount_as_it_is_written_back(kind: str, number: int) -> None:
    """Another way of writing it would be a difference at every preview, and a JobSet be made again by every `up`."""
    found = custom(registered(kind, number))
    wanted = {"job": {"InferenceService"}, "jobset": {"InferenceService", "JobSet"}, "trainjob": {"TrainingRuntime"}}
    assert {"ClusterQueue", *wanted[kind]} <= {each["kind"] for each in found if list(amounts(each))}
    wrong = [
        (each["kind"], *row)
        for each in found
        if each["kind"] not in AS_WRITTEN
        for row in amounts(each)
        if canonical(row[1]) != row[1]
    ]
    assert wrong == []


def test_a_set_of_large_members_amount_by_amount() -> None:
    (found,) = of_kind(registered("jobset", 1024), "JobSet")
    pod = found["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    (box,) = pod["containers"]
    asked, limits = box["resources"]["requests"], box["resources"]["limits"]
    assert (asked["memory"], limits["memory"], asked["ephemeral-storage"]) == ("2Ti", "2Ti", "1Ti")
    sizes = {each["name"]: each["emptyDir"]["sizeLimit"] for each in pod["volumes"] if "emptyDir" in each}
    assert sizes == {"shm": "1Ti", "home": "1Ti"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_job_that_runs_is_not_ended_because_its_amounts_are_written_otherwise(kind: str) -> None:
    """What it is known by is of the amounts as earlier releases wrote them."""
    planned = {each["kind"]: each for each in whole.workloads(large(kind, 1024))}
    job = planned[KINDS[kind]]
    assert "2048Gi" in json.dumps(planned["TrainingRuntime"] if kind == "trainjob" else job)
    (found,) = of_kind(registered(kind, 1024), KINDS[kind])
    assert found["metadata"]["annotations"]["podwright.io/made-of"] == former(job, "lab")["digest"]
    assert ("2048Gi" in json.dumps(found)) == (kind == "job"), "of a built-in kind the plugin knows that it is 2Ti"

"""The Job that fills a volume with a model, as its page has it: no rule stops it, and Pod Security takes it."""

import re
from typing import Any

import pytest
import yaml

from podwright.components import model
from podwright.policies.rules.resource import Resource
from tests.policies.found import found, planned
from tests.training_pools import placed
from tools.generated import ROOT

_PAGE = (ROOT / "docs/how-to/mount-volumes.md").read_text("utf-8")


@pytest.fixture(scope="module")
def job() -> dict[str, Any]:
    (text,) = (each for each in re.findall(r"```yaml\n(.*?)```", _PAGE, re.DOTALL) if "kind: Job" in each)
    return dict(yaml.safe_load(text))


def test_no_rule_of_the_pack_finds_anything_more_with_it(job: dict[str, Any]) -> None:
    plan = planned(model.load(ROOT / "tests/examples/platform/Pulumi.platform.yaml"))
    more = Resource("kubernetes:batch/v1:Job", "fill", "fill", job)
    assert found([*plan, more]) == found(plan)


def test_pod_security_restricted_takes_it_and_it_runs_on_no_training_node(job: dict[str, Any]) -> None:
    pod = job["spec"]["template"]["spec"]
    assert (
        pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault"
    )
    for box in pod["containers"]:
        assert box["securityContext"] == {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    assert placed.nodes(pod) and not placed.nodes(pod) & placed.TRAINING


def test_its_claim_and_image_are_those_of_the_example(job: dict[str, Any]) -> None:
    stack = model.load(ROOT / "tests/examples/platform/Pulumi.platform.yaml")
    service, pod = stack.workloads.inference["chat"], job["spec"]["template"]["spec"]
    (volume,) = pod["volumes"]
    assert volume["persistentVolumeClaim"]["claimName"] in service.volumes
    assert pod["containers"][0]["image"] == service.image
    (mount,) = pod["containers"][0]["volumeMounts"]
    assert f'"{mount["mountPath"]}/chat-8b"' in pod["containers"][0]["command"][-1]
    assert service.model == f"{mount['mountPath']}/chat-8b"

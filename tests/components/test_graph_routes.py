"""Routes in the graph: a service's way to users is made once its replicas serve, and a program gets the name."""

from typing import Any

from podwright.components.model import load
from tests.components.recording import Registered, register
from tests.components.test_graph import all_before, of
from tools.generated import ROOT

ROUTE = "kubernetes:route.openshift.io/v1:Route"
SERVICE = "podwright:index:InferenceService"


def _registered(**update: Any) -> dict[str, Registered]:
    stack = load(ROOT / "tests/examples/platform/Pulumi.platform.yaml")
    chat = stack.workloads.inference["chat"].model_copy(update=update)
    workloads = stack.workloads.model_copy(update={"inference": {"chat": chat}})
    return register(stack.model_copy(update={"workloads": workloads}))


def test_a_route_is_made_once_replicas_serve_and_its_name_is_an_output() -> None:
    seen = _registered(canary=None)
    (made,) = of(seen, ROUTE)
    (policy,) = (each for each in of(seen, "kubernetes:networking.k8s.io/v1:NetworkPolicy") if "-route" in each.name)
    (deployment,) = (each for each in of(seen, "kubernetes:apps/v1:Deployment") if each.layer == SERVICE)
    for each in (made, policy):
        assert all_before(seen, each, [deployment]) and each.layer == SERVICE
        assert each.inputs["metadata"]["labels"]["podwright.io/purpose"] == "inference"
    (service,) = of(seen, SERVICE)
    assert service.outputs["route_url"] == f"https://{made.inputs['spec']['host']}"


def test_without_one_nothing_is_made_and_the_output_is_empty() -> None:
    seen = _registered(route=None, canary=None)
    (service,) = of(seen, SERVICE)
    assert of(seen, ROUTE) == [] and service.outputs["route_url"] == ""


def test_requests_are_given_to_a_second_version_once_both_serve() -> None:
    seen = _registered()
    (made,) = of(seen, ROUTE)
    deployments = [each for each in of(seen, "kubernetes:apps/v1:Deployment") if each.layer == SERVICE]
    assert {each.inputs["metadata"]["name"] for each in deployments} == {"chat", "chat-canary"}
    beside = [each for kind in ("core/v1:Service", "networking.k8s.io/v1:NetworkPolicy")
              for each in of(seen, f"kubernetes:{kind}")
              if each.inputs["metadata"]["name"] in ("chat-canary", "chat-canary-route")]  # fmt: skip
    assert len(beside) == 2
    assert all_before(seen, made, [*deployments, *beside])
    assert {each.inputs["metadata"]["labels"]["podwright.io/purpose"] for each in deployments} == {"inference"}


def test_a_second_version_is_watched_behind_its_route_with_a_right_of_its_own() -> None:
    seen = _registered()
    (watch,) = of(seen, "podwright:openshift:CanaryWatch")
    (route,) = of(seen, ROUTE)
    kinds = ("core/v1:ServiceAccount", "rbac.authorization.k8s.io/v1:ClusterRoleBinding")
    every = [each for kind in kinds for each in of(seen, f"kubernetes:{kind}")]
    rights = [each for each in every if each.inputs["metadata"]["name"] == "podwright-canary-chat"]
    assert len(rights) == 2 and all_before(seen, watch, [route, *rights])
    (service,) = of(seen, SERVICE)
    assert service.name in watch.name and watch.inputs["spec"]["percent"] == 0


def test_without_a_watch_nothing_more_is_made() -> None:
    chat = load(ROOT / "tests/examples/platform/Pulumi.platform.yaml").workloads.inference["chat"]
    assert chat.canary is not None
    seen = _registered(canary=chat.canary.model_copy(update={"watch": None}))
    assert of(seen, "podwright:openshift:CanaryWatch") == []
    assert not any("podwright-canary-chat" in str(each.inputs) for each in seen.values())

"""What members of a team may not have of others, at the real API server with the objects of a plan."""

from __future__ import annotations

import copy
import json
from typing import Any, Final

import pytest

from podwright.components.design.platform import gateway, offered, team
from podwright.components.design.workloads import picked
from podwright.components.model import load
from podwright.components.model.gateway_hosts import gateway_hosts
from podwright.lab.openshift.api import Api, ApiError, path_of
from tests.design.with_gateway import with_gateway
from tests.lab.openshift.rack import Rack
from tests.waiting import until
from tools.goldens import stack_file

pytestmark = pytest.mark.rough
SHAPE: Final[dict[str, Any]] = {"masters": 1, "workers": ()}
Manifest = dict[str, Any]
ADMISSION: Final = "admissionregistration.k8s.io/v1"
STACK: Final = with_gateway()
"""Its service `chat` of team chat is behind the gateway; team research has none there."""
HOST: Final = STACK.workloads.inference["chat"].gateway.host  # type: ignore[union-attr]
SHARING: Final = load(stack_file("sharing"))
SPACES: Final = ("chat", "research", "search")


@pytest.fixture(scope="module")
def api(cluster: Rack) -> Api:
    """An API server with its controllers, and namespaces of teams."""
    found = cluster.side.cluster.api
    assert found is not None
    for name in SPACES:
        found.ensure(path_of("v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        until(lambda: found.get(path_of("v1", "serviceaccounts", name, "default")), 60, f"account of {name}", pause=0.1)  # noqa: B023
    return found


@pytest.fixture(scope="module")
def kept(api: Api) -> Api:
    """The same with the planned policy in force; before it, the API server takes what it is about."""
    stolen = _route(hostnames=[HOST])
    assert _answer(api, "research", stolen) == ""
    assert STACK.openshift is not None
    for each in gateway.plan(STACK.openshift, gateway_hosts(STACK.workloads)):
        if each["kind"].startswith("ValidatingAdmissionPolicy"):
            plural = {"ValidatingAdmissionPolicy": "validatingadmissionpolicies"}.get(each["kind"])
            api.ensure(path_of(ADMISSION, plural or "validatingadmissionpolicybindings"), each)
    until(lambda: _answer(api, "research", stolen) != "", 60, "the policy is in force", pause=0.2)
    return api


def _route(parent: Manifest | None = None, version: str = "v1", **spec: Any) -> Manifest:
    """A route to pods of the team's own, more exact than those of the stack."""
    rule = {
        "matches": [{"path": {"type": "Exact", "value": "/v1/chat/completions"}}],
        "backendRefs": [{"name": "mine", "port": 8000}],
    }
    at = {"name": "inference", "namespace": "openshift-ingress", "sectionName": "https"} if parent is None else parent
    return {
        "apiVersion": f"gateway.networking.k8s.io/{version}",
        "kind": "HTTPRoute",
        "metadata": {"name": "mine"},
        "spec": {"parentRefs": [at], "rules": [rule], **spec},
    }


def _answer(api: Api, space: str, body: Manifest) -> str:
    """What the server says to an object; empty where it takes it."""
    path = path_of(body["apiVersion"], {"HTTPRoute": "httproutes", "Pod": "pods"}[body["kind"]], space)
    try:
        api.request("POST", f"{path}?dryRun=All", json.dumps(body).encode())
    except ApiError as problem:
        return str(problem)
    return ""


@pytest.mark.parametrize(
    ("named", "wrong"),
    [
        ({"hostnames": [HOST]}, HOST),
        ({"hostnames": ["other.example.com", HOST]}, f"other.example.com, {HOST}"),
        ({"hostnames": ["*.apps.lab.example.com"]}, "*.apps.lab.example.com"),
        ({"hostnames": []}, "no host, which is every one"),
        ({}, "no host, which is every one"),
    ],
)
@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_a_team_gets_no_name_of_the_gateway_by_a_route_of_its_own(
    kept: Api, named: Manifest, wrong: str, version: str
) -> None:
    text = _answer(kept, "research", _route(version=version, **named))
    assert f"this route of gateway openshift-ingress/inference names {wrong}: " in text
    assert "services of namespace research have no name there" in text
    assert "workloads.inference.<name>.gateway.host" in text


@pytest.mark.parametrize(
    "parent",
    [
        {"name": "inference", "namespace": "openshift-ingress"},
        {
            "name": "inference",
            "namespace": "openshift-ingress",
            "group": "gateway.networking.k8s.io",
            "kind": "Gateway",
        },
        {"name": "inference", "namespace": "openshift-ingress", "port": 443},
    ],
)
def test_however_the_gateway_is_named(kept: Api, parent: Manifest) -> None:
    assert "names no host" in _answer(kept, "research", _route(parent))
    other = {"name": "own", "namespace": "research"}
    both = _route()
    both["spec"]["parentRefs"] = [other, parent]
    assert "names no host" in _answer(kept, "research", both)


@pytest.mark.parametrize(
    "parent",
    [
        {"name": "inference"},
        {"name": "own", "namespace": "openshift-ingress"},
        {"name": "inference", "namespace": "openshift-ingress", "group": "", "kind": "Service"},
    ],
)
def test_routes_of_other_parents_are_nobodys_matter(kept: Api, parent: Manifest) -> None:
    assert _answer(kept, "research", _route(parent, hostnames=[HOST])) == ""


def test_the_routes_of_the_stack_are_taken_and_a_team_may_add_to_a_name_of_its_own(kept: Api) -> None:
    assert STACK.openshift is not None
    made = picked("chat", STACK.workloads.inference["chat"], STACK.openshift.inference_gateway)
    (route,) = (each for each in made if each["kind"] == "HTTPRoute")
    assert route["spec"]["hostnames"] == [HOST] and _answer(kept, route["metadata"]["namespace"], route) == ""
    assert _answer(kept, "chat", _route(hostnames=[HOST])) == ""
    assert f"have {HOST}. Write" in _answer(kept, "chat", _route(hostnames=["x.example.com"]))


def test_a_route_that_stands_is_not_changed_to_another_name(kept: Api) -> None:
    route = {**_route(hostnames=[HOST]), "metadata": {"name": "own"}}
    kept.ensure(path_of(route["apiVersion"], "httproutes", "chat"), route)
    path = path_of(route["apiVersion"], "httproutes", "chat", "own")
    kept.merge(path, {"metadata": {"labels": {"a": "b"}}})
    with pytest.raises(ApiError, match=r"names x\.example\.com"):
        kept.merge(path, {"spec": {"hostnames": ["x.example.com"]}})
    with pytest.raises(ApiError, match="names no host"):
        kept.merge(path, {"spec": {"hostnames": None}})
    kept.delete(path)


def test_a_pod_that_takes_what_its_team_does_not_list_is_refused(api: Api) -> None:
    """A team of the example that lists neither slices nor shares."""
    devices = offered.devices(SHARING.pools, SHARING.servers)
    section = SHARING.teams["search"].model_copy(update={"slices": {}, "shares": {}})
    plan = team("search", section, trains=False, serves=True, devices=devices)
    (quota,) = (each for each in plan.inside if each["kind"] == "ResourceQuota")
    assert _answer(api, "search", _pod("nvidia.com/mig-1g.18gb")) == ""
    api.ensure(path_of("v1", "resourcequotas", "search"), copy.deepcopy(quota))
    at = path_of("v1", "resourcequotas", "search", "gpus")
    until(lambda: ((api.get(at) or {}).get("status") or {}).get("used"), 60, "the quota is counted", pause=0.2)
    for device in ("nvidia.com/mig-1g.18gb", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.18gb.shared"):
        assert device in devices
        assert f"exceeded quota: gpus, requested: requests.{device}=1" in _answer(api, "search", _pod(device))
    assert _answer(api, "search", _pod("cpu")) == ""


def _pod(device: str) -> Manifest:
    box = {"name": "x", "image": "registry.example.com/x", "resources": {"limits": {device: "1"}}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {"containers": [box]}}

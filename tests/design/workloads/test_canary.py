"""A second version: the first one's objects once more under other names, and weights that keep its share."""

import copy
import itertools
from typing import Any

import pytest

from podwright.components import model
from podwright.components.design.workloads import canary, reader, route, service
from podwright.components.model import Inference
from podwright.components.model.canary import share
from podwright.components.model.workloads import second
from podwright.lab.openshift.ingress.endpoints import endpoints
from tests.design import whole
from tests.design.watches import watches
from tests.model.canary_cases import IMAGE
from tests.model.changes import LAB, put

CHAT = "workloads/inference/chat"


def _cluster(percent: int | None, **more: Any) -> model.Cluster:
    stack: dict[str, Any] = copy.deepcopy(LAB)
    put(f"{CHAT}/route", {"balance": "roundrobin"})(stack)
    put(f"{CHAT}/metrics", True)(stack)
    for key, value in more.pop("first", {}).items():
        put(f"{CHAT}/{key}", value)(stack)
    if percent is not None:
        put(f"{CHAT}/canary", {"image": IMAGE, "replicas": 2, "percent": percent, **more})(stack)
    return model.load(stack)


def _chat(percent: int | None, **more: Any) -> Inference:
    return _cluster(percent, **more).workloads.inference["chat"]


def _named(manifests: Any) -> dict[tuple[str, str], Any]:
    return {(each["kind"], each["metadata"]["name"]): each for each in manifests}


def test_without_one_nothing_is_other_than_it_was() -> None:
    plain = _chat(None)
    assert canary("chat", plain, {}) == ()
    assert "alternateBackends" not in route("chat", plain)[1]["spec"]
    assert route("chat", plain)[1]["spec"]["to"] == {"kind": "Service", "name": "chat", "weight": 100}


def test_it_is_the_first_version_again_but_for_names_replicas_and_what_is_new() -> None:
    found = _named(whole.workloads(_cluster(10)))
    kinds = ("Deployment", "Service", "PodDisruptionBudget", "ServiceMonitor")
    for kind in kinds:
        first, other = copy.deepcopy(found[kind, "chat"]), found[kind, "chat-canary"]
        text = repr(first).replace("'name': 'chat'", "'name': 'chat-canary'")
        text = text.replace("'app.kubernetes.io/name': 'chat'", "'app.kubernetes.io/name': 'chat-canary'")
        if kind == "Deployment":
            text = text.replace(repr(first["spec"]["template"]["spec"]["containers"][0]["image"]), repr(IMAGE))
            text = text.replace("'replicas': 4", "'replicas': 2")
            # The model of a hub is called by its name there, and it stays so whatever the second version loads.
            text = text.replace("'chat-8b', '--port'", "'chat-8b', '--served-model-name', 'chat-8b', '--port'")
        assert repr(other) == text, kind
    for what in ("route", "metrics"):
        policy = found["NetworkPolicy", f"chat-canary-{what}"]
        assert policy["spec"]["podSelector"]["matchLabels"]["app.kubernetes.io/name"] == "chat-canary"
        assert policy["spec"]["ingress"] == found["NetworkPolicy", f"chat-{what}"]["spec"]["ingress"]


def test_no_selector_of_one_version_takes_pods_of_the_other() -> None:
    found = _named(whole.workloads(_cluster(10)))
    pods = {
        name: found["Deployment", name]["spec"]["template"]["metadata"]["labels"] for name in ("chat", "chat-canary")
    }
    for (kind, name), each in found.items():
        spec = each["spec"]
        selector = spec.get("podSelector") or spec.get("selector") if kind != "Route" else None
        if selector and name.startswith("chat"):
            wanted = selector.get("matchLabels", selector)
            taken = [pod for pod, labels in pods.items() if wanted.items() <= labels.items()]
            assert taken == ["chat-canary" if name.startswith("chat-canary") else "chat"], (kind, name)


@pytest.mark.parametrize("percent", [0, 1, 10, 50, 99, 100])
def test_the_route_has_both_services_and_their_weights(percent: int) -> None:
    spec = route("chat", _chat(percent))[1]["spec"]
    assert spec["to"] == {"kind": "Service", "name": "chat", "weight": 100 - percent}
    assert spec["alternateBackends"] == [{"kind": "Service", "name": "chat-canary", "weight": percent}]


@pytest.mark.parametrize(
    ("first", "new", "name"),
    [
        ({}, {}, "chat-8b"),
        ({"served_name": "talk"}, {"model": "chat-9b"}, "talk"),
        ({"engine": "nim", "served_name": "talk"}, {"model": "meta/chat-9b"}, "talk"),
    ],
)
def test_clients_call_both_versions_the_same(first: dict[str, Any], new: dict[str, Any], name: str) -> None:
    other = second("chat", _chat(10, first=first, **new))
    assert other is not None and other[1].served_name == name


def test_a_model_in_a_volume_is_called_as_the_service_is_not_as_its_second_version() -> None:
    mounted = {"model": "/models/a", "volumes": {"models": {"path": "/models", "read_only": True}}}
    inference = Inference.model_validate(
        {
            **{"team": "chat", "pool": "inference", "replicas": 2, "image": "r.example.com/a", **mounted},
            **{"route": {"host": "a.example.com"}, "canary": {"model": "/models/b", "replicas": 1, "percent": 0}},
        }
    )
    made, *_ = canary("chat", inference, {"inf-01": _cluster(None).servers["inf-01"]})
    (box,) = made["spec"]["template"]["spec"]["containers"]
    assert box["args"][:4] == ["--model", "/models/b", "--served-model-name", "chat"]


def _routed(percent: int, first: int, new: int) -> float:
    """What of a hundred requests the lab's router gives the second version, by its endpoints' weights."""
    _, spec = route("chat", _SPLIT[percent])
    slices = [
        {
            "metadata": {"namespace": "chat", "labels": {"kubernetes.io/service-name": name}},
            "ports": [{"name": "http", "port": 8000}],
            "endpoints": [
                {"addresses": [f"{name}-{each}"], "targetRef": {"name": f"{name}-{each}"}} for each in range(n)
            ],
        }
        for name, n in (("chat", first), ("chat-canary", new))
    ]
    found = endpoints(spec, slices)
    got = sum(each.weight for each in found if each.pod.startswith("chat-canary"))
    return 100 * got / sum(each.weight for each in found)


_SPLIT = {each: _chat(each) for each in range(101)}


COUNTS = (1, 2, 3, 4, 5, 7, 8, 12, 20, 32, 40, 100, 512)


def test_a_share_is_off_by_the_part_that_an_endpoint_loses_at_most() -> None:
    """Of 256 an endpoint loses less than 1, or has 1 for less: as many points as one version has times more replicas
    than the other, divided by 2.56."""
    for percent, first, new in itertools.product(range(101), COUNTS, COUNTS):
        off = abs(share(percent, first, new) - percent)
        assert off <= max(first / new, new / first) / 2.56, (percent, first, new)
        assert off == 0 or percent not in (0, 100)


def test_as_many_replicas_as_the_first_version_has_always_keep_a_share() -> None:
    assert all(
        abs(share(percent, count, count) - percent) < 0.4 for percent in range(101) for count in (1, 2, 5, 32, 512)
    )


def test_the_share_that_is_checked_is_the_one_that_the_router_gives() -> None:
    for percent in (0, 1, 2, 5, 10, 33, 50, 67, 90, 99, 100):
        for first in (1, 2, 3, 7, 20):
            for new in (1, 2, 3, 8, 40):
                # The router reckons in 32 bits: a weight may be one less.
                assert abs(share(percent, first, new) - _routed(percent, first, new)) < 0.4, (percent, first, new)


def test_where_no_replica_of_it_is_ready_the_first_version_answers_everything() -> None:
    assert [_routed(percent, 3, 0) for percent in (0, 10, 99)] == [0, 0, 0]


def test_service_alone_is_planned_as_before() -> None:
    inference = _chat(10)
    machines = {"inf-01": _cluster(None).servers["inf-01"]}
    assert service("chat", inference, machines) == service("chat", _chat(None), machines)


def test_what_is_watched_is_another_version_once_its_pods_are_others_and_no_other_by_its_share() -> None:
    def spec(percent: int, **more: Any) -> dict[str, Any]:
        (found,) = watches(_cluster(percent, watch={"minutes": 5}, **more)).values()
        return dict(found)

    first = spec(10)
    assert {**spec(50), "percent": 10} == first
    assert {**spec(10, replicas=4), "percent": 10} == first
    assert spec(10, load_seconds=900)["version"] != first["version"]
    assert (first["second"], first["namespace"], first["watch"]["seconds"]) == ("chat-canary", "chat", 300)
    assert watches(_cluster(10)) == {} == watches(_cluster(None))


def test_the_route_is_written_again_when_a_watch_comes_or_goes() -> None:
    notes = [route("chat", each)[1]["metadata"]["annotations"] for each in (_chat(10), _chat(10, watch={}))]
    assert notes[0] == {key: value for key, value in notes[1].items() if key != "podwright.io/watched"} != notes[1]


def test_its_numbers_are_read_by_an_account_that_no_team_can_use() -> None:
    account, binding = reader("chat", _chat(10, watch={}))
    assert account["metadata"]["namespace"] == "openshift-monitoring"
    assert binding["roleRef"]["name"] == "cluster-monitoring-view"
    assert [each["name"] for each in binding["subjects"]] == [account["metadata"]["name"]]
    assert reader("chat", _chat(10)) == reader("chat", _chat(None)) == ()

"""Red Hat OpenShift AI: every object, and what of the file and of the hardware decides it."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components.design.image_set import image_set
from podwright.components.design.platform.names import APPLICATIONS, NAMESPACE_NAME
from podwright.components.model import Cluster
from podwright.lab.openshift.admin_policies import Policies
from podwright.lab.openshift.network_policies import Peer
from tests.design import whole
from tests.design.goldens import cluster
from tests.model.changes import LAB, Said, both, put
from tests.model.data_science_cases import tools

GOLDEN = Path(__file__).with_name("data_science.yaml")
NAME = "rhods-operator"


def _pod(namespace: str, **labels: str) -> Peer:
    return Peer(namespace, {NAMESPACE_NAME: namespace}, labels, "10.128.0.7")


_OPERATOR = _pod(APPLICATIONS, **{"app.kubernetes.io/name": "data-science-pipelines-operator"})


def _stack(*changes: Callable[[Said], None], **more: Any) -> Cluster:
    written: Said = copy.deepcopy(LAB)
    both(tools(**more), *changes)(written)
    return Cluster.model_validate(written)


def _planned(stack: Cluster) -> list[dict[str, Any]]:
    return [each for operator in whole.operators(stack) if operator.name == NAME for each in operator.manifests]


def _profiles(stack: Cluster) -> dict[str, dict[str, Any]]:
    return {each["metadata"]["name"]: each for each in _planned(stack) if each["kind"] == "HardwareProfile"}


def test_every_object_word_by_word() -> None:
    assert _planned(_stack()) == list(yaml.safe_load_all(GOLDEN.read_text()))


def test_without_the_key_nothing_is_planned() -> None:
    assert _planned(cluster("lab")) == []


def test_every_component_is_on_or_off_by_name_and_kueue_is_never_theirs() -> None:
    for chosen in (["mlflow"], ["pipelines", "model-registry"], ["workbenches", "mlflow", "pipelines"]):
        pools = ["inference"] if "workbenches" in chosen else []
        queued = put("openshift/queues", {"pool": "training"})
        (made,) = (each for each in _planned(_stack(queued, components=chosen, pools=pools))
                   if each["kind"] == "DataScienceCluster")  # fmt: skip
        states = {key: each["managementState"] for key, each in made["spec"]["components"].items()}
        on = {key for key, state in states.items() if state == "Managed"}
        keys = {"mlflow": "mlflowoperator", "pipelines": "aipipelines", "model-registry": "modelregistry"}
        assert on == {"dashboard", *(keys.get(each, each) for each in chosen)}
        assert states["kueue"] == "Removed", "else it makes a queue of all GPUs beside the teams'"
        assert len(states) == 14 and set(states.values()) <= {"Managed", "Removed"}


def test_no_size_without_workbenches() -> None:
    assert _profiles(_stack(components=["mlflow"], pools=[])) == {}


def test_sizes_beyond_every_quota_are_not_offered() -> None:
    whole_gpus = both(put("pools/inference/mig", None), put("openshift/teams/chat", {"gpus": 2}))
    assert list(_profiles(_stack(whole_gpus))) == ["inference-1-gpu", "inference-2-gpu"]
    more = put("openshift/teams/research/gpus", 16)
    assert list(_profiles(_stack(whole_gpus, more, teams=["chat", "research"])))[-1] == "inference-8-gpu"


def test_a_size_has_its_part_of_the_server_and_all_of_them_fit_on_it() -> None:
    def amounts(stack: Cluster) -> dict[str, tuple[int, int]]:
        found = {}
        for name, each in _profiles(stack).items():
            rows = {row["identifier"]: row["maxCount"] for row in each["spec"]["identifiers"]}
            found[name] = (rows["cpu"], int(rows["memory"].removesuffix("Gi")))
        return found

    server = cluster("lab").servers["inf-01"]
    slices = amounts(_stack())["inference-1g.18gb"]
    gpus = amounts(_stack(put("pools/inference/mig", None), put("openshift/teams/chat", {"gpus": 8})))
    one, two = gpus["inference-1-gpu"], gpus["inference-2-gpu"]
    assert two == (2 * one[0], 2 * one[1]) or two[1] - 2 * one[1] <= 1
    count = int(server.gpu_count or 2)
    assert slices[0] * 7 * count <= one[0] * count and slices[1] * 7 <= one[1]
    shared = both(put("pools/inference/mig", None), put("openshift/teams/chat", {"shares": {"gpu": 8}}),
                  put("pools/inference/sharing", {"mode": "mps", "replicas": 4}))  # fmt: skip
    assert amounts(_stack(shared))["inference-shared-gpu"][0] * 4 <= one[0]


def _inside(stack: Cluster) -> dict[str, dict[str, Any]]:
    """NetworkPolicies of team chat by name."""
    made = [each for each in whole.platform(stack).manifests if each["metadata"].get("namespace") == "chat"]
    return {each["metadata"]["name"]: each for each in made if each["kind"] == "NetworkPolicy"}


def _labels(stack: Cluster) -> dict[str, str]:
    spaces = [each for each in whole.platform(stack).manifests if each["kind"] == "Namespace"]
    (labels,) = (each["metadata"]["labels"] for each in spaces if each["metadata"]["name"] == "chat")
    return dict(labels)


def test_a_team_that_is_a_project_reaches_the_api_server() -> None:
    assert set(_inside(_stack())) - set(_inside(cluster("lab"))) == {"api-out"}
    assert "opendatahub.io/dashboard" not in _labels(cluster("lab"))
    assert _labels(_stack())["opendatahub.io/dashboard"] == "true"


@pytest.mark.parametrize("isolated", [False, True], ids=["", "teams isolated"])
def test_where_pipelines_are_their_operator_and_nobody_else_beside_it_comes_in(isolated: bool) -> None:
    keep_apart = [put("openshift/team_isolation", {})] if isolated else []
    plain = _stack(*keep_apart)
    with_them = _stack(*keep_apart, components=["workbenches", "pipelines"])
    assert set(_inside(with_them)) - set(_inside(plain)) == {"pipelines-in"}

    apart = [each for each in whole.platform(with_them).manifests if each["kind"] == "AdminNetworkPolicy"]
    assert bool(apart) == isolated
    fenced, before = Policies([*_inside(with_them).values()], apart), Policies([*_inside(plain).values()], apart)
    store = _pod("chat", app="store")
    for port in (3306, 9000, 8333, 443):
        assert fenced.connects(_OPERATOR, store, port) and not before.connects(_OPERATOR, store, port)
    assert not fenced.connects(_pod(APPLICATIONS, app="rhods-dashboard"), store, 3306)
    assert not fenced.connects(_pod("research", **(_OPERATOR.pod_labels or {})), store, 3306), "a team writes any label"
    assert not fenced.connects(store, _OPERATOR, 8080), "it is a way in alone"


def test_a_team_that_is_no_project_has_no_way_in_for_the_operator_of_pipelines() -> None:
    stack = _stack(components=["pipelines"], pools=[], teams=["research"])
    assert set(_inside(stack)) == set(_inside(cluster("lab")))


def test_an_image_set_has_the_operator() -> None:
    found = {each["name"] for catalog in image_set(_stack()).document["mirror"]["operators"]
             for each in catalog["packages"]}  # fmt: skip
    assert NAME in found

"""Every object that a stack made is compared with the cluster's, by the API server itself; nothing is written."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podwright.components.design.platform import TeamPlan, cluster_wide, guard, team
from podwright.components.model import Team
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.status.objects import ATTEMPTS, off_plan
from podwright.components.providers.status.snapshot import take
from tests.providers.openshift.conftest import BY_TOKEN, Rack, build
from tests.providers.openshift.test_install import plain

INSTALL = BY_TOKEN["Install"]
PATHS = {
    "Namespace": "/api/v1/namespaces", "ResourceQuota": "/api/v1/namespaces/research/resourcequotas",
    "ServiceAccount": "/api/v1/namespaces/research/serviceaccounts",
    "Service": "/api/v1/namespaces/research/services",
    "NetworkPolicy": "/apis/networking.k8s.io/v1/namespaces/research/networkpolicies",
    "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/research/roles",
    "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/research/rolebindings",
    "PodDisruptionBudget": "/apis/policy/v1/namespaces/research/poddisruptionbudgets",
    "PriorityClass": "/apis/scheduling.k8s.io/v1/priorityclasses",
    "SecurityContextConstraints": "/apis/security.openshift.io/v1/securitycontextconstraints",
    "ValidatingAdmissionPolicy": "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    "ValidatingAdmissionPolicyBinding": "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
    "Node": "/api/v1/nodes",
}  # fmt: skip


@pytest.fixture(scope="module")
def rack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rack]:
    built = build(Path(tmp_path_factory.mktemp("objects")) / "rack")
    try:
        yield built
    finally:
        built.close()


def _path(each: dict[str, Any]) -> str:
    return f"{PATHS[each['kind']]}/{each['metadata']['name']}"


def _planned() -> list[dict[str, Any]]:
    plan: TeamPlan = team("research", Team(gpus=16), trains=True, serves=True)
    meta = {"name": "chat", "namespace": "research"}
    chat = {"app": "chat"}
    service = {
        "apiVersion": "v1", "kind": "Service", "metadata": meta,
        "spec": {"selector": chat, "ports": [{"name": "http", "port": 80, "targetPort": 8000}]},
    }  # fmt: skip
    budget = {
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta,
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": chat}},
    }  # fmt: skip
    node = {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "name": "gpu-01", "labels": {"podwright.io/pool": "training"},
            "annotations": {"pulumi.com/patchForce": "true"},
        },
    }  # fmt: skip
    made = [*guard("mark", "podwright.io/other"), *cluster_wide(rdma=True), plan.namespace, *plan.inside]
    return [*made, service, budget, node]


SPOILED: dict[str, dict[str, Any]] = {
    "ResourceQuota gpus": {"spec": {"hard": {"requests.nvidia.com/gpu": "1000"}}},
    "NetworkPolicy default-deny": {"spec": {"policyTypes": ["Ingress"]}},
    "Service chat": {"spec": {"selector": {"app": "other"}}},
    "PodDisruptionBudget chat": {"spec": {"maxUnavailable": 3}},
    "RoleBinding podwright-rdma": {"subjects": [{"kind": "ServiceAccount", "name": "x", "namespace": "research"}]},
    "SecurityContextConstraints podwright-rdma": {"allowPrivilegedContainer": True},
    "Node gpu-01": {"metadata": {"labels": {"podwright.io/pool": "inference"}}},
}


async def test_each_object_that_is_gone_or_changed_is_named_and_what_others_add_is_not(rack: Rack) -> None:
    made = plain((await INSTALL.create({"spec": rack.spec()}, rack.context())).outputs)
    kube, planned = Kube(str(made["kubeconfig"])), _planned()
    for each in planned:
        await kube.apply(_path(each), {**copy.deepcopy(each)}, "stack")
    before = rack.openshift.writes
    assert await off_plan(kube, planned) == []
    assert rack.openshift.writes == before, "a status screen writes nothing"
    by_name = {f"{each['kind']} {each['metadata']['name']}": each for each in planned}
    # What others put beside our fields is theirs.
    await kube.merge(_path(by_name["Service chat"]), {"metadata": {"labels": {"team": "x"}}})
    await kube.merge(_path(by_name["Node gpu-01"]), {"metadata": {"labels": {"zone": "b"}}})
    assert await off_plan(kube, planned) == []
    for name, change in SPOILED.items():
        each = by_name[name]
        await kube.merge(_path(each), change)
        (found,) = await off_plan(kube, planned)
        assert f"{each['kind']} " in found and f"{each['metadata']['name']} is not as planned: " in found
        await kube.apply(_path(each), each, "stack")
        assert await off_plan(kube, planned) == [], name
    for each in planned:
        if each["kind"] in {"Namespace", "Node"}:
            continue
        await kube.remove(_path(each))
    all_of_them = await off_plan(kube, planned)
    gone = [each for each in planned if each["kind"] not in {"Namespace", "Node"}]
    assert len(all_of_them) == len(gone) and all(each.endswith(" is not there") for each in all_of_them)


async def test_a_kind_that_the_cluster_does_not_know_is_an_object_that_is_not_there(rack: Rack) -> None:
    made = plain((await INSTALL.create({"spec": rack.spec()}, rack.context())).outputs)
    strange = {"apiVersion": "nobody.example.com/v1", "kind": "Strange", "metadata": {"name": "x"}}
    found = await off_plan(Kube(str(made["kubeconfig"])), [strange])
    assert found == ["Strange x is not there: the cluster knows no Strange"]


def _pod(name: str, namespace: str) -> dict[str, Any]:
    container = {"name": "main", "image": "registry.example.com/tool:1"}
    meta = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"containers": [container]}}


async def test_pods_of_the_platform_are_not_read_and_those_of_any_other_namespace_are(rack: Rack) -> None:
    made = plain((await INSTALL.create({"spec": rack.spec()}, rack.context())).outputs)
    kube = Kube(str(made["kubeconfig"]))
    for space in ("openshift-daemons", "openshift", "kubeflow"):
        await kube.apply(
            f"{PATHS['Namespace']}/{space}",
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}},
            "x",
        )
        for _ in range(100):
            if await kube.find(f"/api/v1/namespaces/{space}/serviceaccounts/default"):
                break
            await asyncio.sleep(0.1)
        await kube.request("POST", f"/api/v1/namespaces/{space}/pods", _pod("one", space))
    seen = await take(str(made["kubeconfig"]), 30)
    assert {"openshift-daemons", "openshift", "kubeflow"} <= {each["metadata"]["name"] for each in seen.of("Namespace")}
    found = {each["metadata"]["namespace"] for each in seen.of("Pod")}
    assert {"openshift", "kubeflow"} <= found
    assert not any(space.startswith(("openshift-", "kube-", "nvidia-")) for space in found)


class Busy(Kube):
    """Somebody else writes to an object whenever it was read, so many times."""

    def __init__(self, kubeconfig: str, times: int) -> None:
        super().__init__(kubeconfig)
        self.times = times

    async def find(self, path: str) -> dict[str, Any] | None:
        found = await super().find(path)
        if self.times and found is not None and found.get("kind") == "Namespace":
            self.times -= 1
            await self.merge(path, {"metadata": {"annotations": {"others": str(self.times)}}})
        return found


async def test_what_others_write_between_reading_and_dry_run_is_no_difference(rack: Rack) -> None:
    made = plain((await INSTALL.create({"spec": rack.spec()}, rack.context())).outputs)
    kubeconfig = str(made["kubeconfig"])
    namespace = next(each for each in _planned() if each["kind"] == "Namespace" and "namespace" not in each["metadata"])
    await Kube(kubeconfig).apply(_path(namespace), copy.deepcopy(namespace), "stack")
    assert await off_plan(Busy(kubeconfig, ATTEMPTS - 1), [namespace]) == []
    # One that never rests is named; the next look at it shows whether that stays.
    assert await off_plan(Busy(kubeconfig, ATTEMPTS), [namespace]) != []

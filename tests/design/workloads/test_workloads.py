"""The workloads plan: pods the scheduler can place for the right reasons, and that survive drains and slow loads."""

from typing import Any

import pytest

from podwright.components.design import hardware
from podwright.components.design.platform import pools
from podwright.components.design.workloads.placement import training
from podwright.components.model import Cluster, Inference, Training
from tests.design import whole
from tests.design.goldens import STACKS, cluster


@pytest.fixture(params=STACKS)
def said(request: pytest.FixtureRequest) -> Cluster:
    return cluster(request.param)


def _of(said: Cluster, kind: str) -> dict[str, dict[str, Any]]:
    found = [each for each in whole.workloads(said) if each["kind"] == kind]
    return {each["metadata"]["name"]: each for each in found}


def _pod(manifest: dict[str, Any]) -> dict[str, Any]:
    pod: dict[str, Any] = manifest["spec"]["template"]["spec"]
    return pod


def _requests(manifest: dict[str, Any]) -> dict[str, str]:
    (container,) = _pod(manifest)["containers"]
    assert container["resources"]["requests"] == container["resources"]["limits"]
    requests: dict[str, str] = container["resources"]["requests"]
    return requests


def test_a_gang_has_one_member_per_server_with_all_rails(said: Cluster) -> None:
    jobs = _of(said, "Job")
    assert set(jobs) == set(said.workloads.training)
    for name, job in said.workloads.training.items():
        spec = jobs[name]["spec"]
        server = training(whole.members(said, job.pool), job.pool, job.nodes).server
        assert spec["completionMode"] == "Indexed"
        assert spec["completions"] == spec["parallelism"] == job.nodes
        rails = {key for key in _requests(jobs[name]) if key.startswith("openshift.io/rail")}
        assert rails == {f"openshift.io/rail{nic.rail}" for nic in hardware.rails(server)}
        networks = spec["template"]["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"].split(",")
        assert len(networks) == len(rails)
        (term,) = _pod(jobs[name])["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        assert term["labelSelector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()


def test_a_gang_fits_the_servers_it_selects(said: Cluster) -> None:
    for name, job in said.workloads.training.items():
        place = training(whole.members(said, job.pool), job.pool, job.nodes)
        asks = _requests(_of(said, "Job")[name])
        assert int(asks["nvidia.com/gpu"]) <= hardware.gpu_count(place.server)
        assert int(asks["cpu"]) < 2 * hardware.cores(place.server)
        assert int(asks["memory"].removesuffix("Gi")) < hardware.memory_gib(place.server)


def test_the_selector_names_labels_that_nodes_will_carry(said: Cluster) -> None:
    members = {
        name: pools.node(name, server, said.pools[server.pool])
        for name, server in said.servers.items()
        if server.pool in said.pools
    }
    products = {server.gpus for server in said.servers.values()}
    for manifest in (*_of(said, "Job").values(), *_of(said, "Deployment").values()):
        selector = dict(_pod(manifest)["nodeSelector"])
        product = selector.pop("nvidia.com/gpu.product", None)
        assert product is None or product in products
        carried = [name for name, node in members.items() if selector.items() <= node["metadata"]["labels"].items()]
        assert carried
        tolerated = {entry["value"] for entry in _pod(manifest)["tolerations"]}
        found = [pools.taint(pool, said.pools[pool]) for pool in {said.servers[name].pool for name in carried}]
        assert {taint["value"] for taint in found if taint} <= tolerated


def test_torchrun_meets_at_the_first_member() -> None:
    job = _of(cluster("lab"), "Job")["pretrain"]
    service = _of(cluster("lab"), "Service")["pretrain"]
    (container,) = _pod(job)["containers"]
    assert container["command"][:3] == ["torchrun", "--nnodes=2", "--nproc-per-node=8"]
    assert "--rdzv-endpoint=pretrain-0.pretrain.research.svc:29500" in container["command"]
    assert _pod(job)["subdomain"] == service["metadata"]["name"]
    assert service["spec"]["clusterIP"] == "None"
    assert service["spec"]["publishNotReadyAddresses"] is True
    assert service["spec"]["selector"].items() <= job["spec"]["template"]["metadata"]["labels"].items()


def test_a_drain_is_nobodys_failure_and_exit_codes_count() -> None:
    spec = _of(cluster("lab"), "Job")["pretrain"]["spec"]
    assert spec["template"]["spec"]["restartPolicy"] == "Never"
    (rule,) = spec["podFailurePolicy"]["rules"]
    assert rule == {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    assert spec["backoffLimitPerIndex"] >= 1
    assert spec["maxFailedIndexes"] == 0, "the others would hold their servers without it"


def test_nccl_uses_the_rails_that_a_pod_sees_in_the_lossless_class(said: Cluster) -> None:
    """By no name: in exclusive mode a pod sees its rails' devices alone, whatever its node calls them."""
    for name in said.workloads.training:
        (container,) = _pod(_of(said, "Job")[name])["containers"]
        env = {entry["name"]: entry["value"] for entry in container["env"]}
        assert "NCCL_IB_HCA" not in env
        assert int(env["NCCL_IB_TC"]) >> 2 == said.fabric.lossless.dscp
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"], "add": ["IPC_LOCK"]}


def test_shared_memory_counts_within_memory(said: Cluster) -> None:
    for name, job in said.workloads.training.items():
        volume, *_ = _pod(_of(said, "Job")[name])["volumes"]
        assert volume["emptyDir"] == {"medium": "Memory", "sizeLimit": f"{job.shm_gib}Gi"}
        assert job.shm_gib < int(_requests(_of(said, "Job")[name])["memory"].removesuffix("Gi"))


def test_a_pod_finds_the_huge_pages_that_it_asks_for() -> None:
    for workload, pages in (
        (_of(cluster("prod"), "Job")["pretrain"], 16),
        (_serving(cluster("lab"), "chat", hugepages_gib=2), 2),
    ):
        assert _requests(workload)["hugepages-1Gi"] == f"{pages}Gi"
        volumes = {each["name"]: each["emptyDir"] for each in _pod(workload)["volumes"]}
        (container,) = _pod(workload)["containers"]
        mounted = {each["mountPath"]: volumes[each["name"]] for each in container["volumeMounts"]}
        assert mounted["/dev/hugepages"] == {"medium": "HugePages-1Gi"}


def test_a_pod_without_huge_pages_asks_for_none() -> None:
    for workload in (_of(cluster("lab"), "Job")["pretrain"], _serving(cluster("lab"), "chat")):
        assert "hugepages-1Gi" not in _requests(workload)
        assert "hugepages" not in [each["name"] for each in _pod(workload)["volumes"]]


def _serving(said: Cluster, name: str, **changes: Any) -> dict[str, Any]:
    service = Inference.model_validate({**said.workloads.inference[name].model_dump(), **changes})
    work = said.workloads.model_copy(update={"inference": {name: service}})
    return _of(said.model_copy(update={"workloads": work}), "Deployment")[name]


@pytest.mark.parametrize(("seconds", "failures"), [(600, 60), (605, 61), (10, 1)])
def test_a_slow_load_is_not_a_dead_server(seconds: int, failures: int) -> None:
    (container,) = _pod(_serving(cluster("lab"), "chat", load_seconds=seconds))["containers"]
    assert container["startupProbe"]["failureThreshold"] == failures
    assert container["startupProbe"]["periodSeconds"] * failures >= seconds
    assert "initialDelaySeconds" not in container["livenessProbe"]


def test_a_replica_drains_before_it_goes() -> None:
    pod = _pod(_serving(cluster("lab"), "chat"))
    (container,) = pod["containers"]
    assert container["lifecycle"]["preStop"]["sleep"]["seconds"] < pod["terminationGracePeriodSeconds"]


def test_a_replica_takes_its_slices_or_whole_gpus() -> None:
    said = cluster("lab")
    assert _requests(_serving(said, "chat"))["nvidia.com/mig-1g.18gb"] == "1"
    assert _requests(_serving(said, "chat", slice="1g.18gb+me"))["nvidia.com/mig-1g.18gb.me"] == "1"
    whole = _serving(said, "chat", slice=None, gpus=4)
    assert _requests(whole)["nvidia.com/gpu"] == "4"
    assert _pod(whole)["containers"][0]["args"][-2:] == ["--tensor-parallel-size", "4"]


def test_service_and_budget_select_the_replicas(said: Cluster) -> None:
    for name, deployment in _of(said, "Deployment").items():
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        budget, service = _of(said, "PodDisruptionBudget")[name], _of(said, "Service")[name]
        assert deployment["spec"]["selector"]["matchLabels"] == labels
        assert budget["spec"]["selector"]["matchLabels"] == labels
        assert service["spec"]["selector"] == labels
        assert budget["spec"]["maxUnavailable"] == 1
        assert budget["spec"]["unhealthyPodEvictionPolicy"] == "AlwaysAllow"


def test_serving_pods_pass_the_restricted_standard(said: Cluster) -> None:
    for deployment in _of(said, "Deployment").values():
        pod = _pod(deployment)
        assert pod["securityContext"] == {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]},
            }  # fmt: skip


def test_a_gang_that_fits_no_leaf_group_is_an_error() -> None:
    said = cluster("lab")
    with pytest.raises(ValueError, match="no 9 alike servers"):
        training(whole.members(said, "training"), "training", 9)


def test_a_gang_lands_in_the_lowest_group_that_holds_it() -> None:
    said = cluster("lab")
    other = said.servers["gpu-01"].model_copy(update={"group": 2})
    split = said.model_copy(update={"servers": {**said.servers, "gpu-01": other}})
    assert training(whole.members(split, "training"), "training", 1).selector["podwright.io/leaf-group"] == "1"
    assert training(whole.members(split, "training"), "training", 4).selector["podwright.io/leaf-group"] == "1"
    assert isinstance(said.workloads.training["pretrain"], Training)

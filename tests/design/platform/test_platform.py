"""The platform plan: labels, taints, quota keys that count, closed namespaces, and a guard against take-over."""

import configparser
import json
from typing import Any
from urllib.parse import unquote

import pytest

from podwright.components.design import compute
from podwright.components.design.platform import cluster_wide, guard
from podwright.components.model import Cluster, Pool, Server, load
from podwright.components.model.catalogue import GPUS
from podwright.components.model.coherence import platform as coherence
from podwright.components.model.coherence.sharing import shares
from tests.design import whole
from tests.design.goldens import STACKS, cluster
from tools.goldens import examples, stack_file


@pytest.fixture(params=STACKS)
def said(request: pytest.FixtureRequest) -> Cluster:
    return cluster(request.param)


def _of(said: Cluster, kind: str) -> list[dict[str, Any]]:
    return [each for each in whole.platform(said).manifests if each["kind"] == kind]


def _with_pool(said: Cluster, name: str, **changes: Any) -> Cluster:
    pool = Pool.model_validate({**said.pools[name].model_dump(), **changes})
    return said.model_copy(update={"pools": {**said.pools, name: pool}})


def test_every_worker_is_labelled_and_tainted_for_its_pool(said: Cluster) -> None:
    plans = whole.node_pools(said)
    nodes = {node["metadata"]["name"]: node for node in whole.platform(said).nodes}
    workers = {name: server for name, server in said.servers.items() if server.pool != compute.CONTROL_PLANE}
    assert set(nodes) == set(workers)
    for name, server in workers.items():
        labels = nodes[name]["metadata"]["labels"]
        assert labels["podwright.io/pool"] == server.pool
        assert labels[f"node-role.kubernetes.io/{server.pool}"] == ""
        # The list of taints is one value, and everybody's: an apply of ours would take it from the others.
        assert "spec" not in nodes[name]
        taint = plans[server.pool].taint
        assert (taint is None) == (said.pools[server.pool].purpose == "cpu")
        if taint:
            key = {"key": "podwright.io/pool", "value": server.pool, "effect": "NoSchedule"}
            assert taint["taint"] == key and name in taint["nodes"]


def test_a_roll_out_lays_out_every_gpu_that_can_be_divided(said: Cluster) -> None:
    rollouts = whole.rollouts(said, whole.compute(said).digests)
    layouts = {node["name"]: node.get("mig", {}).get("layout") for spec in rollouts.values() for node in spec["nodes"]}
    assert layouts == {
        name: (said.pools[server.pool].mig or "all-disabled") if server.gpus and GPUS[server.gpus].mig else None
        for name, server in said.servers.items()
        if server.pool != compute.CONTROL_PLANE
    }
    assert set(layouts.values()) > {"all-disabled"}


def test_a_nodes_own_fields_leave_its_layout_alone(said: Cluster) -> None:
    """Two owners of one label would take it from each other, and a label that moves by itself asks busy GPUs."""
    for node in whole.platform(said).nodes:
        assert not [key for key in node["metadata"]["labels"] if key.startswith("nvidia.com/")]


def test_a_changed_layout_changes_its_own_roll_out_alone() -> None:
    said = cluster("lab")
    digests = whole.compute(said).digests
    base, moved = whole.rollouts(said, digests), whole.rollouts(_with_pool(said, "inference", mig=None), digests)
    assert moved["training"] == base["training"]
    assert moved["inference"]["trigger"] == base["inference"]["trigger"]
    divided, undivided = ([node["mig"] for node in plan["inference"]["nodes"]] for plan in (base, moved))
    assert divided == [{"layout": "all-1g.18gb", "resources": ["nvidia.com/mig-1g.18gb"]}]
    assert undivided == [{"layout": "all-disabled", "resources": ["nvidia.com/gpu"]}]


def test_a_pool_selects_its_own_configuration_and_the_workers(said: Cluster) -> None:
    for each in _of(said, "MachineConfigPool"):
        name = each["metadata"]["name"]
        (expression,) = each["spec"]["machineConfigSelector"]["matchExpressions"]
        assert expression["values"] == ["worker", name]
        assert each["spec"]["nodeSelector"]["matchLabels"] == {f"node-role.kubernetes.io/{name}": ""}
        assert each["metadata"]["labels"]["podwright.io/purpose"] == said.pools[name].purpose


def test_quotas_hold_only_keys_that_count(said: Cluster) -> None:
    quotas = {each["metadata"]["namespace"]: each["spec"]["hard"] for each in _of(said, "ResourceQuota")}
    assert set(quotas) == set(said.teams)
    for hard in quotas.values():
        assert all(key.startswith("requests.nvidia.com/") for key in hard)
    assert quotas.keys() == said.teams.keys()
    for name, team in said.teams.items():
        assert quotas[name]["requests.nvidia.com/gpu"] == str(team.gpus)


@pytest.mark.parametrize("example", examples())
def test_every_quota_counts_what_some_pool_offers(example: str) -> None:
    """A resource without a key is one without a limit."""
    said = load(stack_file(example))
    offered = {each for name, pool in said.pools.items() for each in _offered(pool, whole.members(said, name))}
    for quota in _of(said, "ResourceQuota"):
        team = said.teams[quota["metadata"]["namespace"]]
        shares = {_shared(unit): str(count) for unit, count in team.shares.items()}
        own = {f"nvidia.com/mig-{profile}": str(count) for profile, count in team.slices.items()} | shares
        hard = {key.removeprefix("requests."): amount for key, amount in quota["spec"]["hard"].items()}
        assert set(hard) == offered | set(own) | {"nvidia.com/gpu"}
        del hard["nvidia.com/gpu"]
        assert hard == dict.fromkeys(hard, "0") | own


def _offered(pool: Pool, servers: dict[str, Server]) -> set[str]:
    """By the sums that quotas and workloads of a file are checked against."""
    if pool.sharing is not None:
        return {_shared(unit) for unit in shares(pool, servers)}
    whole_gpus = {"nvidia.com/gpu"} if coherence.whole(pool, servers) else set[str]()
    return {f"nvidia.com/mig-{profile}" for profile in coherence.slices(pool, servers)} | whole_gpus


def _shared(unit: str) -> str:
    return "nvidia.com/gpu.shared" if unit == "gpu" else f"nvidia.com/mig-{unit}.shared"


def test_namespaces_without_rdma_are_restricted() -> None:
    said = cluster("lab")
    level = {
        each["metadata"]["name"]: each["metadata"]["labels"]["pod-security.kubernetes.io/enforce"]
        for each in _of(said, "Namespace")
    }
    assert level == {"research": "privileged", "chat": "restricted", "podwright-acceptance": "privileged"}


def test_only_training_accounts_may_lock_memory(said: Cluster) -> None:
    (scc,) = _of(said, "SecurityContextConstraints")
    assert scc["allowedCapabilities"] == ["IPC_LOCK", "NET_BIND_SERVICE"]
    assert scc["users"] == scc["groups"] == []
    assert not scc["allowPrivilegedContainer"]
    bound = [
        (subject["namespace"], subject["name"])
        for each in _of(said, "RoleBinding")
        if each["roleRef"]["name"] == "podwright-rdma"
        for subject in each["subjects"]
    ]
    teams = {job.team for job in said.workloads.training.values()}
    assert set(bound) == {(team, "training") for team in (*teams, "podwright-acceptance")}


def test_pods_of_a_team_get_no_token_and_its_people_may_edit(said: Cluster) -> None:
    accounts = _of(said, "ServiceAccount")
    assert accounts
    assert {each["automountServiceAccountToken"] for each in accounts} == {False}
    lab = cluster("lab")
    assert lab.openshift
    teams = {**lab.openshift.teams, "chat": lab.openshift.teams["chat"].model_copy(update={"group": "chat-people"})}
    grouped = lab.model_copy(update={"openshift": lab.openshift.model_copy(update={"teams": teams})})
    bound = {
        (each["metadata"]["namespace"], each["roleRef"]["name"], subject["name"])
        for each in _of(grouped, "RoleBinding") for subject in each["subjects"] if subject["kind"] == "Group"
    }  # fmt: skip
    assert bound == {("chat", "edit", "chat-people")}


def test_every_team_is_closed_by_default(said: Cluster) -> None:
    denied = {
        each["metadata"]["namespace"]
        for each in _of(said, "NetworkPolicy")
        if each["spec"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    }
    assert denied == set(said.teams)


def test_rail_pools_unlock_memory_in_the_runtime(said: Cluster) -> None:
    found = [each for each in _of(said, "MachineConfig") if each["metadata"]["name"].endswith("-memlock")]
    assert len(found) == sum(pool.rails for pool in said.pools.values())
    for each in found:
        (file,) = each["spec"]["config"]["storage"]["files"]
        assert "memlock=-1:-1" in unquote(file["contents"]["source"].removeprefix("data:,"))
        assert each["metadata"]["labels"]["machineconfiguration.openshift.io/role"] in said.pools


def test_huge_pages_bring_a_performance_profile() -> None:
    said = _with_pool(cluster("lab"), "training", hugepages_gib=64)
    assert _of(cluster("lab"), "PerformanceProfile") == []
    (profile,) = _of(said, "PerformanceProfile")
    assert profile["spec"]["hugepages"]["pages"] == [{"size": "1G", "count": 64}]
    assert profile["spec"]["cpu"]["reserved"] == "0-1,64-65,128-129,192-193"
    assert profile["spec"]["nodeSelector"] == {"node-role.kubernetes.io/training": ""}


def test_nodes_with_gpus_have_large_pages_and_no_numa_balancing() -> None:
    """On top of the profile that they have without it: a PerformanceProfile's, or the platform's own."""
    lab = cluster("lab")
    for pages, below in ((0, "openshift-node"), (64, "openshift-node-performance-training")):
        changed = _with_pool(lab, "training", hugepages_gib=pages)
        (made,) = (each for each in _of(changed, "Tuned") if each["metadata"]["name"] == "podwright-training")
        assert made["metadata"]["namespace"] == "openshift-cluster-node-tuning-operator"
        (profile,), (rule,) = made["spec"]["profile"], made["spec"]["recommend"]
        parsed = configparser.ConfigParser()
        parsed.read_string(profile["data"])
        assert parsed["main"]["include"] == below
        assert dict(parsed["sysctl"]) == {"kernel.numa_balancing": "0"}
        assert dict(parsed["vm"]) == {"transparent_hugepages": "always"}
        # The operator's own has 20; of a profile that is selected by node labels it takes no kernel arguments.
        assert rule["priority"] < 20 and "match" not in rule
        assert rule["machineConfigLabels"] == {"machineconfiguration.openshift.io/role": "training"}
        assert rule["profile"] == profile["name"]


def test_a_pool_without_gpus_keeps_what_the_platform_has_unless_defined() -> None:
    lab = cluster("lab")
    servers = {name: each.model_copy(update={"gpus": None}) for name, each in lab.servers.items()}
    bare = lab.model_copy(update={"servers": servers})
    assert _of(bare, "Tuned") == []
    (made,) = _of(_with_pool(bare, "training", transparent_hugepages="never"), "Tuned")
    assert "transparent_hugepages=never" in made["spec"]["profile"][0]["data"]
    assert "numa" not in made["spec"]["profile"][0]["data"]


def test_a_node_registers_with_the_taint_of_its_pool(said: Cluster) -> None:
    """kubelet puts `registerWithTaints` on a node that it makes: there is no moment in which it is bare."""
    made = {each["metadata"]["name"]: each["spec"] for each in _of(said, "KubeletConfig")}
    assert set(made) == {n for n, pool in said.pools.items() if pool.purpose != "cpu" and not pool.hugepages_gib}
    for name, spec in made.items():
        (pool,) = (each for each in _of(said, "MachineConfigPool") if each["metadata"]["name"] == name)
        assert spec["machineConfigPoolSelector"]["matchLabels"].items() <= pool["metadata"]["labels"].items()
        key = {"key": "podwright.io/pool", "value": name, "effect": "NoSchedule"}
        assert spec["kubeletConfig"] == {"registerWithTaints": [key]}


def test_the_operator_that_makes_a_pools_kubelet_configuration_is_given_the_taint() -> None:
    """Each KubeletConfig of a pool is the whole file: the profile's, which comes later, would hide one of ours."""
    said = _with_pool(cluster("lab"), "training", hugepages_gib=64)
    assert "training" not in {each["metadata"]["name"] for each in _of(said, "KubeletConfig")}
    (profile,) = _of(said, "PerformanceProfile")
    snippet = json.loads(profile["metadata"]["annotations"]["kubeletconfig.experimental"])
    assert [each["value"] for each in snippet["registerWithTaints"]] == ["training"]


def test_a_roll_out_moves_only_with_its_own_servers() -> None:
    said = cluster("lab")
    digests = whole.compute(said).digests
    base = whole.rollouts(said, digests)
    moved = whole.rollouts(said, {**digests, "gpu-02": "other"})
    assert moved["training"]["trigger"] != base["training"]["trigger"]
    assert moved["inference"] == base["inference"]
    assert {node["name"] for node in base["training"]["nodes"]} == {f"gpu-0{number}" for number in range(1, 6)}


def test_the_guard_looks_only_at_marked_objects_and_names_both_ways_out() -> None:
    policy, binding = guard("podwright.lab", "podwright.io/stack")
    constraints = policy["spec"]["matchConstraints"]
    assert constraints["objectSelector"] == {"matchLabels": {"podwright.io/stack": "podwright.lab"}}
    assert constraints["resourceRules"][0]["operations"] == ["UPDATE"]
    (rule,) = policy["spec"]["validations"]
    assert rule["reason"] == "Invalid", "a dry run that is forbidden is green in a preview"
    assert "rename or delete" in rule["messageExpression"]
    assert "podwright.io/adopt=podwright.lab" in rule["messageExpression"]
    assert binding["spec"] == {"policyName": policy["metadata"]["name"], "validationActions": ["Deny"]}


def test_training_pushes_nothing_out_and_nobody_gets_a_priority_unasked(said: Cluster) -> None:
    classes = {each["metadata"]["name"]: each for each in _of(said, "PriorityClass")}
    assert {name: each["preemptionPolicy"] for name, each in classes.items()} == {
        "podwright-training": "Never", "podwright-inference": "PreemptLowerPriority",
    }  # fmt: skip
    assert classes["podwright-training"]["value"] < classes["podwright-inference"]["value"]
    assert {each["globalDefault"] for each in classes.values()} == {False}


def test_batch_jobs_have_a_class_below_all_others_and_above_none_once_there_are_any() -> None:
    *others, lowest = cluster_wide(rdma=False, batch=True)
    assert others == list(cluster_wide(rdma=False))
    assert (lowest["metadata"]["name"], lowest["preemptionPolicy"]) == ("podwright-batch", "Never")
    assert 0 < lowest["value"] < min(each["value"] for each in others)

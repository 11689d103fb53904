"""Two teams of two tenants on one cluster: each trains in its VRF, and nothing that they write gets out of it.

The switches are the lab's, with the planned text typed in; nodes, networks, jobs and admission policies are the plan's.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podwright.cli.isolation import apart
from podwright.components.design.platform.rail_tenants import BINDINGS, PODS, policies
from podwright.components.model import joined
from podwright.components.providers.status.snapshot import Snapshot
from podwright.lab.openshift.api import Api, ApiError, path_of
from podwright.lab.openshift.side import start
from podwright.lab.pki import Authority
from podwright.lab.sides import LabContext
from tests.design import whole
from tests.lab import tenanted
from tests.lab.openshift.manifests import SRIOV_NAMESPACE, operator, operator_config
from tests.lab.openshift.rack import Rack
from tests.lab.prepared import prepared
from tests.waiting import until

pytestmark = pytest.mark.rough
STACK = tenanted.STACK
TENANT, RAILS = "podwright.io/tenant", range(8)
BLUE, RED = ("gpu-01", "gpu-02"), ("gpu-03", "gpu-04", "gpu-05")
AWAY = "is of tenant blue, which reaches its own nodes alone. Write nodeSelector podwright.io/tenant: blue"
RBAC = "rbac.authorization.k8s.io"
ADMISSION = "admissionregistration.k8s.io/v1"
Manifest = dict[str, Any]
PLATFORM = ("Namespace", "PriorityClass", "SecurityContextConstraints", "ServiceAccount", "Role", "RoleBinding")


class Tenanted(Rack):
    """The rack of the example, its hosts by the names of their nodes."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.dir = directory
        self.world, self.sessions = tenanted.rack(directory)
        secrets = directory / "secrets"
        secrets.mkdir()
        self.lab = LabContext(dir=directory, secrets=secrets, ca=Authority(directory / "pki", "lab"), logs=directory)
        self.side = start(self.world, self.lab)

    def configs(self) -> tuple[Manifest, Manifest]:
        """Nodes and cluster are called as the stack has them."""
        install, agent = super().configs()
        for each in (install, agent):
            each["metadata"] = {"name": STACK.name}
        for one in agent["hosts"]:
            one["hostname"] = one["hostname"].partition(".")[0]
        return install, agent


def _planned(kinds: tuple[str, ...]) -> list[Manifest]:
    found = [each for each in whole.platform(STACK).manifests if each["kind"] in kinds]
    return [_plain(each) for each in found]


def _plain(manifest: Manifest) -> Manifest:
    """Without what is for the engine's plugin."""
    meta = {key: each for key, each in manifest["metadata"].items() if key != "annotations"}
    return {**manifest, "metadata": meta}


def _rails() -> list[Manifest]:
    """Policies and networks of rails as planned; the driver that the operator's daemons wait for is nobody's here."""
    every = [each for one in whole.operators(STACK) for each in one.settings]
    wanted = ("SriovNetworkNodePolicy", "SriovNetwork", "SriovNetworkPoolConfig")
    return [operator_config(), *(_plain(each) for each in every if each["kind"] in wanted)]


def _job(name: str) -> Manifest:
    """A planned job, without what other operators would have to give it: GPUs, and labels of their product."""
    jobs = [each for each in whole.workloads(STACK) if each["kind"] == "Job" and each["metadata"]["name"] == name]
    made: Manifest = copy.deepcopy(_plain(jobs[0]))
    spec = made["spec"]["template"]["spec"]
    del spec["nodeSelector"]["nvidia.com/gpu.product"]
    for part in spec["containers"][0]["resources"].values():
        part.pop("nvidia.com/gpu", None)
    return made


@pytest.fixture(scope="module")
def rack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenanted]:
    """Installed, with rails on every training node, and the tenants' admission policies in force."""
    made = Tenanted(tmp_path_factory.mktemp("tenants") / "rack")
    try:
        made.install()
        for node in whole.platform(STACK).nodes:
            labels = [f"{key}={value}" for key, value in node["metadata"]["labels"].items()]
            made.kubectl("label", "node", node["metadata"]["name"], "--overwrite", *labels)
        made.apply(*operator("sriov-network-operator"))
        made.approve("sriov-network-operator")
        made.apply(*_planned(("Namespace",)))
        made.apply(*_planned(PLATFORM[1:]), *_rails())
        nodes = (*BLUE, *RED)
        made.wait("rails", lambda: all(_offered(made, node, rail) == "1" for node in nodes for rail in RAILS), 120)
        prepared(made.world)
        made.apply(*_members())
        _enforce(made)
        yield made
    finally:
        made.close()


def _offered(rack: Rack, node: str, rail: int) -> str:
    return str(rack.get("node", node)["status"]["allocatable"].get(f"openshift.io/rail{rail}"))


def _enforce(rack: Rack) -> None:
    for pair in policies(joined(STACK)):
        rack.apply(*pair)
    stray = _pod("stray", nodeName="gpu-03")
    until(lambda: AWAY in _typed(rack, stray), 60, "the policies are in force", pause=0.2)


def _pod(name: str, space: str = "research", *, rails: bool = True, note: str = "", **spec: Any) -> Manifest:
    """One that a person writes."""
    asks = {"openshift.io/rail0": "1"} if rails else {}
    notes = {"annotations": {"k8s.v1.cni.cncf.io/networks": note}} if note else {}
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": space, **notes},
        "spec": {
            "tolerations": [{"operator": "Exists"}],
            "containers": [{"name": "main", "image": "registry.example.com/a/b:1", "resources": {"limits": asks}}],
            **spec,
        },
    }  # fmt: skip


def _affine(*expressions: Manifest, fields: tuple[Manifest, ...] = ()) -> Manifest:
    term = {"matchExpressions": [*expressions]} | ({"matchFields": [*fields]} if fields else {})
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    return {"affinity": {"nodeAffinity": required}}


def _in(key: str, *values: str, operator: str = "In") -> Manifest:
    return {"key": key, "operator": operator, "values": [*values]}


def _typed(rack: Rack, pod: Manifest) -> str:
    """What a member of team research is answered who makes a pod, without making it."""
    return _as_member(rack, "POST", path_of("v1", "pods", pod["metadata"]["namespace"]) + "?dryRun=All", pod)


def _as_member(rack: Rack, method: str, path: str, body: Manifest) -> str:
    plane = rack.side.cluster.plane
    assert plane is not None
    user = Api(plane.access("somebody", "members"))
    try:
        user.request(method, path, json.dumps(body).encode())
    except ApiError as problem:
        return str(problem)
    finally:
        user.close()
    return ""


def _members() -> tuple[Manifest, Manifest]:
    """Somebody who may make pods in the teams' namespaces, and bind them, which no member of a team may."""
    rules = [{"apiGroups": [""], "resources": ["pods", "pods/binding"], "verbs": ["*"]}]
    role = {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": {"name": "members"}, "rules": rules}
    bound = {
        "apiVersion": f"{RBAC}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "members"},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "members"},
        "subjects": [{"apiGroup": RBAC, "kind": "Group", "name": "members"}],
    }  # fmt: skip
    return role, bound


def _talk(rack: Rack, space: str) -> dict[str, tuple[str, bool, list[str]]]:
    """Node, whether its rails carry anything, and why not, by pod of a team."""
    rows = [each for each in rack.side.pods()["pods"] if each["namespace"] == space]
    return {row["name"]: (row["node"], row["gbps"] > 0, row["reasons"]) for row in rows}


def _running(rack: Rack, space: str, count: int) -> None:
    rack.wait(f"{count} pods of {space}", lambda: len(_talk(rack, space)) == count, 120)


def test_01_each_teams_job_runs_on_the_servers_of_its_tenant_and_its_members_reach_each_other(rack: Tenanted) -> None:
    rack.apply(_job("pretrain"), _job("segment"))
    _running(rack, "research", 2)
    _running(rack, "vision", 3)
    for space, nodes in (("research", BLUE), ("vision", RED)):
        rows = _talk(rack, space)
        assert sorted(node for node, _, _ in rows.values()) == [*nodes]
        assert all(carries and not reasons for _, carries, reasons in rows.values()), rows
    assert list(apart(STACK, _snapshot(rack))) == []


def _snapshot(rack: Rack) -> Snapshot:
    return Snapshot({"Pod": tuple(rack.items("pods", "-A"))})


def test_02_a_pod_with_rails_that_may_run_on_another_tenants_nodes_is_refused(rack: Tenanted) -> None:
    group, hosts = "podwright.io/leaf-group", "kubernetes.io/hostname"
    box = {"name": "first", "image": "x", "resources": {"requests": {"openshift.io/rail3": "1"},
                                                        "limits": {"openshift.io/rail3": "1"}}}  # fmt: skip
    for number, refused in enumerate((
        _pod("a", nodeName="gpu-03"),
        _pod("a", nodeName="gpu-03", nodeSelector={TENANT: "blue"}),
        _pod("a"),
        _pod("a", nodeSelector={TENANT: "red"}),
        _pod("a", nodeSelector={"podwright.io/pool": "training"}),
        _pod("a", nodeSelector={group: "2"}),
        _pod("a", nodeSelector={hosts: "gpu-04"}),
        _pod("a", **_affine(_in(TENANT, "blue", "red"))),
        _pod("a", **_affine(_in(TENANT, "red", operator="NotIn"))),
        _pod("a", **_affine({"key": TENANT, "operator": "Exists"})),
        _pod("a", **_affine(fields=(_in("metadata.name", "gpu-05"),))),
        _pod("a", rails=False, note="research-group1-rail0@rail0"),
        _pod("a", rails=False, initContainers=[box]),
    )):  # fmt: skip
        assert AWAY in _typed(rack, refused), (number, refused["spec"])
    two = _affine(_in(TENANT, "blue"))
    terms = two["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    terms.append({"matchExpressions": [_in(hosts, "gpu-03")]})
    assert AWAY in _typed(rack, _pod("a", **two)), "one of two terms lets it out"


def test_03_what_stays_within_the_tenant_and_what_asks_for_no_rails_is_not(rack: Tenanted) -> None:
    for number, lawful in enumerate((
        _pod("a", nodeSelector={TENANT: "blue"}),
        _pod("a", nodeName="gpu-02"),
        _pod("a", nodeSelector={"podwright.io/leaf-group": "1"}),
        _pod("a", nodeSelector={"kubernetes.io/hostname": "gpu-01"}),
        _pod("a", **_affine(_in(TENANT, "blue"))),
        _pod("a", **_affine(fields=(_in("metadata.name", "gpu-01"),))),
        _pod("a", "vision", nodeSelector={TENANT: "red"}),
        _pod("a", rails=False),
        _pod("a", rails=False, nodeName="gpu-03"),
        # acceptance measures every tenant's rails, and is nobody's team
        _pod("a", "default", nodeName="gpu-03"),
    )):  # fmt: skip
        assert _typed(rack, lawful) == "", (number, lawful["spec"])


def test_04_no_other_scheduler_binds_a_teams_pod_to_another_tenants_node(rack: Tenanted) -> None:
    rack.apply(_pod("waits", schedulerName="nobody", nodeSelector={TENANT: "blue"}))
    path = path_of("v1", "pods", "research", "waits") + "/binding?dryRun=All"
    target = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "waits"}}
    for node, words in (("gpu-03", "node gpu-03 is of another tenant than namespace research"), ("gpu-01", "")):
        answer = _as_member(rack, "POST", path, {**target, "target": {"kind": "Node", "name": node}})
        assert words in answer and bool(answer) == bool(words), answer
    rack.kubectl("delete", "pod", "waits", "-n", "research", "--grace-period=0", "--force")


def _split() -> Manifest:
    """A job of two that a person writes: one member to a server of each tenant, over a network without addresses."""
    made = _job("pretrain")
    made["metadata"] = {"name": "split", "namespace": "research"}
    template = made["spec"]["template"]
    template["metadata"] = {"labels": {"gang": "split"}, "annotations": {"k8s.v1.cni.cncf.io/networks": "plain"}}
    spec = template["spec"]
    spec["nodeSelector"] = {"podwright.io/pool": "training"}
    apart = {"labelSelector": {"matchLabels": {"gang": "split"}}, "topologyKey": "kubernetes.io/hostname"}
    chosen = _affine(_in("kubernetes.io/hostname", "gpu-01", "gpu-03"))["affinity"]
    spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}, **chosen}
    for part in spec["containers"][0]["resources"].values():
        for rail in RAILS[1:]:
            part.pop(f"openshift.io/rail{rail}", None)
    return made


def test_05_a_gang_across_two_tenants_is_not_made_and_without_admission_it_would_hang(rack: Tenanted) -> None:
    for space, name in (("research", "pretrain"), ("vision", "segment")):
        rack.kubectl("delete", "job", name, "-n", space)
    rack.wait("rails are free", lambda: not _talk(rack, "research") and not _talk(rack, "vision"), 60)
    plain = next(each for each in _rails() if each["metadata"]["name"] == "research-group1-rail0")
    rack.apply({**plain, "metadata": {"name": "plain", "namespace": SRIOV_NAMESPACE},
                "spec": {**plain["spec"], "ipam": "{}"}})  # fmt: skip
    rack.apply(_split())
    rack.wait("the job is told", lambda: AWAY in rack.kubectl("get", "events", "-n", "research", "-o", "json"), 60)
    assert rack.items("pods", "-n", "research", "-l", "gang=split") == []
    for name in (PODS, BINDINGS):
        rack.kubectl("delete", "validatingadmissionpolicybinding", name)
    rack.kubectl("delete", "job", "split", "-n", "research")
    until(lambda: _typed(rack, _pod("a", nodeName="gpu-03")) == "", 60, "nothing is enforced", pause=0.2)
    rack.apply(_split())
    _running(rack, "research", 2)
    rows = _talk(rack, "research")
    assert sorted(node for node, _, _ in rows.values()) == ["gpu-01", "gpu-03"]
    assert not any(carries for _, carries, _ in rows.values()), "NCCL would wait for ever: nothing says why"
    assert any("has no route to" in reason and "VRF" in reason for _, _, why in rows.values() for reason in why), rows
    (sentence,) = apart(STACK, _snapshot(rack))
    assert sentence.endswith("holds rails of gpu-03, which is of tenant red; team research is of tenant blue")

"""What becomes of a training job on a cluster whose job controller is the real one."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from podwright.components.design.operators import Operator
from podwright.components.design.quantities import canonical, written_back
from podwright.components.providers.openshift.conditions import is_true
from podwright.lab.openshift.cert_manager import PARTS
from tests.design import whole
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.subscribed import subscribe
from tests.launchers import torchrun
from tests.model.changes import LAB, both, put
from tests.model.test_sections import cluster as stack
from tests.queue_sets.objects import differs

pytestmark = pytest.mark.rough
SHAPE = {"workers": ("", "")}
WAIT_FOR = "pulumi.com/waitFor"
BOTH = {"0": "Running", "1": "Running"}


def _job(name: str, keys: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """The planned job of two members, on any node and by any account, with no restart of a member. `keys` are those of
    the stack file's job, `changes` of the object's spec."""
    own = [put(f"workloads/training/pretrain/{key}", value) for key, value in {"nodes": 2, **(keys or {})}.items()]
    planned = whole.workloads(stack(LAB, both(*own)))
    job: dict[str, Any] = copy.deepcopy(next(each for each in planned if each["kind"] == "Job"))
    job["metadata"] = {"name": name, "namespace": "default"}
    job["spec"] |= {"backoffLimitPerIndex": 0} | changes
    _anywhere(job["spec"]["template"], name)
    job["spec"] = {key: value for key, value in job["spec"].items() if value is not None}
    return job


def _set(name: str, keys: dict[str, Any]) -> dict[str, Any]:
    """The planned set of two members, on any node and by any account."""
    own = [put(f"workloads/training/pretrain/{key}", value) for key, value in {"nodes": 2, **keys}.items()]
    planned = whole.workloads(stack(LAB, both(put("workloads/training/pretrain/kind", "jobset"), *own)))
    made: dict[str, Any] = copy.deepcopy(next(each for each in planned if each["kind"] == "JobSet"))
    made["metadata"] = {"name": name, "namespace": "default"}
    made["spec"]["network"]["subdomain"] = name
    _anywhere(made["spec"]["replicatedJobs"][0]["template"]["spec"]["template"], name)
    return made


def _anywhere(template: dict[str, Any], name: str) -> None:
    template["metadata"] = {"labels": {"gang": name}}
    for key in ("serviceAccountName", "priorityClassName", "nodeSelector", "affinity", "volumes"):
        template["spec"].pop(key, None)
    (box,) = template["spec"]["containers"]
    for key in ("resources", "volumeMounts"):
        box.pop(key, None)
    box["securityContext"]["capabilities"].pop("add", None)


def _phases(cluster: Rack, name: str) -> dict[str, str]:
    """By member, what its newest pod is in: one that failed stays beside the one made after it, and names are drawn."""
    found = cluster.items("pods", "-n", "default", "-l", f"gang={name}")
    found.sort(key=lambda pod: str(pod["metadata"]["creationTimestamp"]))
    return {pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"]: pod["status"]["phase"]
            for pod in found if "deletionTimestamp" not in pod["metadata"]}  # fmt: skip


def _fail(cluster: Rack, name: str, member: str, code: int = 1) -> None:
    """End a member's program with an exit code."""
    chosen = f"gang={name},batch.kubernetes.io/job-completion-index={member}"
    (pod,) = (each for each in cluster.items("pods", "-n", "default", "-l", chosen)
              if each["status"]["phase"] == "Running")  # fmt: skip
    ended = {"terminated": {"exitCode": code, "reason": "Error", "startedAt": None, "finishedAt": None}}
    box = {"name": "train", "image": "x", "imageID": "x", "ready": False, "restartCount": 0, "state": ended}
    status = {"status": {"phase": "Failed", "reason": "Error", "containerStatuses": [box]}}
    cluster.kubectl("patch", "pod", pod["metadata"]["name"], "-n", "default", "--subresource=status", "--type=merge",
                    "-p", json.dumps(status))  # fmt: skip


def _failed(cluster: Rack, name: str) -> str | None:
    """Members that had failed when the job was given up; None while it goes on."""
    status = cluster.get("job", name, "-n", "default")["status"]
    return str(status["failedIndexes"]) if is_true({"status": status}, "Failed") else None


def test_when_a_member_has_failed_for_good_the_others_give_their_servers_back(cluster: Rack) -> None:
    cluster.apply(_job("whole"), _job("alone", maxFailedIndexes=None))
    cluster.wait("both run", lambda: [_phases(cluster, name) for name in ("whole", "alone")] == [BOTH, BOTH], 60)
    for name in ("whole", "alone"):
        _fail(cluster, name, "0")
    cluster.wait("the gang is given up", lambda: _failed(cluster, "whole") == "0", 60)
    assert "Running" not in _phases(cluster, "whole").values()
    assert _phases(cluster, "alone")["1"] == "Running", "without the limit a member waits for one that is gone"
    assert _failed(cluster, "alone") is None


def test_an_exit_code_that_is_given_up_on_ends_the_job_and_any_other_starts_the_member_again(cluster: Rack) -> None:
    keys = {"give_up_on": [127, 2]}
    cluster.apply(*(_job(name, keys, backoffLimitPerIndex=3) for name in ("argument", "crash")))
    cluster.wait("both run", lambda: [_phases(cluster, name) for name in ("argument", "crash")] == [BOTH, BOTH], 60)
    _fail(cluster, "argument", "1", 2)
    _fail(cluster, "crash", "1", 1)
    cluster.wait("the job is given up", lambda: _failed(cluster, "argument") is not None, 60)
    (row,) = (each for each in cluster.get("job", "argument", "-n", "default")["status"]["conditions"]
              if each["type"] == "Failed")  # fmt: skip
    assert row["reason"] == "PodFailurePolicy"
    assert "exit code 2 matching FailJob rule at index 1" in row["message"]
    cluster.wait("the member is made again", lambda: _phases(cluster, "crash") == BOTH, 60)
    assert _failed(cluster, "crash") is None


def test_the_api_server_lets_nobody_change_what_ends_a_job(cluster: Rack) -> None:
    """Why a change of `give_up_on` makes the job again, by an option of its resource."""
    cluster.apply(_job("fixed"))
    rules = _job("fixed", {"give_up_on": [2]})["spec"]["podFailurePolicy"]
    change = json.dumps({"spec": {"podFailurePolicy": rules}})
    refused = cluster.kubectl("patch", "job", "fixed", "-n", "default", "--type=merge", "-p", change, check=False)
    assert "spec.podFailurePolicy: Invalid value" in refused
    assert "field is immutable" in refused


def test_members_meet_under_a_launcher_that_a_script_starts(cluster: Rack) -> None:
    """Numbers are those of the real job controller, variables those that the container's process finds."""
    job = _job("meeting", {"command": ["bash", "/launch/start.sh"], "restarts": 2})
    pod = job["spec"]["template"]["spec"]
    pod["volumes"] = [{"name": "launch", "configMap": {"name": "launch"}}]
    (box,) = pod["containers"]
    box["volumeMounts"] = [{"name": "launch", "mountPath": "/launch"}]
    box["env"].append({"name": "MESSAGE", "value": "/dev/termination-log"})
    box["env"].append({"name": "LAUNCHER", "value": "/launch/torchrun.py"})
    script = 'exec python3 "$LAUNCHER" train.py "$NODE_RANK" "$JOB_COMPLETION_INDEX"\n'
    files = {"start.sh": script, "torchrun.py": Path(torchrun.__file__).read_text()}
    named = {"name": "launch", "namespace": "default"}
    cluster.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": named, "data": files}, job)
    cluster.wait("both have ended", lambda: set(_phases(cluster, "meeting").values()) == {"Succeeded"}, 60)
    found = {}
    for each in cluster.items("pods", "-n", "default", "-l", "gang=meeting"):
        (status,) = each["status"]["containerStatuses"]
        said = json.loads(status["state"]["terminated"]["message"])
        found[tuple(said.pop("program"))] = said
    assert set(found) == {("train.py", "0", "0"), ("train.py", "1", "1")}
    assert list(found.values()) == 2 * [{
        "members": [2, 2], "processes": 8, "backend": "c10d", "endpoint": "pretrain-0.pretrain.research.svc:29500",
        "id": "research-pretrain", "restarts": 2, "member": None,
    }]  # fmt: skip


def _operators() -> tuple[Operator, Operator]:
    """cert-manager and JobSet's operator."""
    planned = {
        each.name: each for each in whole.operators(stack(LAB, put("workloads/training/pretrain/kind", "jobset")))
    }
    return planned["openshift-cert-manager-operator"], planned["job-set"]


@pytest.fixture(scope="module")
def tainted(cluster: Rack) -> Rack:
    """The cluster, every worker of which has the taint of a pool."""
    cluster.kubectl("taint", "nodes", "-l", "node-role.kubernetes.io/worker", "podwright.io/pool=training:NoSchedule")
    return cluster


def test_pods_of_operators_that_tolerate_nothing_run_where_their_namespace_lets_them(tainted: Rack) -> None:
    cluster, (certificates, _) = tainted, _operators()
    home = certificates.namespace["metadata"]["name"]
    bare = copy.deepcopy(certificates.namespace)
    del bare["metadata"]["annotations"]

    def waiting(namespace: str) -> list[str]:
        rows = [(pod, row) for pod in cluster.items("pods", "-n", namespace) for row in pod["status"]["conditions"]]
        return [pod["metadata"]["name"] for pod, row in rows if row.get("reason") == "Unschedulable"]

    with pytest.raises(AssertionError, match=re.escape(certificates.subscription["spec"]["startingCSV"])):
        subscribe(cluster, replace(certificates, namespace=bare), seconds=1)
    (pod,) = waiting(home)
    cluster.apply(certificates.namespace)
    cluster.kubectl("delete", "pod", pod, "-n", home, "--grace-period=0")
    subscribe(cluster, certificates)
    cluster.wait("cert-manager's pods wait", lambda: len(waiting("cert-manager")) == len(PARTS), 30)
    (settings,) = certificates.settings
    cluster.apply(settings)
    awaited = [each.removeprefix("condition=") for each in json.loads(settings["metadata"]["annotations"][WAIT_FOR])]
    assert len(awaited) == len(PARTS)

    def certified() -> bool:
        found = cluster.get("certmanager", "cluster")
        return all(is_true(found, kind) for kind in awaited)

    cluster.wait("cert-manager is available", certified, 30)
    assert not waiting("cert-manager")


@pytest.fixture(scope="module")
def with_sets(tainted: Rack) -> Rack:
    """The cluster with JobSet, which runs on the control plane."""
    cluster = tainted
    for operator in _operators():
        subscribe(cluster, operator)
        for each in operator.settings:
            cluster.apply(each)
    cluster.wait("JobSet", lambda: is_true(cluster.get("jobsetoperator", "cluster"), "Available"), 60)
    return cluster


def test_all_members_of_a_set_are_made_again_when_one_is_gone_and_a_code_that_is_given_up_on_ends_it(
    with_sets: Rack,
) -> None:
    """The real JobSet; drains are not counted, errors are."""
    cluster = with_sets
    cluster.apply(*(_set(name, {"give_up_on": [2], "replacements": 1}) for name in ("again", "over")))
    cluster.wait("both run", lambda: [_phases(cluster, name) for name in ("again", "over")] == [BOTH, BOTH], 60)

    def restarts(name: str) -> tuple[int, int]:
        status = cluster.get("jobset", name, "-n", "default")["status"]
        return status.get("restarts", 0), status.get("restartsCountTowardsMax", 0)

    def made_anew(name: str, before: set[str]) -> bool:
        return _phases(cluster, name) == BOTH and not before & _uids(cluster, name)

    before = _uids(cluster, "again")
    _fail(cluster, "over", "1", 2)
    _fail(cluster, "again", "1")
    cluster.wait("all are made again", lambda: made_anew("again", before), 60)
    assert restarts("again") == (1, 1)
    over = cluster.get("jobset", "over", "-n", "default")
    assert is_true(over, "Failed") and restarts("over") == (0, 0)

    before = _uids(cluster, "again")
    (pod,) = cluster.items("pods", "-n", "default", "-l", "gang=again,batch.kubernetes.io/job-completion-index=0")
    place = {"name": pod["metadata"]["name"], "namespace": "default"}
    evicted = json.dumps({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": place})
    path = f"/api/v1/namespaces/default/pods/{place['name']}/eviction"
    cluster.kubectl("create", "--raw", path, "-f", "-", stdin=evicted)
    cluster.wait("and again", lambda: made_anew("again", before), 60)
    assert restarts("again") == (2, 1), "a drain is nobody's failure"
    _fail(cluster, "again", "0")
    cluster.wait(
        "its one restart is used up", lambda: is_true(cluster.get("jobset", "again", "-n", "default"), "Failed")
    )


def _uids(cluster: Rack, name: str) -> set[str]:
    found = cluster.items("pods", "-n", "default", "-l", f"gang={name}")
    return {pod["metadata"]["uid"] for pod in found}


AMOUNTS = (
    "0Gi",
    "1Gi",
    "1024Gi",
    "1536Gi",
    "2048Gi",
    "3Pi",
    "1024Pi",
    "8",
    "999",
    "1000",
    "1024",
    "2500000",
    "5000000",
)


def test_amounts_of_a_large_set_are_found_as_they_were_written(with_sets: Rack) -> None:
    """The real JobSet writes each object back, and kubectl writes amounts as every program in Go does."""
    cluster = with_sets
    large = {"kind": "jobset", "nodes": 2, "memory_gib": 2048, "shm_gib": 1024, "home_gib": 1024}
    memory = [put(f"servers/{name}/memory_gib", 4096) for name in LAB["servers"]]
    keys = [put(f"workloads/training/pretrain/{key}", value) for key, value in large.items()]
    (planned,) = (each for each in whole.workloads(stack(LAB, both(*memory, *keys))) if each["kind"] == "JobSet")

    def found(name: str, made: dict[str, Any]) -> list[str]:
        spec = {**made["spec"], "suspend": True, "network": {**made["spec"]["network"], "subdomain": name}}
        cluster.apply({**made, "metadata": {"name": name, "namespace": "default"}, "spec": spec})
        return differs(spec, cluster.get("jobset", name, "-n", "default")["spec"])

    assert found("written-back", written_back(planned)) == []
    others = found("as-asked", planned)
    assert {each.rpartition(": ")[2] for each in others} == {"2048Gi is 2Ti", "1024Gi is 1Ti"}

    named = {f"example.com/n{index}": amount for index, amount in enumerate(AMOUNTS)}
    hard = ",".join(f"{name}={amount}" for name, amount in named.items())
    made = json.loads(cluster.kubectl("create", "quota", "all", f"--hard={hard}", "--dry-run=client", "-o", "json"))
    assert made["spec"]["hard"] == {name: canonical(amount) for name, amount in named.items()}

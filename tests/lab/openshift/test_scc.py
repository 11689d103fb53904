"""SecurityContextConstraints in a cluster: what is left out of one, and what pods get and why others are refused."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.lab.openshift.api import path_of
from tests.lab.openshift.rack import Rack

SHAPE = {"workers": ()}
pytestmark = pytest.mark.rough
SPACE = "team"


def test_what_is_left_out_is_filled_in_and_what_is_written_stays(cluster: Rack) -> None:
    cluster.apply({
        "apiVersion": "security.openshift.io/v1", "kind": "SecurityContextConstraints",
        "metadata": {"name": "validation"}, "allowHostIPC": True, "allowedCapabilities": ["IPC_LOCK"],
        "volumes": ["configMap"], "runAsUser": {"type": "RunAsAny"}, "seLinuxContext": {"type": "RunAsAny"},
    })  # fmt: skip
    found = cluster.get("securitycontextconstraints", "validation")
    assert (found["allowHostIPC"], found["allowHostPID"]) == (True, False)
    assert (found["allowedCapabilities"], found["requiredDropCapabilities"]) == (["IPC_LOCK"], None)
    assert found["priority"] is None
    assert (found["fsGroup"], found["allowPrivilegeEscalation"]) == ({"type": "RunAsAny"}, True)
    cluster.kubectl("delete", "securitycontextconstraints", "validation")


@pytest.mark.parametrize(("host", "volumes", "kept"), [
    (True, ["configMap"], {"configMap", "hostPath"}),
    (False, ["configMap", "hostPath"], {"configMap"}),
    (False, [], {"none"}),
])  # fmt: skip
def test_the_flag_for_the_host_s_folders_goes_before_the_list(
    cluster: Rack, host: bool, volumes: list[str], kept: set[str]
) -> None:
    made = {
        "apiVersion": "security.openshift.io/v1", "kind": "SecurityContextConstraints", "metadata": {"name": "flag"},
        "allowHostDirVolumePlugin": host, "volumes": volumes, "runAsUser": {"type": "RunAsAny"},
        "seLinuxContext": {"type": "RunAsAny"},
    }  # fmt: skip
    cluster.apply(made)
    assert set(cluster.get("securitycontextconstraints", "flag")["volumes"]) == kept
    cluster.apply({**made, "allowHostDirVolumePlugin": False, "volumes": ["*"]})
    every = cluster.get("securitycontextconstraints", "flag")["volumes"]
    assert "csi" in every and not {"*", "hostPath"} & set(every)
    cluster.kubectl("delete", "securitycontextconstraints", "flag")


def deployment(name: str, **spec: Any) -> dict[str, Any]:
    labels = {"app": name}
    pod = {"serviceAccountName": "default", "containers": [{"name": "main", "image": "registry.example.com/x"}], **spec}
    return {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": SPACE},
        "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}},
    }  # fmt: skip


def of(cluster: Rack, name: str) -> dict[str, Any]:
    """The pod of a Deployment, once it is there."""
    cluster.wait(f"a pod of {name}", lambda: bool(cluster.items("pods", "-n", SPACE, "-l", f"app={name}")))
    return dict(cluster.items("pods", "-n", SPACE, "-l", f"app={name}")[0])


def scc(pod: dict[str, Any]) -> str | None:
    return (pod["metadata"].get("annotations") or {}).get("openshift.io/scc")


def test_a_pod_in_a_namespace_of_this_moment_has_its_ids(cluster: Rack) -> None:
    """One request makes both: admission waits for what the namespace has yet to get."""
    cluster.apply(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}},
        deployment("plain"),
    )
    found = of(cluster, "plain")
    notes = cluster.get("namespace", SPACE)["metadata"]["annotations"]
    first = int(notes["openshift.io/sa.scc.uid-range"].partition("/")[0])
    assert (scc(found), found["spec"]["containers"][0]["securityContext"]["runAsUser"]) == ("restricted-v2", first)
    assert found["spec"]["securityContext"]["seLinuxOptions"]["level"] == notes["openshift.io/sa.scc.mcs"]
    spaces = [each["metadata"].get("annotations", {}) for each in cluster.items("namespaces")]
    ranges = [each.get("openshift.io/sa.scc.uid-range") for each in spaces]
    assert None not in ranges
    assert len(set(ranges)) == len(ranges)


def test_a_controller_reports_what_openshift_refuses_until_the_account_may(cluster: Rack) -> None:
    cluster.apply(deployment("host", hostNetwork=True))
    words = (
        'is forbidden: unable to validate against any security context constraint: [provider "anyuid": Forbidden: not '
        "usable by user or serviceaccount, provider restricted-v2: .spec.securityContext.hostNetwork: Invalid value: "
        "true: Host network is not allowed to be used, "
    )

    def refused() -> bool:
        events = cluster.items("events", "-n", SPACE)
        return any(each["reason"] == "FailedCreate" and words in each["message"] for each in events)

    cluster.wait("FailedCreate", refused)
    assert cluster.items("pods", "-n", SPACE, "-l", "app=host") == []
    cluster.kubectl(
        "create", "rolebinding", "host", "-n", SPACE, "--clusterrole=system:openshift:scc:hostnetwork-v2",
        f"--serviceaccount={SPACE}:default",
    )  # fmt: skip
    found = of(cluster, "host")
    assert scc(found) == "hostnetwork-v2"
    assert found["metadata"]["annotations"]["security.openshift.io/validated-scc-subject-type"] == "serviceaccount"


def test_an_administrator_s_own_pod_has_any_user_and_a_required_scc_is_heeded(cluster: Rack) -> None:
    pod = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "mine", "namespace": SPACE},
        "spec": {"containers": [{"name": "main", "image": "registry.example.com/x"}]},
    }  # fmt: skip
    cluster.apply(pod)
    assert scc(cluster.get("pod", "mine", "-n", SPACE)) == "anyuid"
    note: dict[str, Any] = {"name": "mine-too", "annotations": {"openshift.io/required-scc": "nonroot-v2"}}
    cluster.apply({**pod, "metadata": {"namespace": SPACE, **note}})
    assert scc(cluster.get("pod", "mine-too", "-n", SPACE)) == "nonroot-v2"


def test_a_pod_that_stands_may_be_labelled_and_debugged(cluster: Rack) -> None:
    name = of(cluster, "plain")["metadata"]["name"]
    cluster.kubectl("label", "pod", name, "-n", SPACE, "x=y")
    api = cluster.side.cluster.api
    assert api is not None
    debugged = {"spec": {"ephemeralContainers": [{"name": "debug", "image": "registry.example.com/x"}]}}
    api.merge(path_of("v1", "pods", SPACE, name), debugged, "ephemeralcontainers")
    (debug,) = of(cluster, "plain")["spec"]["ephemeralContainers"]
    assert debug["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_namespaces_of_the_first_run_levels_are_let_by(cluster: Rack) -> None:
    pod = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "early", "namespace": "default"},
        "spec": {"hostNetwork": True, "containers": [{"name": "main", "image": "registry.example.com/x"}]},
    }  # fmt: skip
    cluster.apply(pod)
    assert scc(cluster.get("pod", "early", "-n", "default")) is None

"""SCC admission against answers that OpenShift 4.20 clusters gave, and against the cases of the plugin's own tests.

Captures: https://github.com/openshift/apiserver-library-go, pkg/securitycontextconstraints, and texts that users of
such clusters published. Names of SCCs that other products had brought are left out.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

import pytest

from podwright.lab.openshift.scc import admission
from podwright.lab.openshift.scc.admission import RefusedError, Review
from podwright.lab.openshift.scc.allocation import level
from podwright.lab.openshift.scc.grants import Subject
from podwright.lab.openshift.scc.order import ordered
from podwright.lab.openshift.scc.shipped import constraints

Object = dict[str, Any]
ORDER = (
    "anyuid", "restricted-v2", "restricted-v3", "restricted", "nested-container", "nonroot-v2", "nonroot",
    "hostmount-anyuid", "hostmount-anyuid-v2", "machine-api-termination-handler", "hostnetwork-v2", "hostnetwork",
    "hostaccess", "node-exporter", "privileged",
)  # fmt: skip
"""As the refusals of 4.20 clusters list them."""
NAMESPACE = {
    "metadata": {"name": "team", "annotations": {
        "openshift.io/sa.scc.uid-range": "1000690000/10000",
        "openshift.io/sa.scc.supplemental-groups": "1000690000/10000", "openshift.io/sa.scc.mcs": "s0:c26,c20",
    }},
}  # fmt: skip


class Rights:
    """Everybody may use these; the account these."""

    def __init__(self, user: Iterable[str] = ("restricted-v2",), account: Iterable[str] = ()) -> None:
        self._user, self._account = set(user), set(account)

    def may_use(self, subject: Subject, scc: Object, namespace: str) -> bool:
        names = self._account if subject.name.startswith("system:serviceaccount:team:") else self._user
        return namespace == "team" and scc["metadata"]["name"] in names


def pod(container: Object | None = None, **spec: Any) -> Object:
    """A pod of one container as the API server hands it on."""
    context = {} if container is None else {"securityContext": container}
    return {
        "metadata": {"generateName": "pod-"},
        "spec": {
            "serviceAccountName": "default", "securityContext": {},
            "containers": [{"name": "main", "image": "image", **context}], **spec,
        },
    }  # fmt: skip


def review(of: Object, rights: Rights | None = None, before: Object | None = None, **more: Any) -> Review:
    user = Subject("system:serviceaccount:kube-system:replicaset-controller", ("system:authenticated",))
    return Review(**{
        "pod": of, "before": before, "subresource": "", "creates": before is None, "namespace": NAMESPACE,
        "user": user, "sccs": constraints(), "rights": rights or Rights(), **more,
    })  # fmt: skip


def refusal(of: Object, rights: Rights | None = None, **more: Any) -> str:
    with pytest.raises(RefusedError) as caught:
        admission.admitted(review(of, rights, **more))
    return str(caught.value)


def answer(*restricted: str) -> str:
    """A refusal where `restricted-v2` alone may be used."""
    words = [f'provider "{name}": Forbidden: not usable by user or serviceaccount' for name in ORDER]
    rows = [*words[:1], *restricted, *words[2:]]
    return f"unable to validate against any security context constraint: [{', '.join(rows)}]"


def context(of: Object, rights: Rights | None = None, **more: Any) -> tuple[str, Object, Object]:
    """(the SCC, the pod's context, the container's context) after admission."""
    made = admission.admitted(review(of, rights, **more))
    spec = made["spec"]
    name = made["metadata"]["annotations"]["openshift.io/scc"]
    return name, spec["securityContext"], spec["containers"][0].get("securityContext", {})


def test_sccs_are_tried_in_the_order_of_real_clusters() -> None:
    assert tuple(each["metadata"]["name"] for each in ordered(reversed(constraints()))) == ORDER


V2 = "provider restricted-v2: "
HOST_PATH = "hostPath volumes are not allowed to be used"
CAPTURES: dict[str, tuple[Object, tuple[str, ...]]] = {
    "a storage product's pod on 4.20": (
        pod({"privileged": True}, hostPID=True, volumes=[
            {"name": "v0", "emptyDir": {}}, *({"name": f"v{i}", "hostPath": {"path": "/x"}} for i in range(1, 5)),
        ]),
        (
            f"{V2}.spec.securityContext.hostPID: Invalid value: true: Host PID is not allowed to be used",
            *(f'spec.volumes[{i}]: Invalid value: "hostPath": {HOST_PATH}' for i in range(1, 5)),
            f"{V2}.containers[0].privileged: Invalid value: true: Privileged containers are not allowed",
            f"{V2}.containers[0].hostPID: Invalid value: true: Host PID is not allowed to be used",
        ),
    ),
    "a web server of one fixed user on 4.20": (
        pod(securityContext={"runAsUser": 1000, "fsGroup": 1000}),
        (
            f"{V2}.spec.securityContext.fsGroup: Invalid value: []int64{{1000}}: 1000 is not an allowed group",
            f"{V2}.containers[0].runAsUser: Invalid value: 1000: must be in the ranges: [1000690000, 1000699999]",
        ),
    ),
    "capabilities and escalation": (
        pod({"capabilities": {"add": ["CHECKPOINT_RESTORE", "SETPCAP"]}, "allowPrivilegeEscalation": True}),
        (
            f'{V2}.containers[0].capabilities.add: Invalid value: "CHECKPOINT_RESTORE": capability may not be added',
            f'{V2}.containers[0].capabilities.add: Invalid value: "SETPCAP": capability may not be added',
            f"{V2}.containers[0].allowPrivilegeEscalation: Invalid value: true: Allowing privilege escalation for "
            "containers is not allowed",
        ),
    ),
    "the host's network and a port of it": (
        pod(hostNetwork=True, containers=[{"name": "main", "ports": [{"containerPort": 80, "hostPort": 80}]}]),
        (
            f"{V2}.spec.securityContext.hostNetwork: Invalid value: true: Host network is not allowed to be used",
            f"{V2}.containers[0].hostNetwork: Invalid value: true: Host network is not allowed to be used",
            f"{V2}.containers[0].containers[0].hostPort: Invalid value: 80: Host ports are not allowed to be used",
        ),
    ),
    "a level that is not the namespace's": (
        pod(securityContext={"seLinuxOptions": {}}),
        (
            f'{V2}.spec.securityContext.seLinuxOptions.level: Invalid value: "": must be s0:c26,c20',
            f'{V2}.containers[0].seLinuxOptions.level: Invalid value: "": must be s0:c26,c20',
        ),
    ),
    "a sysctl of the node": (
        pod(securityContext={"sysctls": [{"name": "kernel.sem", "value": "1"}]}),
        ('pod.spec.securityContext.sysctls[0]: Forbidden: unsafe sysctl "kernel.sem" is not allowed',),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CAPTURES)
def test_refusals_say_what_real_clusters_say(case: str) -> None:
    given, problems = CAPTURES[case]
    assert refusal(given) == answer(*problems)


@pytest.mark.parametrize("user", [0, 1000689999, 1000700000])
def test_a_user_outside_the_namespace_s_ids_is_refused(user: int) -> None:
    words = f"{V2}.containers[0].runAsUser: Invalid value: {user}: must be in the ranges: [1000690000, 1000699999]"
    assert words in refusal(pod({"runAsUser": user}))


def test_the_older_scc_is_named_where_it_would_do() -> None:
    words = refusal(pod({"allowPrivilegeEscalation": True}))
    assert words.endswith(
        "no access to scc/restricted: Forbidden: the pod fails to validate against the `restricted-v2` security "
        "context constraint, but would validate successfully against the `restricted` security context constraint]"
    )


def test_unconfined_seccomp_is_refused_by_its_annotation() -> None:
    words = refusal(pod(securityContext={"seccompProfile": {"type": "Unconfined"}}))
    key = "pod.metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]"
    allowed = "Valid values are [runtime/default]"
    assert f"{key}: Forbidden: unconfined is not an allowed seccomp profile. {allowed}" in words


def test_a_plain_pod_gets_the_namespace_s_user_group_and_level() -> None:
    name, whole, container = context(pod())
    assert name == "restricted-v2"
    assert whole == {
        "fsGroup": 1000690000, "seLinuxOptions": {"level": "s0:c26,c20"}, "seccompProfile": {"type": "RuntimeDefault"},
    }  # fmt: skip
    assert container == {
        "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "runAsNonRoot": True,
        "runAsUser": 1000690000,
    }  # fmt: skip


def test_the_subject_that_had_the_right_is_noted() -> None:
    notes = admission.admitted(review(pod()))["metadata"]["annotations"]
    assert notes["security.openshift.io/validated-scc-subject-type"] == "user"
    assert notes["seccomp.security.alpha.kubernetes.io/pod"] == "runtime/default"
    notes = admission.admitted(review(pod(), Rights((), ["privileged"])))["metadata"]["annotations"]
    assert notes["security.openshift.io/validated-scc-subject-type"] == "serviceaccount"


@pytest.mark.parametrize(("spec", "usable", "scc"), [
    ({"hostUsers": False, "securityContext": {"runAsUser": 2000}}, ["restricted-v2", "restricted-v3"], "restricted-v3"),
    ({"securityContext": {"runAsUser": 2000}}, ["restricted-v2", "nonroot-v2", "anyuid"], "anyuid"),
    ({"securityContext": {"runAsUser": 2000}}, ["restricted-v2", "nonroot-v2", "privileged"], "nonroot-v2"),
    ({}, ["anyuid", "restricted-v2", "privileged"], "anyuid"),
    ({"hostNetwork": True}, ["restricted-v2", "hostnetwork-v2", "privileged"], "hostnetwork-v2"),
    ({"volumes": [{"name": "x", "hostPath": {"path": "/"}}]}, ["restricted-v2", "privileged"], "privileged"),
    ({"volumes": [{"name": "x", "nfs": {"server": "s"}}]}, ["nonroot", "hostmount-anyuid"], "hostmount-anyuid"),
])  # fmt: skip
def test_the_first_scc_that_fits_wins(spec: Object, usable: list[str], scc: str) -> None:
    assert context(pod(**spec), Rights(usable))[0] == scc


def test_restricted_v3_wants_a_user_namespace() -> None:
    words = refusal(pod(), Rights(["restricted-v3"]))
    path = "provider restricted-v3: .spec.securityContext.hostUsers"
    assert f'{path}: Invalid value: "null": Host Users must be set to false' in words


def test_a_required_scc_is_the_only_one_tried() -> None:
    wants = pod()
    wants["metadata"]["annotations"] = {"openshift.io/required-scc": "nonroot-v2"}
    assert context(wants, Rights(["restricted-v2", "nonroot-v2"]))[0] == "nonroot-v2"
    assert refusal(wants) == (
        "unable to validate against any security context constraint: "
        'provider "nonroot-v2": Forbidden: not usable by user or serviceaccount'
    )
    wants["metadata"]["annotations"] = {"openshift.io/required-scc": "mine"}
    assert 'failed to retrieve the required SCC "mine"' in refusal(wants)


def test_the_token_of_an_account_is_no_projected_volume() -> None:
    sources = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [
            {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}},
        ]}},
    ]  # fmt: skip
    narrow = copy.deepcopy(list(constraints()))
    next(each for each in narrow if each["metadata"]["name"] == "restricted-v2")["volumes"] = ["secret"]
    token = pod(volumes=[{"name": "token", "projected": {"sources": sources}}])
    assert context(token, sccs=tuple(narrow))[0] == "restricted-v2"
    other = pod(volumes=[{"name": "token", "projected": {"sources": [{"configMap": {"name": "mine"}}]}}])
    assert "projected volumes are not allowed" in refusal(other, sccs=tuple(narrow))


def test_a_pod_that_was_admitted_passes_again_and_stays_as_it_is() -> None:
    made = admission.admitted(review(pod()))
    admission.validate(review(made))
    labelled = {**made, "metadata": {**made["metadata"], "labels": {"x": "y"}}}
    assert admission.changes(labelled, admission.admitted(review(labelled, before=made))) == []
    changed = copy.deepcopy(made)
    changed["spec"]["containers"][0]["securityContext"]["runAsUser"] = 0
    assert "runAsUser: Invalid value: 0: must be in the ranges" in refusal(changed, before=made)
    with pytest.raises(RefusedError, match="runAsUser"):
        admission.validate(review(changed))


def test_an_ephemeral_container_is_filled_in_and_nothing_else() -> None:
    made = admission.admitted(review(pod()))
    more = copy.deepcopy(made)
    more["spec"]["ephemeralContainers"] = [{"name": "debug", "image": "x"}]
    asked = review(more, before=made, subresource="ephemeralcontainers")
    (change,) = admission.changes(more, admission.admitted(asked))
    assert change["path"] == "/spec/ephemeralContainers/0/securityContext"
    assert change["value"]["runAsUser"] == 1000690000


def test_what_the_cluster_writes_to_metadata_is_let_by() -> None:
    made = admission.admitted(review(pod()))
    owned = {**made, "metadata": {**made["metadata"], "finalizers": ["x"]}}
    notes = {**made["metadata"]["annotations"], "k8s.ovn.org/pod-networks": "{}"}
    assert admission.ignored(owned, made)
    assert admission.ignored({**made, "metadata": {**made["metadata"], "annotations": notes}}, made)
    assert not admission.ignored({**made, "metadata": {**made["metadata"], "labels": {"x": "y"}}}, made)
    assert not admission.ignored(made, None)


def test_a_namespace_without_its_annotations_has_no_pods() -> None:
    bare = {"metadata": {"name": "team"}}
    assert refusal(pod(), namespace=bare) == (
        'error fetching namespace "team": unable to find annotation openshift.io/sa.scc.uid-range'
    )


def test_levels_are_those_of_real_namespaces() -> None:
    """`1000660000/10000` has `s0:c26,c5`, `1001020000/10000` has `s0:c32,c14`."""
    assert (level(0), level(66), level(102)) == ("s0:c1,c0", "s0:c26,c5", "s0:c32,c14")

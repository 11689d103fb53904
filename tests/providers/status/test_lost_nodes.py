"""What is shown of nodes that fell silent: given up, left alone, or left out."""

from typing import Any

from podwright.components.providers.openshift.drain import EXCLUDED
from podwright.components.providers.status.lost_nodes import troubles
from podwright.components.providers.status.snapshot import Snapshot

STARTED = "2026-11-26T08:00:00Z"


def _check(*rows: dict[str, Any], **status: Any) -> dict[str, Any]:
    about = {"phase": "Remediating", "unhealthyNodes": list(rows), **status}
    return {"metadata": {"name": "training"}, "spec": {"maxUnhealthy": 1}, "status": about}


def _row(node: str, *, remediated: bool = False) -> dict[str, Any]:
    resource = {"name": f"{node}-x7", "namespace": "openshift-workload-availability"}
    return {"name": node, **({"remediations": [{"resource": resource, "started": STARTED}]} if remediated else {})}


def _remediation(node: str, **status: Any) -> dict[str, Any]:
    return {"metadata": {"name": f"{node}-x7", "namespace": "openshift-workload-availability"}, "status": status}


def _node(name: str, *, cordoned: bool, ours: bool = True) -> dict[str, Any]:
    notes = {"podwright.io/excluded-from-remediation": "yes"} if ours else {}
    meta = {"name": name, "labels": {EXCLUDED: "true"}, "annotations": notes}
    return {"metadata": meta, "spec": {"unschedulable": True} if cordoned else {}}


def _said(*checks: dict[str, Any], nodes: tuple[Any, ...] = (), remediations: tuple[Any, ...] = ()) -> list[str]:
    return list(troubles(Snapshot({"NodeHealthCheck": checks, "Node": nodes, "SelfNodeRemediation": remediations})))


def test_a_node_that_is_given_up_is_named_with_how_far_that_is() -> None:
    check = _check(_row("gpu-02", remediated=True))
    (begun,) = _said(check)
    assert begun == f"node gpu-02 is given up since {STARTED}: it has begun"
    (done,) = _said(check, remediations=(_remediation("gpu-02", phase="Fencing-Completed", lastError=""),))
    assert done.endswith(": Fencing-Completed")
    (stuck,) = _said(check, remediations=(_remediation("gpu-02", lastError="Node is not capable to reboot itself"),))
    assert stuck.endswith(": Node is not capable to reboot itself")


def test_nodes_that_are_lost_together_are_not_given_up_and_both_are_named() -> None:
    (said,) = _said(_check(_row("gpu-01"), _row("gpu-02"), _row("gpu-03")))
    assert said == (
        "nodes gpu-01, gpu-02 and gpu-03 of pool training are lost together, and none is given up: at most 1 is "
        "(openshift.lost_nodes.max_lost)"
    )


def test_a_node_of_a_roll_out_is_no_trouble_and_one_that_was_left_excluded_is() -> None:
    assert _said(_check(_row("gpu-01")), nodes=(_node("gpu-01", cordoned=True),)) == []
    (said,) = _said(_check(), nodes=(_node("gpu-01", cordoned=False),))
    assert said == f"node gpu-01 takes pods, and is never given up: `oc label node gpu-01 {EXCLUDED}-` ends that"
    assert _said(_check(), nodes=(_node("gpu-01", cordoned=False, ours=False),)) == [], "a person's label is theirs"


def test_a_check_that_is_off_says_why() -> None:
    (said,) = _said(_check(phase="Disabled", reason="NHC is disabled: RemediationTemplateNotFound"))
    assert said == "no lost node of pool training is given up: NHC is disabled: RemediationTemplateNotFound"


def test_a_cluster_without_checks_has_nothing_to_say() -> None:
    assert _said(nodes=(_node("gpu-01", cordoned=False),)) == []

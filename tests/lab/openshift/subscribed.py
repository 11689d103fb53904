"""A planned operator on a rack, installed as a person does it."""

from __future__ import annotations

from podwright.components.design.operators import Operator
from tests.lab.openshift.rack import Rack


def subscribe(cluster: Rack, planned: Operator, seconds: float = 60) -> None:
    """Subscribe, approve the plan, wait so many seconds for the CSV."""
    cluster.apply(planned.namespace, planned.group, planned.subscription)
    space, csv = planned.namespace["metadata"]["name"], planned.subscription["spec"]["startingCSV"]
    cluster.wait("a plan", lambda: bool(cluster.items("installplans", "-n", space)))
    plan = cluster.items("installplans", "-n", space)[0]["metadata"]["name"]
    cluster.kubectl("patch", "installplan", plan, "-n", space, "--type=merge", "-p", '{"spec":{"approved":true}}')
    cluster.wait(csv, lambda: bool(cluster.get("csv", csv, "-n", space)["status"]["phase"] == "Succeeded"), seconds)

"""Waivers reach the policy pack in the inputs of the cluster, and change nothing else that is registered."""

from podwright.components.model import Waiver
from tests.components.recording import register
from tests.design import goldens

WAIVER = {
    "rule": "fabric-pfc-watchdog", "resource": "lab-leaf-*", "reason": "moved in spring", "owner": "network team",
    "until": "2050-12-31",
}  # fmt: skip


def test_waivers_stand_in_the_inputs_of_the_cluster_alone() -> None:
    cluster = goldens.cluster("lab")
    waived = cluster.model_copy(update={"waivers": (Waiver.model_validate(WAIVER),)})
    before, after = register(cluster), register(waived)
    assert set(before) == set(after)
    changed = [after[urn] for urn, each in before.items() if each.inputs != after[urn].inputs]
    assert [each.type for each in changed] == ["podwright:index:AiCluster"]
    about = dict(changed[0].inputs["about"])
    assert about.pop("waivers") == [WAIVER]
    assert about == before[changed[0].urn].inputs["about"], "without waivers a state stays as it was"

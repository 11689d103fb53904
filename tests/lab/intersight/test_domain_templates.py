"""Templates of domain profiles: what a merge takes to the interconnects' profiles, and what these may not change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.lab.intersight.conftest import WORLD, Bench
from tests.lab.intersight.test_deploy import policy, ref

CLUSTERS, SWITCHES = "fabric/SwitchClusterProfiles", "fabric/SwitchProfiles"
PAIRS, SIDES = "fabric/SwitchClusterProfileTemplates", "fabric/SwitchProfileTemplates"


def both(bench: Bench, path: str, above: Any, parent: str, **values: Any) -> list[Any]:
    """Profiles or templates of both fabrics below that of the pair."""
    return [
        bench.client.create(path, {"Name": f"{above['Name']}-{side}", "SwitchId": side, parent: ref(above), **values})
        for side in ("A", "B")
    ]


def merge(bench: Bench, source: Any, target: Any) -> None:
    body = {"Sources": [ref(source)], "Targets": [ref(target)], "MergeAction": "Replace"}
    answers = bench.client.ok("POST", "bulk/MoMergers", body)["Responses"]
    assert {each["Status"] for each in answers} == {200}


@pytest.mark.parametrize("form", ["together", "each"])
def test_a_pair_is_merged_with_its_template_in_both_forms(tmp_path: Path, form: str) -> None:
    bench = Bench(tmp_path, WORLD + f"variants: {{domain-merge: {form}}}\n")
    try:
        client, ntp = bench.client, policy(bench, "ntp/Policies")
        pair = client.create(PAIRS, bench.named("t"))
        sides = both(bench, SIDES, pair, "SwitchClusterProfileTemplate", PolicyBucket=[ref(ntp)])
        cluster = client.create(CLUSTERS, bench.named("x", SrcTemplate=ref(pair)))
        switches = both(bench, SWITCHES, cluster, "SwitchClusterProfile")
        path = f"{CLUSTERS}/{cluster['Moid']}"
        assert (client.get(path)["TemplateSyncStatus"], client.get(f"{PAIRS}/{pair['Moid']}")["Usage"]) == (
            "OutOfSync", 1
        )  # fmt: skip
        merge(bench, pair, cluster)
        merged = [client.get(f"{SWITCHES}/{each['Moid']}")["PolicyBucket"] != [] for each in switches]
        assert merged == [form == "together"] * 2
        for side, switch in zip(sides, switches, strict=True):
            merge(bench, side, switch)
        assert client.get(path)["TemplateSyncStatus"] == "OK"
        one = f"{SWITCHES}/{switches[0]['Moid']}"
        assert client.refused("PATCH", one, {"PolicyBucket": []}) == (403, "gershwin_cannot_edit_derived_sp")
        assert client.refused("DELETE", f"{PAIRS}/{pair['Moid']}")[0] == 400
        client.ok("PATCH", path, {"SrcTemplate": None})
        client.ok("PATCH", one, {"PolicyBucket": []})
        client.ok("DELETE", f"{PAIRS}/{pair['Moid']}")
        assert not client.list(SIDES)
    finally:
        bench.close()

"""Templates of vNICs: what they give, what follows them by itself, what may be overridden, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.lab.intersight.conftest import WORLD, Bench
from tests.lab.intersight.test_deploy import policy, ref
from tests.waiting import until

VNICS, TEMPLATES = "vnic/EthIfs", "vnic/VnicTemplates"


class Site:
    """A LAN connectivity policy, what a template must have, and a template."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.client = bench, bench.client
        self.qos = [policy(bench, "vnic/EthQosPolicies", Name=f"mtu-{mtu}", Mtu=mtu) for mtu in (1500, 9000)]
        self.needed = {
            "EthQosPolicy": ref(self.qos[0]),
            "EthAdapterPolicy": ref(policy(bench, "vnic/EthAdapterPolicies")),
            "FabricEthNetworkGroupPolicy": [ref(policy(bench, "fabric/EthNetworkGroupPolicies"))],
            "FabricEthNetworkControlPolicy": ref(policy(bench, "fabric/EthNetworkControlPolicies")),
            "MacPool": ref(policy(bench, "macpool/Pools")),
        }
        self.source = self.client.create(TEMPLATES, bench.named("t", SwitchId="B", **self.needed))
        self.lan = policy(bench, "vnic/LanConnectivityPolicies", TargetPlatform="FIAttached")

    def vnic(self, **values: Any) -> str:
        body = {"Name": "eth0", "LanConnectivityPolicy": ref(self.lan), "Placement": {"Id": "MLOM"}, **values}
        return f"{VNICS}/{self.client.create(VNICS, body)['Moid']}"

    def attach(self, path: str) -> None:
        orders = [{"ClassId": "motemplate.ActionEntry", "ObjectType": "motemplate.ActionEntry", "Type": "Attach"}]
        self.client.ok("PATCH", path, {"SrcTemplate": ref(self.source), "TemplateActions": orders})

    def merge(self, path: str) -> Any:
        targets = [{"ObjectType": "vnic.EthIf", "Moid": path.rpartition("/")[2]}]
        body = {"Sources": [ref(self.source)], "Targets": targets, "MergeAction": "Replace"}
        return self.client.ok("POST", "bulk/MoMergers", body)["Responses"][0]

    def change(self, **values: Any) -> None:
        self.client.ok("PATCH", f"{TEMPLATES}/{self.source['Moid']}", values)

    def in_step(self, path: str) -> bool:
        return bool(self.client.get(path)["TemplateSyncStatus"] == "OK")


@pytest.mark.parametrize("form", ["ordered", "automatic"])
def test_a_vnic_is_attached_in_both_forms_and_follows_its_template_by_itself(tmp_path: Path, form: str) -> None:
    bench = Bench(tmp_path, WORLD + f"variants: {{template-sync: {form}}}\n")
    try:
        site = Site(bench)
        path = site.vnic()
        site.attach(path)
        if form == "ordered":
            assert site.client.get(path)["TemplateSyncStatus"] == "OutOfSync"
            assert site.merge(path)["Status"] == 200
        until(lambda: site.in_step(path))
        live = site.client.get(path)
        assert (live["EthQosPolicy"]["Moid"], live["Placement"]["SwitchId"]) == (site.qos[0]["Moid"], "B")
        assert live["Placement"]["Id"] == "MLOM", "its place stays its own"
        site.change(EthQosPolicy=ref(site.qos[1]))
        assert site.client.get(path)["TemplateSyncStatus"] == "Scheduled"
        until(lambda: site.in_step(path))
        assert site.client.get(path)["EthQosPolicy"]["Moid"] == site.qos[1]["Moid"]
        template = site.client.get(f"{TEMPLATES}/{site.source['Moid']}")
        assert (template["UpdateStatus"], template["UsageCount"], template["LcpUsageCount"]) == ("OK", 1, 1)
    finally:
        bench.close()


def test_a_vnic_overrides_nothing_until_its_template_allows_it(bench: Bench) -> None:
    site = Site(bench)
    path = site.vnic()
    site.attach(path)
    site.merge(path)
    other = {"EthQosPolicy": ref(site.qos[1])}
    refused = (403, "lab_cannot_edit_derived_vnic")
    assert site.client.refused("PATCH", path, other) == refused
    place = site.client.get(path)["Placement"]
    assert site.client.refused("PATCH", path, {"Placement": {**place, "SwitchId": "A"}}) == refused
    site.client.ok("PATCH", path, {"Placement": {**place, "Uplink": 1}, "Order": 3})
    site.change(EnableOverride=True)
    site.client.ok("PATCH", path, other)
    live = site.client.get(path)
    assert (live["OverriddenList"], live["TemplateSyncStatus"]) == (["EthQosPolicy"], "OK")
    site.merge(path)
    assert site.client.get(path)["EthQosPolicy"]["Moid"] == site.qos[1]["Moid"]
    site.change(EnableOverride=False)
    until(lambda: site.in_step(path))
    live = site.client.get(path)
    assert (live["OverriddenList"], live["EthQosPolicy"]["Moid"]) == ([], site.qos[0]["Moid"])


def test_a_vnic_is_cloned_and_let_go_with_what_it_has(bench: Bench) -> None:
    site = Site(bench)
    target = {"ObjectType": "vnic.EthIf", "Name": "eth0", "LanConnectivityPolicy": ref(site.lan)}
    cloned = site.client.ok("POST", "bulk/MoCloners", {"Sources": [ref(site.source)], "Targets": [target]})
    path = f"{VNICS}/{cloned['Responses'][0]['Body']['Moid']}"
    assert site.in_step(path)
    assert site.client.refused("DELETE", f"{TEMPLATES}/{site.source['Moid']}")[0] == 400
    other = site.client.create(TEMPLATES, bench.named("u", **site.needed))
    assert site.client.refused("PATCH", path, {"SrcTemplate": ref(other)}) == (403, "gershwin_derived_sp_invalid_src")
    site.client.ok("PATCH", path, {"SrcTemplate": None})
    assert site.client.get(path)["EthQosPolicy"]["Moid"] == site.qos[0]["Moid"]
    site.client.ok("DELETE", f"{TEMPLATES}/{site.source['Moid']}")


def test_a_template_needs_its_policies_and_a_standalone_server_s_vnic_takes_none(bench: Bench) -> None:
    site = Site(bench)
    for name in site.needed:
        less = {key: value for key, value in site.needed.items() if key != name}
        assert site.client.refused("POST", TEMPLATES, bench.named("u", **less))[0] == 400
    site.lan = policy(bench, "vnic/LanConnectivityPolicies", Name="alone", TargetPlatform="Standalone")
    path = site.vnic()
    assert site.client.refused("PATCH", path, {"SrcTemplate": ref(site.source)})[1] == "lab_template_platform"

"""URLs, verbs, preconditions, queries, references: what any client of the REST interface meets."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
import requests

from podwright.lab.intersight.rules import vlan_ranges
from tests.lab.intersight.conftest import WORLD, Bench, Client

SERVERS = ["192.0.2.1"]


def ntp(bench: Bench, name: str = "site", **more: Any) -> Any:
    return bench.client.create("ntp/Policies", bench.named(name, **{"NtpServers": SERVERS, **more}))


def test_unsigned_wrongly_signed_and_late_requests_are_refused(bench: Bench) -> None:
    url = f"http://{bench.side.http}/api/v1/ntp/Policies"
    plain = requests.get(url, timeout=5)
    assert (plain.status_code, plain.json()["messageId"]) == (401, "iam_api_key_is_invalid")
    assert Client(bench.client.base, bench.pem, "a/b/other").refused("GET", "ntp/Policies")[0] == 401
    assert bench.client.refused("GET", "ntp/Policies", headers={"Digest": "SHA-256=AAAA"})[0] == 401
    assert bench.client.refused("GET", "ntp/Policies", headers={"Date": "Sat, 01 Jan 2000 00:00:00 GMT"})[0] == 401
    assert bench.client.raw("GET", "ntp/Policies").status_code == 200


def test_a_replayed_signature_does_not_fit_another_url_or_body(bench: Bench) -> None:
    made = ntp(bench)
    good = bench.client.raw("GET", "ntp/Policies")
    headers = dict(good.request.headers)
    assert requests.get(f"{bench.client.base}/api/v1/ntp/Policies", headers=headers, timeout=5).status_code == 200
    other = f"{bench.client.base}/api/v1/ntp/Policies/{made['Moid']}"
    assert requests.get(other, headers=headers, timeout=5).status_code == 401


def test_rotated_key_counts_at_once(bench: Bench) -> None:
    from podwright.lab.intersight.signature import new_key

    fresh = new_key()
    (bench.lab.secrets / "intersight-key").write_text(fresh)
    assert bench.client.refused("GET", "ntp/Policies")[0] == 401
    assert Client(bench.client.base, fresh).raw("GET", "ntp/Policies").status_code == 200


def test_create_upserts_by_name_and_organization(bench: Bench) -> None:
    made = ntp(bench, Timezone="Europe/Vienna")
    again = bench.client.raw("POST", "ntp/Policies", bench.named("site", NtpServers=["192.0.2.9"]))
    assert again.status_code == 200
    body = again.json()
    assert (body["Moid"], body["NtpServers"], body["Timezone"]) == (made["Moid"], ["192.0.2.9"], "Europe/Vienna")
    assert bench.client.refused("POST", "ntp/Policies", bench.named("site"), {"If-None-Match": "*"})[0] == 412
    other = bench.client.create("organization/Organizations", {"Name": "other"})
    apart = bench.client.create("ntp/Policies", {"Name": "site", "Organization": {"Moid": other["Moid"]}})
    assert apart["Moid"] != made["Moid"]
    assert len(bench.client.list("ntp/Policies", filter="Name eq 'site'")) == 2


def test_updates_by_patch_post_and_json_patch(bench: Bench) -> None:
    path = f"ntp/Policies/{ntp(bench)['Moid']}"
    assert bench.client.ok("PATCH", path, {"Enabled": False})["NtpServers"] == SERVERS
    assert bench.client.ok("POST", path, {"Timezone": "Europe/Vienna"})["Enabled"] is False
    operations = [
        {"op": "test", "path": "/Timezone", "value": "Europe/Vienna"},
        {"op": "add", "path": "/NtpServers/-", "value": "192.0.2.2"},
        {"op": "replace", "path": "/Enabled", "value": True},
    ]
    patched = bench.client.ok("PATCH", path, operations, {"Content-Type": "application/json-patch+json"})
    assert (patched["NtpServers"], patched["Enabled"]) == ([*SERVERS, "192.0.2.2"], True)
    failing = [{"op": "test", "path": "/Timezone", "value": "Mars"}]
    assert bench.client.refused("PATCH", path, failing, {"Content-Type": "application/json-patch+json"})[0] == 400


def test_stale_if_match_is_refused(bench: Bench) -> None:
    made = ntp(bench)
    path = f"ntp/Policies/{made['Moid']}"
    newer = bench.client.ok("PATCH", path, {"Enabled": False}, {"If-Match": made["ModTime"]})
    assert newer["ModTime"] > made["ModTime"]
    assert bench.client.refused("PATCH", path, {"Enabled": True}, {"If-Match": made["ModTime"]})[0] == 412
    assert bench.client.get(path)["Enabled"] is False
    same = bench.client.ok("PATCH", path, {"Enabled": False})
    assert same["ModTime"] == newer["ModTime"]


@pytest.mark.parametrize(
    ("body", "message_id", "word"),
    [
        ({"Name": ""}, "", "pattern"),
        ({"NoSuchThing": 1}, "lab_property_does_not_exist", "'ntp.Policy.NoSuchThing' does not exist"),
        ({"Timezone": "Mars/Olympus"}, "lab_property_value_invalid", "Mars/Olympus"),
        ({"NtpServers": ["1"] * 5}, "lab_property_value_invalid", "5 items"),
        ({"NtpServers": "192.0.2.1"}, "lab_property_value_invalid", "not a list"),
        ({"Enabled": "yes"}, "lab_property_value_invalid", "type bool"),
        ({"Description": "AI node — GPU"}, "lab_property_value_invalid", "pattern"),
        ({"CreateTime": "2026-01-01T00:00:00Z"}, "lab_property_read_only", "read-only"),
        ({"ObjectType": "snmp.Policy"}, "barcelona_request_malformed_json", "snmp.Policy"),
        ({"Tags": [{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}]}, "barcelona_duplicate_tag_key", "'a'"),
        ({"Organization": {"Moid": "0" * 24}}, "barcelona_request_object_does_not_exist", "0000"),
        (
            {"Organization": {"ClassId": "organization.Organization", "Moid": "x"}},
            "barcelona_request_malformed_json",
            "",
        ),
    ],
)
def test_bad_bodies_say_what_is_wrong(bench: Bench, body: dict[str, Any], message_id: str, word: str) -> None:
    reply = bench.client.raw("POST", "ntp/Policies", bench.named("site") | body)
    assert reply.status_code in (400, 404)
    error = reply.json()
    assert word in error["message"]
    assert message_id in ("", error["messageId"])
    assert not bench.client.list("ntp/Policies")


def test_what_must_be_said(bench: Bench) -> None:
    reply = bench.client.raw("POST", "ntp/Policies", {"Organization": {"Moid": bench.org}})
    assert (
        reply.json()["message"] == "Cannot set the property 'policy.AbstractPolicy.Name'. The property cannot be empty."
    )
    assert reply.json()["messageId"] == "barcelona_request_cannot_access_property_required"
    assert "Organization" in bench.client.raw("POST", "ntp/Policies", {"Name": "x"}).json()["message"]
    assert "LanConnectivityPolicy" in bench.client.raw("POST", "vnic/EthIfs", {"Name": "eth0"}).json()["message"]


def test_nested_properties_are_named_as_the_server_names_them(bench: Bench) -> None:
    lan = bench.client.create("vnic/LanConnectivityPolicies", bench.named("lan"))
    body = {
        "Name": "eth0",
        "LanConnectivityPolicy": {"Moid": lan["Moid"]},
        "Placement": {"PciLinkAssignmentModes": "x"},
    }
    message = bench.client.raw("POST", "vnic/EthIfs", body).json()["message"]
    assert message == "The property 'vnic.EthIf.Placement:PciLinkAssignmentModes' does not exist."
    good = bench.client.create("vnic/EthIfs", body | {"Placement": {"Id": "MLOM", "SwitchId": "A"}})
    assert good["Placement"]["ClassId"] == "vnic.PlacementSettings"
    assert good["Placement"]["PciLink"] == 0
    assert [r["Moid"] for r in bench.client.get(f"vnic/LanConnectivityPolicies/{lan['Moid']}")["EthIfs"]] == [
        good["Moid"]
    ]
    qos = bench.named("q", RoceSettings={"ClassOfService": 3})
    assert bench.client.refused("POST", "vnic/EthAdapterPolicies", qos)[0] == 400


def test_an_older_appliance_does_not_know_newer_properties(bench: Bench) -> None:
    hidden = "vnic.EthAdapterPolicy.RoceSettings:ResourceGroups"
    bench.world.fault({"kind": "intersight", "hide": [hidden]})
    body = bench.named("roce", RoceSettings={"Enabled": True, "ResourceGroups": 8})
    message = bench.client.raw("POST", "vnic/EthAdapterPolicies", body).json()["message"]
    assert message == f"The property '{hidden}' does not exist."
    bench.world.fault({"kind": "intersight", "hide": []})
    bench.client.create("vnic/EthAdapterPolicies", body)


def test_polymorphic_devices_keep_their_order(bench: Bench) -> None:
    devices = [
        {"ClassId": "boot.VirtualMedia", "ObjectType": "boot.VirtualMedia", "Name": "vmedia", "Enabled": True},
        {"ClassId": "boot.Nvme", "ObjectType": "boot.Nvme", "Name": "disk", "Enabled": True},
    ]
    made = bench.client.create("boot/PrecisionPolicies", bench.named("b", BootDevices=devices))
    assert [d["Name"] for d in made["BootDevices"]] == ["vmedia", "disk"]
    wrong = bench.named("c", BootDevices=[{"ClassId": "boot.Zip", "Name": "z"}])
    assert bench.client.refused("POST", "boot/PrecisionPolicies", wrong)[1] == "barcelona_request_malformed_json"
    lost = bench.named("c", BootDevices=[{"ClassId": "boot.Pxe", "Name": "p", "Slotty": "1"}])
    assert "BootDevices:Slotty" in bench.client.raw("POST", "boot/PrecisionPolicies", lost).json()["message"]


def test_replies_are_enriched_and_reordered(bench: Bench) -> None:
    bodies = [
        bench.named(f"site-{number}", NtpServers=SERVERS, Tags=[{"Key": "k", "Value": "v"}]) for number in range(8)
    ]
    answers = [bench.client.create("ntp/Policies", body) for body in bodies]
    # Of four keys one order in 24 is the one they were sent in.
    assert any([k for k in answer if k in body] != list(body) for answer, body in zip(answers, bodies, strict=True))
    made = answers[0]
    assert made["AccountMoid"]
    assert made["CreateTime"].endswith("Z")
    kept = bench.client.ok("PATCH", f"ntp/Policies/{made['Moid']}", {"Tags": made["Tags"], "Enabled": False})
    assert kept["Tags"] == made["Tags"]
    assert bench.client.get(f"ntp/Policies/{made['Moid']}") == kept


def test_the_server_tags_some_objects_by_itself(bench: Bench) -> None:
    made = [ntp(bench, f"n{n}", Tags=[{"Key": "k", "Value": "v"}]) for n in range(12)]
    keys = {tuple(sorted(t["Key"] for t in policy["Tags"])) for policy in made}
    assert keys == {("k",), ("cisco.meta.sharingpresent", "k")}
    tagged = next(policy for policy in made if len(policy["Tags"]) == 2)
    cleared = bench.client.ok("PATCH", f"ntp/Policies/{tagged['Moid']}", {"Tags": []})
    assert [t["Key"] for t in cleared["Tags"]] == ["cisco.meta.sharingpresent"]


def test_omitted_bios_tokens_read_platform_default(bench: Bench) -> None:
    made = bench.client.create("bios/Policies", bench.named("b", SmtMode="Off"))
    assert made["SmtMode"] == "Off"
    assert made["SrIov"] == made["NumaOptimized"] == "platform-default"
    assert bench.client.refused("PATCH", f"bios/Policies/{made['Moid']}", {"SmtMode": "off"})[0] == 400


def test_vlan_lists_become_ranges(bench: Bench) -> None:
    body = bench.named("g", VlanSettings={"AllowedVlans": "9,5,6,1,7-8", "NativeVlan": 5})
    made = bench.client.create("fabric/EthNetworkGroupPolicies", body)
    assert made["VlanSettings"]["AllowedVlans"] == "1,5-9"
    assert vlan_ranges("4,3") == "3-4"
    body["VlanSettings"]["AllowedVlans"] = "1-5000"
    assert bench.client.refused("POST", "fabric/EthNetworkGroupPolicies", body)[0] == 400


def test_secrets_are_write_only(bench: Bench) -> None:
    mapping = {"VolumeName": "m", "MountProtocol": "http", "DeviceType": "cdd", "Password": "hush", "Username": "u"}
    made = bench.client.create("vmedia/Policies", bench.named("v", Mappings=[mapping]))
    assert "hush" not in str(bench.client.get(f"vmedia/Policies/{made['Moid']}"))
    assert made["Mappings"][0]["IsPasswordSet"] is True


def test_faults_and_rate_limit(bench: Bench) -> None:
    bench.world.fault({"kind": "intersight", "mode": "503", "times": 1, "retry_after": True})
    reply = bench.client.raw("GET", "ntp/Policies")
    assert (reply.status_code, reply.headers["Retry-After"]) == (503, "1")
    bench.world.fault({"kind": "intersight", "mode": "502", "verb": "GET", "after": 1})
    assert bench.client.raw("GET", "ntp/Policies").status_code == 200
    page = bench.client.raw("GET", "ntp/Policies")
    assert (page.status_code, page.headers["Content-Type"]) == (502, "text/html")
    bench.world.fault({"kind": "intersight", "mode": "504", "verb": "POST", "carried_out": True})
    reply = bench.client.raw("POST", "kvm/Policies", bench.named("k"))
    assert (reply.status_code, len(bench.client.list("kvm/Policies"))) == (504, 1)
    bench.world.fault({"kind": "intersight", "mode": "cut", "verb": "POST"})
    assert bench.client.raw("GET", "ntp/Policies").status_code == 200
    with pytest.raises(requests.ConnectionError):
        ntp(bench)
    assert len(bench.client.list("ntp/Policies")) == 1, "the cut came after the write"
    bench.world.fault({"kind": "intersight", "mode": "hang", "seconds": 0.3})
    started = time.monotonic()
    assert bench.client.raw("GET", "ntp/Policies").status_code == 200
    assert time.monotonic() - started >= 0.3
    bench.world.fault({"kind": "intersight", "per_second": 5})
    codes = [bench.client.raw("GET", "ntp/Policies").status_code for _ in range(8)]
    assert 429 in codes
    assert codes.count(200) <= 5


def test_writes_are_counted(bench: Bench) -> None:
    before = bench.side.writes
    made = ntp(bench)
    bench.client.get(f"ntp/Policies/{made['Moid']}")
    bench.client.refused("PATCH", f"ntp/Policies/{made['Moid']}", {"Enabled": 1})
    assert bench.side.writes == before + 1


@pytest.mark.parametrize("form", ["exact", "any-case"])
def test_names_of_properties_count_with_their_case_or_without_it(tmp_path: Path, form: str) -> None:
    bench = Bench(tmp_path, f"{WORLD}variants: {{names: {form}}}\n")
    device = {"ClassId": "boot.VirtualMedia", "ObjectType": "boot.VirtualMedia", "Name": "image"}
    body = bench.named("b", BootDevices=[{**device, "SubType": "kvm-mapped-dvd"}])
    try:
        if form == "exact":
            assert "SubType" in bench.client.raw("POST", "boot/PrecisionPolicies", body).json()["message"]
        else:
            made = bench.client.create("boot/PrecisionPolicies", body)["BootDevices"][0]
            assert made["Subtype"] == "kvm-mapped-dvd"
            assert "SubType" not in made
        assert bench.client.refused("POST", "ntp/Policies", bench.named("n", Timezones="Etc/GMT"))[0] == 400
    finally:
        bench.close()

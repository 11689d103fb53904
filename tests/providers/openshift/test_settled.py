"""What is changed in the spec of a running cluster is on the cluster afterwards, or refused before anything is written.

The tests follow each other on one cluster.
"""

from __future__ import annotations

from typing import Any

import pytest

from podwright.components.providers.openshift.install.settled import HOST_PROGRAM_ONLY, INSTALLED, PROGRAM_ONLY
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.waiting import NODES, VERSION
from podwright.components.providers.protocol.kind import CheckContext, ProviderError
from podwright.components.providers.status.installation import off_plan
from podwright.components.providers.status.snapshot import take
from tests.providers.openshift.conftest import BY_TOKEN, SSH_KEY, Rack
from tests.providers.openshift.test_install import plain

pytestmark = pytest.mark.rough

INSTALL = BY_TOKEN["Install"]
OTHER_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKq7J0mJ3o0l2nq9x4xJm1Xx1t8m8w1wq5mQ2Jb1y2l3 core@lab"
CONFIGS = "/apis/machineconfiguration.openshift.io/v1/machineconfigs"
made: dict[str, Any] = {}


async def installed(site: Rack) -> dict[str, Any]:
    if not made:
        made.update(plain((await INSTALL.create({"spec": site.spec()}, site.context())).outputs))
    return {"spec": made["spec"]}


async def update(site: Rack, before: dict[str, Any], **change: Any) -> None:
    after = {"spec": {**before["spec"], **change}}
    assert refusals(before, after) == []
    assert INSTALL.diff(before, after, made).changes
    made.update(plain(await INSTALL.update("lab", after, before, made, site.context())))


def refusals(before: dict[str, Any], after: dict[str, Any]) -> list[tuple[tuple[str | int, ...], str]]:
    found = INSTALL.check(after, CheckContext(old_inputs=before))
    return [(each.path, each.message) for each in found]


async def drift(site: Rack, inputs: dict[str, Any]) -> dict[str, Any]:
    """By path, what a refresh reads from the cluster where it is not what the inputs say."""
    seen = await INSTALL.read("lab", inputs, made, site.context())
    assert seen is not None
    paths = INSTALL.diff(inputs, dict(seen.inputs), {}).changes
    found = {}
    for path in paths:
        value: Any = seen.inputs
        for segment in path:
            value = value[segment]
        found[".".join(map(str, path))] = value
    return found


async def test_another_ssh_key_is_on_every_node_without_a_restart(site: Rack) -> None:
    before = await installed(site)
    boots = [host.boots for host in site.world.hosts.values()]
    await update(site, before, ssh_key=OTHER_KEY)
    kube = Kube(made["kubeconfig"])
    for role in ("master", "worker"):
        config = await kube.get(f"{CONFIGS}/99-{role}-ssh")
        users = config["spec"]["config"]["passwd"]["users"]
        assert users == [{"name": "core", "sshAuthorizedKeys": [OTHER_KEY]}]
    for node in (await kube.get(NODES))["items"]:
        notes = node["metadata"]["annotations"]
        running = await kube.get(f"{CONFIGS}/{notes['machineconfiguration.openshift.io/currentConfig']}")
        assert OTHER_KEY in str(running["spec"]["config"]["passwd"])
    assert [host.boots for host in site.world.hosts.values()] == boots


async def test_a_key_that_somebody_changed_on_the_cluster_is_drift(site: Rack) -> None:
    await installed(site)
    kube = Kube(made["kubeconfig"])
    assert await drift(site, {"spec": made["spec"]}) == {}
    users = [{"name": "core", "sshAuthorizedKeys": [SSH_KEY]}]
    await kube.merge(f"{CONFIGS}/99-worker-ssh", {"spec": {"config": {"passwd": {"users": users}}}})
    assert await drift(site, {"spec": made["spec"]}) == {"spec.ssh_key": SSH_KEY}


async def test_another_release_is_an_upgrade_that_is_waited_for_and_read_back(site: Rack) -> None:
    await installed(site)
    kube = Kube(made["kubeconfig"])
    boots = [host.boots for host in site.world.hosts.values()]
    await update(site, {"spec": made["spec"]}, version="4.22.5")
    found = await kube.get(VERSION)
    assert found["spec"]["desiredUpdate"]["version"] == "4.22.5"
    assert [(each["version"], each["state"]) for each in found["status"]["history"]] == [
        ("4.22.5", "Completed"),
        ("4.22.3", "Completed"),
    ]
    # The release brings another operating system: every node restarted, and takes pods again.
    assert all(host.boots > past for host, past in zip(site.world.hosts.values(), boots, strict=True))
    nodes = (await kube.get(NODES))["items"]
    assert [node["metadata"]["name"] for node in nodes if node["spec"].get("unschedulable")] == []
    assert await drift(site, {"spec": made["spec"]}) == {}
    assert await drift(site, {"spec": {**made["spec"], "version": "4.22.3"}}) == {"spec.version": "4.22.5"}


async def test_status_reads_the_same_from_the_cluster(site: Rack) -> None:
    spec = made["spec"]
    addresses = {host["name"]: host["address"] for host in spec["hosts"]}
    snapshot = await take(made["kubeconfig"], 10.0)
    assert list(off_plan(snapshot, spec["version"], spec["ssh_key"], addresses)) == []
    del addresses["gpu-02"]
    release, *keys, node = off_plan(snapshot, "4.22.3", SSH_KEY, addresses)
    assert release == "the cluster runs OpenShift 4.22.5, defined is 4.22.3"
    assert [f"99-{role}-ssh" in each for role, each in zip(("master", "worker"), keys, strict=True)] == [True, True]
    assert "node gpu-02" in node


async def test_a_release_that_nobody_offers_is_told_with_those_that_are(site: Rack) -> None:
    ctx = site.context()
    ctx.timeout = 2
    before = {"spec": made["spec"]}
    after = {"spec": {**made["spec"], "version": "4.22.99"}}
    with pytest.raises(ProviderError, match=r"4\.22\.99 is not offered in channel stable-4\.22, which offers 4\.22\.8"):
        await INSTALL.update("lab", after, before, made, ctx)
    assert (await Kube(made["kubeconfig"]).get(VERSION))["spec"]["desiredUpdate"]["version"] == "4.22.5"


async def test_a_minor_release_that_an_operator_holds_back_is_told_in_its_words(site: Rack) -> None:
    kube = Kube(made["kubeconfig"])
    path = "/apis/config.openshift.io/v1/clusteroperators/network"
    before = (await kube.get(path))["status"]["conditions"]
    row = {
        "type": "Upgradeable",
        "status": "False",
        "reason": "AckNeeded",
        "message": "an API that is in use goes away",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    await kube.request(
        "PATCH", f"{path}/status", {"status": {"conditions": [*before, row]}}, "application/merge-patch+json"
    )
    after = {"spec": {**made["spec"], "version": "4.23.0"}}
    assert refusals({"spec": made["spec"]}, after) == []
    with pytest.raises(ProviderError, match=r"does not take 4\.23\.0: .*an API that is in use goes away"):
        await INSTALL.update("lab", after, {"spec": made["spec"]}, made, site.context())
    assert await drift(site, {"spec": made["spec"]}) == {}


async def test_an_address_is_read_from_the_node(site: Rack) -> None:
    kube = Kube(made["kubeconfig"])
    node = await kube.get(f"{NODES}/gpu-01")
    rows = [{"type": "InternalIP", "address": "192.0.2.77"}, {"type": "Hostname", "address": "gpu-01"}]
    await kube.request(
        "PATCH", f"{NODES}/gpu-01/status", {"status": {"addresses": rows}}, "application/merge-patch+json"
    )
    assert await drift(site, {"spec": made["spec"]}) == {"spec.hosts.1.address": "192.0.2.77"}
    status = {"status": {"addresses": node["status"]["addresses"]}}
    await kube.request("PATCH", f"{NODES}/gpu-01/status", status, "application/merge-patch+json")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("address", "192.0.2.99"),
        ("boot_mac", "02:00:00:00:00:99"),
        ("disk", "/dev/sda"),
        ("role", "master"),
    ],
)
def test_what_a_node_is_installed_with_is_refused_at_its_place_with_the_way_out(
    rack: Rack, key: str, value: str
) -> None:
    before, after = {"spec": rack.spec()}, {"spec": rack.spec()}
    after["spec"]["hosts"][2][key] = value
    if key == "role":  # three make a quorum, two do not: the change itself is judged
        before["spec"]["hosts"][1]["role"] = after["spec"]["hosts"][1]["role"] = "master"
    (path, message), *more = refusals(before, after)
    assert (path, more) == (("spec", "hosts", 2, key), [])
    assert "take gpu-02 out of the stack file, run `podwright up`, and add it again" in message
    assert f"write {before['spec']['hosts'][2][key]} again" in message


def test_another_machine_for_a_worker_is_no_contradiction_and_for_the_control_plane_it_is(rack: Rack) -> None:
    before, after = {"spec": rack.spec()}, {"spec": rack.spec()}
    after["spec"]["hosts"][2] |= {"serial": "WZP00000099", "boot_mac": "02:00:00:00:00:99", "disk": "/dev/sda"}
    assert refusals(before, after) == []
    assert any("gpu-02: WZP00000003 is replaced by WZP00000099" in each for each in INSTALL.notices(before, after))
    after["spec"]["hosts"][0]["serial"] = "WZP00000098"
    ((path, message),) = refusals(before, after)
    assert path == ("spec", "hosts", 0, "serial") and "take cp-01 out of the stack file" in message


def test_a_blade_that_is_named_by_its_slot_instead_is_not_taken_for_another_machine(rack: Rack) -> None:
    before, after = {"spec": rack.spec()}, {"spec": rack.spec()}
    after["spec"]["hosts"][2]["serial"] = "FOX00000001/3"
    for old, new in ((before, after), (after, before)):
        ((path, message),) = refusals(old, new)
        assert path == ("spec", "hosts", 2, "serial") and "take gpu-02 out of the stack file" in message
    moved = {"spec": rack.spec()}
    moved["spec"]["hosts"][2]["serial"] = "FOX00000001/5"
    assert refusals(after, moved) == []


def test_every_key_of_a_host_is_kept_or_says_only_how_it_is_reached(rack: Rack) -> None:
    host = rack.spec()["hosts"][0]
    assert set(host) == {"name", *INSTALLED, *(key for key in HOST_PROGRAM_ONLY if key in host)}


@pytest.mark.parametrize(
    ("have", "wanted", "words"),
    [
        ("4.22.3", "4.22.2", "does not go back to an older release: write 4.22.3"),
        ("4.22.3", "4.24.0", "one minor release at a time: write a 4.23 release first"),
    ],
)
def test_a_release_that_cannot_be_reached_is_refused(rack: Rack, have: str, wanted: str, words: str) -> None:
    before, after = {"spec": rack.spec(version=have)}, {"spec": rack.spec(version=wanted)}
    ((path, message),) = refusals(before, after)
    assert path == ("spec", "version")
    assert words in message


def test_a_gateway_of_its_own_is_refused(rack: Rack) -> None:
    ((path, message),) = refusals({"spec": rack.spec()}, {"spec": rack.spec(gateway="192.0.2.254")})
    assert path == ("spec", "gateway")
    assert "192.0.2.1" in message


def test_a_control_plane_host_joins_no_running_cluster(rack: Rack) -> None:
    before, after = {"spec": rack.spec("cp-01", "gpu-01")}, {"spec": rack.spec("cp-01", "gpu-01", "gpu-02")}
    for spec in (before["spec"], after["spec"]):
        spec["hosts"][1]["role"] = "worker"
    after["spec"]["hosts"] = [*before["spec"]["hosts"], *masters(rack, 2)]
    assert [path for path, _ in refusals(before, after)] == [("spec", "hosts", 2, "role"), ("spec", "hosts", 3, "role")]


def masters(rack: Rack, count: int) -> list[dict[str, Any]]:
    first = rack.spec("cp-01")["hosts"][0]
    return [
        {
            **first,
            "name": f"cp-{n:02d}",
            "serial": f"WZP000001{n:02d}",
            "bmc": f"192.0.2.{150 + n}",
            "boot_mac": f"02:00:00:00:01:{n:02x}",
            "address": f"192.0.2.{60 + n}",
        }
        for n in range(2, 2 + count)
    ]


def test_etcd_keeps_its_majority(rack: Rack) -> None:
    five = {"spec": rack.spec("cp-01")}
    five["spec"]["hosts"] += masters(rack, 4)
    three = {"spec": {**five["spec"], "hosts": five["spec"]["hosts"][2:]}}
    one = {"spec": {**five["spec"], "hosts": five["spec"]["hosts"][4:]}}
    assert refusals(five, three) == []
    ((path, message),) = refusals(five, one)
    assert path == ("spec", "hosts")
    assert "1 of 5 etcd members are left" in message


def test_another_cluster_may_have_everything_anew(rack: Rack) -> None:
    after = {"spec": rack.spec(cluster="other", version="4.20.1", gateway="192.0.2.254")}
    after["spec"]["hosts"][1]["address"] = "192.0.2.99"
    assert refusals({"spec": rack.spec()}, after) == []


def test_what_says_only_how_hosts_are_reached_or_join_is_no_change_of_the_cluster(rack: Rack) -> None:
    before, after = {"spec": rack.spec()}, {"spec": rack.spec()}
    for key in PROGRAM_ONLY:
        after["spec"][key] = {"directory": "/elsewhere"} if key in ("publish", "intersight") else ["192.0.2.9"]
    for key in HOST_PROGRAM_ONLY:
        after["spec"]["hosts"][1][key] = "other"
    assert INSTALL.diff(before, after, {}).changes == {}


def test_a_new_release_warns_that_every_node_restarts(rack: Rack) -> None:
    (sentence,) = INSTALL.notices({"spec": rack.spec()}, {"spec": rack.spec(version="4.22.4")})
    assert "from 4.22.3 to 4.22.4" in sentence
    assert "every node" in sentence
    assert INSTALL.notices({"spec": rack.spec()}, {"spec": rack.spec()}) == ()

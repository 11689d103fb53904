"""The screen's own arithmetic: a place out of class becomes the rails and pods over it; state becomes a stack."""

import copy
import io
import json
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from podwright.cli import screen, stack
from podwright.cli.operators import versions
from podwright.cli.slow import lossy, slow
from podwright.cli.status import switch_spec
from podwright.components import model
from podwright.components.design import fabric
from podwright.components.providers.status.live import Live
from podwright.components.providers.status.snapshot import Snapshot
from podwright.components.providers.status.switches import SwitchSeen, pausing_ports
from tests.e2e.site import ROOT
from tests.model.changes import LAB, drop
from tests.model.queue_cases import QUEUED

CLUSTER = model.load(ROOT / "Pulumi.lab.yaml")
PLAN = fabric.plan(CLUSTER.network)
SPECS = [switch_spec(CLUSTER, switch) for switch in PLAN.switches]
RAILS = {f"openshift.io/rail{rail}": "1" for rail in range(8)}
POD = {
    "metadata": {"name": "pretrain-0-abcde", "namespace": "research"},
    "spec": {"nodeName": "gpu-01", "containers": [{"resources": {"requests": RAILS}}]},
    "status": {"phase": "Running"},
}
SNAPSHOT = Snapshot({"Pod": (POD,)})


def _seen(switch: str = "", block: str = "", line: str = "") -> dict[str, SwitchSeen]:
    """Every switch as planned, but for one line of one block."""
    found = {}
    for each in SPECS:
        ports = frozenset(each["links"])
        found[each["hostname"]] = SwitchSeen(each["hostname"], "", "10.4(5)", each["config"], (), ports)
    if switch:
        config = dict(found[switch].config)
        lines = config[block].splitlines()
        assert line in [each.strip() for each in lines]
        config[block] = "\n".join(each for each in lines if each.strip() != line)
        found[switch] = replace(found[switch], config=config)
    return found


def test_a_fabric_as_planned_is_nowhere_lossy() -> None:
    assert lossy(SPECS, _seen(), SNAPSHOT) == []


PFC = "priority-flow-control mode on"


@pytest.mark.parametrize(
    ("switch", "port", "rails"),
    [
        ("leaf-01", "Ethernet1/3", ("rail 2: ",)),
        ("leaf-02", "Ethernet1/1", ("rail 4: ",)),
        ("leaf-01", "Ethernet1/9", ()),
        ("leaf-01", "Ethernet1/41", ("rails 0-3: ",)),
        ("spine-01", "Ethernet1/1", ("rails 0-7: ",)),
    ],
)
def test_a_port_without_pause_is_followed_to_the_rails_over_it(switch: str, port: str, rails: tuple[str, ...]) -> None:
    places = lossy(SPECS, _seen(switch, f"interface {port}", PFC), SNAPSHOT)
    assert [(place.switch, place.port) for place in places] == [(switch, port)]
    told = [reason for pod in slow(PLAN, places, SNAPSHOT) for reason in pod.reasons]
    assert told == [f"{rail}{places[0].why}" for rail in rails]


def test_a_whole_switch_out_of_class_is_one_place() -> None:
    block, line = "system qos", "service-policy type network-qos qos_network"
    (place,) = lossy(SPECS, _seen("leaf-02", block, line), SNAPSHOT)
    assert (place.switch, place.port) == ("leaf-02", "")
    (pod,) = slow(PLAN, [place], SNAPSHOT)
    assert pod.rails == (4, 5, 6, 7)


def test_a_port_that_is_configured_and_does_not_pause_is_lossy_too() -> None:
    seen = _seen()
    seen["leaf-01"] = replace(seen["leaf-01"], pausing=seen["leaf-01"].pausing - {"Ethernet1/5"})
    assert [place.port for place in lossy(SPECS, seen, SNAPSHOT)] == ["Ethernet1/5"]


def test_a_switch_that_does_not_answer_is_judged_by_nobody() -> None:
    seen = {each["hostname"]: SwitchSeen(each["hostname"], problem="silent") for each in SPECS}
    assert lossy(SPECS, seen, SNAPSHOT) == []


def test_only_the_bit_of_the_class_counts_as_pausing() -> None:
    text = "Ethernet1/1   On   On   (8)   1 2\nEthernet1/2   On   On   (10)  1 2\nEthernet1/3   Auto Off    0 0\n"
    assert pausing_ports(text, 3) == ["Ethernet1/1"]


def _exported(outputs: dict[str, Any]) -> dict[str, Any]:
    secret = {
        "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
        "plaintext": json.dumps("ok a: 1"),
    }
    command = {
        "type": "command:local:Command",
        "urn": "urn:pulumi:lab::podwright::x::acceptance",
        "outputs": {"stdout": secret},
        "modified": "2026-11-21T07:00:00Z",
    }
    root = {"type": "pulumi:pulumi:Stack", "urn": "urn", "outputs": outputs}
    return {"deployment": {"resources": [root, command]}}


def test_a_stack_is_read_from_its_state() -> None:
    known = stack.parse(_exported({"kubeconfig": "text"}))
    assert (known.kubeconfig, known.acceptance, known.ran) == ("text", "ok a: 1", "2026-11-21T07:00:00Z")


def test_a_stack_whose_first_up_failed_behind_the_installation_has_a_cluster() -> None:
    exported = _exported({})
    kept = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": '"text"'}
    install = {"type": "podwright:openshift:Install", "urn": "urn::install", "outputs": {"kubeconfig": kept}}
    exported["deployment"]["resources"].append(install)
    assert stack.parse(exported).kubeconfig == "text"


def test_the_stacks_own_secrets_go_to_commands_that_reach_devices() -> None:
    exported = _exported({})
    signature = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}
    held = {"switch-admin": {**signature, "plaintext": '"x"'}, "bmc-admin": "y"}
    provider = {"type": "pulumi:providers:podwright", "urn": "urn::nxos", "inputs": {"secrets": held}}
    exported["deployment"]["resources"].append(provider)
    known = stack.parse(exported)
    assert known.environ({"A": "1", "PODWRIGHT_SECRET_BMC_ADMIN": "mine"}) == {
        "A": "1", "PODWRIGHT_SECRET_SWITCH_ADMIN": "x", "PODWRIGHT_SECRET_BMC_ADMIN": "mine"
    }  # fmt: skip
    assert '"x"' not in repr(known)


@pytest.mark.parametrize("exported", [{}, {"deployment": None}, {"deployment": {"resources": None}}])
def test_a_stack_without_anything_is_one(exported: dict[str, Any]) -> None:
    assert stack.parse(exported) == stack.Stack()


def test_an_outage_is_said_and_fits_on_a_screen() -> None:
    silent = {each["hostname"]: SwitchSeen(each["hostname"], problem="no answer [22]") for each in SPECS}
    facts = screen.Facts("lab", CLUSTER, PLAN, stack.Stack(), Live(silent, {}, None, "the API server is silent"))
    out = io.StringIO()
    screen.show(Console(file=out, width=140), facts, 1.0)
    text = out.getvalue()
    assert not facts.well
    assert text.count("no answer [22]") == len(SPECS)
    assert "the API server is silent" in text
    assert len(text.splitlines()) <= 50


def test_an_object_that_is_off_is_shown_with_what_repairs_it() -> None:
    off = tuple(f"NetworkPolicy research/{name} is not there" for name in "abcdef")
    alone = CLUSTER.model_copy(update={"acceptance": None})
    seen = {each["hostname"]: SwitchSeen(each["hostname"], release="10.4(5)") for each in SPECS}
    out = io.StringIO()
    facts = screen.Facts("lab", alone, PLAN, stack.Stack(), Live(seen, {}, Snapshot(), objects=off))
    screen.show(Console(file=out, width=140), facts, 1.0)
    assert not facts.well and "not as planned, see below" in out.getvalue()
    assert "NetworkPolicy research/d is not there" in out.getvalue() and "and 2 more" in out.getvalue()
    assert "up --refresh" in out.getvalue()


def test_what_a_stack_made_on_the_cluster_is_in_its_state() -> None:
    made = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "chat"}}
    exported = _exported({})
    exported["deployment"]["resources"] += [
        {"type": "kubernetes:core/v1:Service", "urn": "urn::x", "inputs": made},
        {"type": "pulumi:providers:kubernetes", "urn": "urn::y", "inputs": {"kubeconfig": "x"}},
    ]
    assert stack.parse(exported).manifests == (made,)


def test_what_others_change_of_an_object_is_not_compared() -> None:
    made = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "sweep"}, "spec": {"completions": 3, "a": 1}}
    row = {"type": "kubernetes:batch/v1:Job", "inputs": made, "ignoreChanges": ["spec.completions", "spec.b", "c.d"]}
    (found,) = stack.parse({"deployment": {"resources": [row]}}).manifests
    assert found == {**made, "spec": {"a": 1}}


def test_settings_that_a_servers_bios_lacks_are_shown_and_are_no_fault() -> None:
    reason = "its BIOS has no such attribute"
    outputs = {"spec": {"name": "gpu-01"}, "unsupported": {"PcieAriSupport": reason, "AcsControlGpu1state": reason}}
    exported = _exported({})
    exported["deployment"]["resources"].append(
        {"type": "podwright:redfish:Server", "urn": "urn::gpu-01", "outputs": outputs}
    )
    alone = CLUSTER.model_copy(update={"openshift": None, "acceptance": None})
    seen = {each["hostname"]: SwitchSeen(each["hostname"], release="10.4(5)") for each in SPECS}
    facts = screen.Facts("lab", alone, PLAN, stack.parse(exported), Live(seen, {}, None))
    out = io.StringIO()
    screen.show(Console(file=out, width=200), facts, 1.0)
    [line] = [each for each in out.getvalue().splitlines() if "not set" in each]
    assert line.split() == f"gpu-01 ! not set: AcsControlGpu1state, PcieAriSupport: {reason}".split()
    assert facts.well


def test_a_node_of_another_machine_than_its_server_is_named() -> None:
    met = [
        ("podwright:redfish:Server", {"spec": {"name": "gpu-01"}, "uuid": "0000-a"}),
        (
            "podwright:intersight:ServerProfile",
            {"spec": {"name": "cp-01"}, "hardware_uuid": "0000-B", "uuid": "0000-d"},
        ),
    ]
    exported = _exported({})
    exported["deployment"]["resources"] += [{"type": t, "urn": "urn::x", "outputs": out} for t, out in met]
    known = stack.parse(exported)
    assert known.machines == {"gpu-01": ["0000-a"], "cp-01": ["0000-d", "0000-B"]}
    nodes = tuple(
        {"metadata": {"name": name}, "status": {"nodeInfo": {"systemUUID": seen}}}
        for name, seen in (("gpu-01", "0000-c"), ("cp-01", "0000-b"))
    )
    facts = screen.Facts("lab", CLUSTER, PLAN, known, Live({}, {}, Snapshot({"Node": nodes})))
    named = [each for each in facts.installation if "machine with UUID" in each]
    assert len(named) == 1 and named[0].startswith("node gpu-01 is that of a machine with UUID 0000-c")


def test_a_fabric_without_a_cluster_is_as_planned() -> None:
    alone = CLUSTER.model_copy(update={"openshift": None, "acceptance": None, "servers": {}})
    seen = {each["hostname"]: SwitchSeen(each["hostname"], release="10.4(5)") for each in SPECS}
    facts = screen.Facts("lab", alone, PLAN, stack.Stack(), Live(seen, {}, None))
    out = io.StringIO()
    screen.show(Console(file=out, width=140), facts, 1.0)
    assert facts.well
    assert "all as planned" in out.getvalue()
    assert "cluster" not in out.getvalue()
    assert "acceptance" not in out.getvalue()


def test_a_renamed_servers_node_is_no_foreign_one() -> None:
    servers = dict(CLUSTER.servers)
    servers["gpu-09"] = servers.pop("gpu-01").model_copy(update={"object_name": "gpu-01"})
    renamed = CLUSTER.model_copy(update={"servers": servers})
    nodes = tuple({"metadata": {"name": name}, "spec": {}} for name in (*CLUSTER.servers, "gpu-77"))
    live = Live({}, {}, Snapshot({"Node": nodes}))
    facts = screen.Facts("lab", renamed, PLAN, stack.Stack(), live)
    assert [each for each in facts.installation if "no server of the stack file" in each] == [
        each for each in facts.installation if "node gpu-77" in each
    ]
    assert any("node gpu-77" in each for each in facts.installation)


def test_operators_are_those_that_the_stack_subscribes_to_with_what_ails_them() -> None:
    running = [("gpu-operator-certified.v26.7.0", "Succeeded"), ("cert-manager-operator.v1.19.0", "Failed")]
    csvs = tuple({"metadata": {"name": name}, "status": {"phase": phase}} for name, phase in running)
    said = copy.deepcopy(LAB)
    QUEUED(said)
    found = list(versions(model.Cluster.model_validate(said), Snapshot({"ClusterServiceVersion": csvs})))
    assert found[-3:] == ["NVIDIA GPU 26.7.0", "cert-manager 1.19.0 [red]Failed[/]", "Kueue [red]absent[/]"]
    assert "NVIDIA network [red]absent[/]" in found
    said["operators"] = None
    drop("openshift/queues")(said)
    drop("workloads")(said)
    drop("acceptance")(said)
    assert list(versions(model.Cluster.model_validate(said), Snapshot())) == []

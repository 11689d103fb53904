"""Wrong stack files that were once accepted: each refused now, under its caret, with what to write instead."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from podwright.components import model
from tools.generated import ROOT


@dataclass(frozen=True)
class Wrong:
    """One change of a stack file's text, and what is said of it."""

    stack: str
    old: str
    new: str
    caret: str
    """What is underlined, or what the caret stands at where the underlining is cut."""
    message: str
    hint: str


FI_A = "x-series-a: {port: Ethernet1/17, channel: 201, device: x-series-a,"
GPU_16 = "gpu-16: {port: Ethernet1/16, channel: 116, device: gpu-16, vlans: [10, 20], boots: true}"
LAB_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKq7J0mJ3o0l2nq9x4xJm1Xx1t8m8w1wq5mQ2Jb1y2l3 core@lab"
CLUSTER = "config:\n  podwright:cluster:\n"

WRONG = {
    "a cable to a server that is none": Wrong(
        "prod", GPU_16, GPU_16.replace("device: gpu-16", "device: gpu-17"), "gpu-17", "no server", "did you mean `gpu-1"
    ),
    "a cable to a misspelt interconnect": Wrong(
        "prod", FI_A, FI_A.replace("x-series-a", "x-serie-a"), "x-serie-a", "no interconnect", "`x-series-a`"
    ),
    "a cable to both interconnects at once": Wrong(
        "prod", FI_A, FI_A.replace("x-series-a", "x-series"), "x-series", "no interconnect", "x-series-a or x-series-b"
    ),
    "a cable to nobody that installs": Wrong(
        "prod",
        "device: array-01-a, vlans: [20]",
        "device: array-01-a, vlans: [10]",
        "array-01-a",
        "array-01-a is no server and no interconnect",
        "an array takes no VLAN of purpose machine",
    ),
    "a VLAN twice": Wrong(
        "prod", "device: array-01-a, vlans: [20]", "device: array-01-a, vlans: [20, 20]", "20", "in this list", "once"
    ),
    "control-plane hosts cabled to nothing": Wrong(
        "examples/pairs",
        "          cp-02: {port: Ethernet1/12, channel: 112, device: cp-02, vlans: [10], boots: true}\n",
        "",
        "cp-02",
        "no port of the frontend pair brings cp-02 the machine network",
        "cp-02: {port: Ethernet1/1, channel: 101, vlans: [10], boots: true}",
    ),
    "half a pair of storage interfaces": Wrong(
        "examples/pairs",
        "storage_macs: ['02:00:00:00:04:01', '02:00:00:00:04:02']",
        "storage_macs: ['02:00:00:00:04:01']",
        "['02:00:00:00:04:01']",
        "holds 1 where at least 2 are needed",
        "",
    ),
    "interconnects cabled to nothing": Wrong(
        "prod",
        "          x-series-a: {port: Ethernet1/17, channel: 201, device: x-series-a, vlans: [10, 20, 30]}\n",
        "",
        "[1, 2]",
        "x-series-a has 2 uplinks, and no cables",
        "as many as uplinks",
    ),
    "a port without boots": Wrong(
        "prod", GPU_16, GPU_16.replace(", boots: true", ""), "gpu-16", "LACP keeps down", "write boots: true"
    ),
    "uplinks that cannot be": Wrong(
        "prod", "uplinks: [1, 2]", "uplinks: [1, 2, 3, 4]", "[1, 2, 3, 4]", "4 uplinks, and 2 cables", "as many as"
    ),
    "a word for a key": Wrong("lab", LAB_KEY, "hello", "hello", '"hello" is not', "ssh-keygen"),
    "a private key's file": Wrong("lab", LAB_KEY, "~/.ssh/id_ed25519", "~/.ssh/id_ed25519", "is not", ".pub file"),
    "half a key": Wrong("lab", LAB_KEY, LAB_KEY[:60], LAB_KEY[:60], "is not", ".pub file"),
    "a multicast MAC": Wrong(
        "lab",
        '"02:00:00:00:02:01"',
        '"03:00:00:00:02:01"',
        '"03:00:00:00:02:01"',
        "is not a MAC address",
        "odd first byte",
    ),
    "a MAC of zeros": Wrong(
        "lab", '"02:00:00:00:02:01"', '"00:00:00:00:00:00"', '"00:00:00:00:00:00"', "no interface", "read it from"
    ),
    "a BMC at a network address": Wrong(
        "lab", "bmc: 192.0.2.111", "bmc: 192.0.2.0", "192.0.2.0", "first or last of 192.0.2.0/24", "take a host address"
    ),
    "a BMC at a broadcast address": Wrong(
        "lab", "bmc: 192.0.2.111", "bmc: 192.0.2.255", "192.0.2.255", "first or last", "take a host address"
    ),
    "a BMC at a multicast address": Wrong(
        "lab", "bmc: 192.0.2.111", "bmc: 224.0.0.1", "224.0.0.1", "no address of a device", "management network"
    ),
    "a switch at a loopback address": Wrong(
        "lab", "management: 192.0.2.11,", "management: 127.0.0.1,", "127.0.0.1", "no address of a device", "management"
    ),
    "a release that is none": Wrong(
        "lab", '"10.4(5)"', '"99.9(9)"', '"99.9(9)"', "NX-OS 99.9 is no release train", "10.6, as `show version`"
    ),
    "a team's GPUs beyond the cluster": Wrong(
        "lab", "research: {gpus: 16}", "research: {gpus: 41}", "41", "all pools have 40 whole", "write at most 40"
    ),
    "a team's slices beyond the cluster": Wrong(
        "lab", "{slices: {1g.18gb: 14}}", "{slices: {1g.18gb: 57}}", "57", "all pools have 56", "write at most 56"
    ),
    "a misspelt key beside the cluster": Wrong(
        "lab",
        "config:\n",
        "config:\n  podwright:secret: {}\n",
        "podwright:secret",
        "read by nobody",
        "`podwright:secrets`",
    ),
    "a second cluster under another key": Wrong(
        "lab",
        "config:\n",
        "config:\n  podwright:clusters: {}\n",
        "podwright:clusters",
        "read by nobody",
        "`podwright:cluster`",
    ),
    "a misspelt namespace": Wrong(
        "lab", "config:\n", "config:\n  podwrigth:world: x\n", "podwrigth:world", "read by nobody", "`podwright:world`"
    ),
}


def text(stack: str) -> str:
    folder, _, name = stack.rpartition("/")
    place = ROOT / "tests" / folder / name if folder else ROOT
    return (place / f"Pulumi.{name}.yaml").read_text()


@pytest.mark.parametrize("case", WRONG)
def test_it_is_refused_under_its_caret(case: str, tmp_path: Path) -> None:
    wrong = WRONG[case]
    before = text(wrong.stack)
    assert before.count(wrong.old) >= 1
    file = tmp_path / "Pulumi.wrong.yaml"
    file.write_text(before.replace(wrong.old, wrong.new, 1))
    with pytest.raises(model.SpecErrors) as refused:
        model.load(file)
    lines = file.read_text().splitlines()
    found = [each for each in refused.value.problems if wrong.message in each.message]
    assert found, refused.value.render()
    position = found[0].position
    assert position is not None
    assert lines[position.line - 1][position.column - 1 :].startswith(wrong.caret), refused.value.render()
    assert wrong.hint in found[0].hint
    assert f"Pulumi.wrong.yaml:{position.line}:{position.column}: " in refused.value.render()


def test_keys_of_other_programs_beside_the_cluster_are_theirs(tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.right.yaml"
    beside = "  pulumi:tags: {a: b}\n  kubernetes:context: x\n"
    beside += "  podwright:secrets: {a: {secure: x}}\n  podwright:world: lab\n"
    file.write_text(text("lab").replace("config:\n", f"config:\n{beside}", 1))
    model.load(file)


@pytest.mark.parametrize(
    "key",
    [
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBUbKp2cdvTt6oHvdLgFEDwwwHL5o0uFVWZb8P6rSwHd",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC" + "x" * 335 + " core@site with words",
        "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBB" + "x" * 86 + "= core",
    ],
)
def test_every_kind_of_public_key_passes(key: str, tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.right.yaml"
    file.write_text(text("lab").replace(LAB_KEY, key))
    model.load(file)

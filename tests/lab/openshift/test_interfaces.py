"""What a node's system calls its NICs, in both forms, and what names of another system select there."""

from __future__ import annotations

import re

import pytest

from podwright.lab.openshift import interfaces
from podwright.lab.openshift.sriov.functions import selects
from podwright.lab.openshift.training import _opened
from podwright.lab.variants import VARIANTS
from podwright.lab.world.model import Nic, Server

BUSES = (0x09, 0x23, 0x53, 0x69)


def _server(serial: str) -> Server:
    rails = {f"rail{n}": Nic(f"rail{n}", 400, "", f"0000:{bus:02x}:00.0", "a2dc") for n, bus in enumerate(BUSES)}
    front = {f"front{n}": Nic(f"front{n}", 25, "", f"0001:c1:00.{n}", "1021") for n in range(2)}
    single = {"mgmt0": Nic("mgmt0", 25, "", "0000:01:00.0", "1017"), "other": Nic("other", 10, "", "0000:02:00.0")}
    return Server("gpu-1", "UCSC-885A-M8", serial, "", "", "", nics={**rails, **front, **single})


def test_names_by_path_follow_from_the_address() -> None:
    found = interfaces.physical(_server("a"), "by-path")
    assert found["rail1"] == interfaces.Interface("enp35s0f0np0", "rocep35s0f0")
    assert found["mgmt0"] == interfaces.Interface("enp1s0np0", "rocep1s0"), "one function has no number"
    assert found["front1"] == interfaces.Interface("enP1p193s0f1np1", "roceP1p193s0f1")
    assert found["other"].rdma == "", "no driver makes an RDMA device of it"
    assert interfaces.virtual(_server("a"), "by-path", {"rail1": 2}) == {
        ("rail1", 0): interfaces.Interface("enp35s0f0v0", "rocep35s0f0v0"),
        ("rail1", 1): interfaces.Interface("enp35s0f0v1", "rocep35s0f0v1"),
    }


def test_names_by_driver_differ_from_server_to_server() -> None:
    names = [interfaces.physical(_server(f"S{n}"), "by-driver") for n in range(20)]
    assert len({each["rail0"].netdev for each in names}) > 2
    assert all(len({name.netdev for name in each.values()}) == 8 for each in names)
    made = interfaces.virtual(_server("a"), "by-driver", {"rail0": 1, "rail3": 1})
    assert [each.rdma for each in made.values()] == ["mlx5_7", "mlx5_8"], "after the physical functions"


@pytest.mark.parametrize("form", VARIANTS["nic-names"].forms)
def test_an_address_selects_its_nic_under_every_naming(form: str) -> None:
    server = _server("a")
    names = interfaces.physical(server, form)
    by_address = {"vendor": "15b3", "deviceID": "a2dc", "rootDevices": ["0000:23:00.0"]}
    assert [n for n, nic in server.nics.items() if nic.pci and selects(by_address, nic, names[n].netdev)] == ["rail1"]
    wrong = by_address | {"pfNames": ["eth99"]}
    assert not any(selects(wrong, nic, names[n].netdev) for n, nic in server.nics.items())


@pytest.mark.parametrize(
    ("value", "taken"),
    [
        (None, True),
        ("=rocep9s0f0v0", False),
        ("=mlx5_11,mlx5_12", True),
        ("=mlx5_1", False),
        ("mlx5_1", True),
        ("mlx5_11:1", True),
        ("^mlx5", False),
        ("^=mlx5_1", True),
    ],
)
def test_nccl_takes_what_a_pod_sees_unless_it_is_named(value: str | None, taken: bool) -> None:
    env = [] if value is None else [{"name": "NCCL_IB_HCA", "value": value}]
    assert _opened({"spec": {"containers": [{"env": env}]}}, "mlx5_11") is taken


def test_forms_are_spelt_as_kernels_allow() -> None:
    for form in VARIANTS["nic-names"].forms:
        for each in interfaces.physical(_server("a"), form).values():
            assert re.fullmatch(r"[a-zA-Z0-9_]{1,15}", each.netdev)

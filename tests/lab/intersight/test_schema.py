"""The schema file is the one that the installed SDK gives, and what it says is what the SDK says."""

from __future__ import annotations

import importlib
from concurrent.futures import ThreadPoolExecutor

from podwright.lab.intersight.schema import load
from tests.lab.intersight.conftest import Bench
from tools.intersight import schema


def test_the_schema_file_is_current() -> None:
    assert schema.main(["--check"]) == 0


def test_it_says_what_the_sdk_classes_say() -> None:
    schema = load()
    for module, name, kind in (
        ("ntp_policy", "NtpPolicy", "ntp.Policy"),
        ("vnic_eth_qos_policy", "VnicEthQosPolicy", "vnic.EthQosPolicy"),
        ("server_profile", "ServerProfile", "server.Profile"),
        ("bios_policy", "BiosPolicy", "bios.Policy"),
    ):
        model = getattr(importlib.import_module(f"intersight.model.{module}"), name)
        mine = schema.objects[kind].properties
        assert set(mine) == set(model.attribute_map.values())
        for (attribute,), allowed in model.allowed_values.items():
            assert mine[model.attribute_map[attribute]]["enum"] == [v for v in allowed.values() if v is not None]
        assert {n for n, p in mine.items() if p.get("ro")} == {model.attribute_map[n] for n in model.read_only_vars}


def test_many_clients_at_once_make_each_object_once(bench: Bench) -> None:
    def create(number: int) -> str:
        reply = bench.client.ok("POST", "ntp/Policies", bench.named(f"n{number % 8}", NtpServers=["192.0.2.1"]))
        return str(reply["Moid"])

    with ThreadPoolExecutor(8) as pool:
        moids = list(pool.map(create, range(64)))
    assert len(set(moids)) == 8
    assert len(bench.client.list("ntp/Policies")) == 8

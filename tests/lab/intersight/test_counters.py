"""Requests counted by verb and path, answers delayed, any status."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import requests

from podwright.lab.control import ControlServer

if TYPE_CHECKING:
    from tests.lab.intersight.conftest import Bench


def test_requests_are_counted_by_verb_and_path_and_read_with_curl(bench: Bench) -> None:
    before = requests.get(f"http://{bench.side.http}/counters", timeout=5).json()
    made = bench.client.create("ntp/Policies", bench.named("a", NtpServers=["192.0.2.1"]))
    bench.client.get(f"ntp/Policies/{made['Moid']}")
    bench.client.list("ntp/Policies", filter="Name eq 'a'")
    bench.client.refused("GET", "ntp/Nothing")
    after = requests.get(f"http://{bench.side.http}/counters", timeout=5).json()
    new = {name: n - before["by_path"].get(name, 0) for name, n in after["by_path"].items()}
    assert {name: n for name, n in new.items() if n} == {
        "GET /api/v1/ntp/Nothing": 1,
        "GET /api/v1/ntp/Policies": 1,
        "GET /api/v1/ntp/Policies/{Moid}": 1,
        "POST /api/v1/ntp/Policies": 1,
    }
    assert after["total"] - before["total"] == 4 and after["by_verb"]["POST"] == 1
    assert after["by_status"]["201"] == 1 and after["by_status"]["404"] == 1


def test_what_comes_in_bulk_is_counted_apart(bench: Bench) -> None:
    parts = [{"Body": bench.named(name, NtpServers=["192.0.2.1"])} for name in "ab"]
    bench.client.ok("POST", "bulk/Requests", {"Verb": "POST", "Uri": "/v1/ntp/Policies", "Requests": parts})
    seen = bench.side.requests()
    assert seen["by_path"]["POST /api/v1/bulk/Requests"] == 1 and seen["in_bulk"] == {"POST /v1/ntp/Policies": 2}
    assert bench.client.raw("POST", "bulk/Requests", [1]).status_code == 400


def test_the_world_control_has_the_counters_of_every_side(bench: Bench) -> None:
    control = ControlServer(bench.world, {"intersight": bench.side})
    try:
        seen = requests.get(f"{control.url}/counters/requests", timeout=5).json()
    finally:
        control.stop()
    assert seen["intersight"]["by_path"]["GET /api/v1/organization/Organizations"] == 1


def test_a_request_that_a_fault_answers_counts_too(bench: Bench) -> None:
    bench.world.fault({"kind": "intersight", "mode": "418", "path": "ntp"})
    assert bench.client.refused("GET", "ntp/Policies") == (418, "lab_fault")
    bench.world.fault({"kind": "intersight", "mode": 599, "path": "ntp"})
    assert bench.client.refused("GET", "ntp/Policies") == (599, "lab_fault")
    statuses = bench.side.requests()["by_status"]
    assert statuses["418"] == statuses["599"] == 1


def test_every_answer_takes_the_way_to_the_cloud_and_back(bench: Bench) -> None:
    bench.world.fault({"kind": "intersight", "latency_ms": 120})
    began = time.monotonic()
    bench.client.get("ntp/Policies")
    assert time.monotonic() - began >= 0.12
    bench.world.fault({"kind": "intersight", "latency_ms": 0})
    assert bench.side.gate.latency_ms == 0

"""The exporter against the lab's switches over real SSH: what moves, what flips, what goes away."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

from podwright.cli.__main__ import app
from podwright.components.providers.nxos.read import metrics as known
from podwright.components.providers.status.export import metrics
from podwright.components.providers.status.export.collector import SwitchCollector
from podwright.components.providers.status.export.http import serving
from podwright.lab.nxos.side import NxosSide
from podwright.lab.world.model import World
from podwright.lab.world.traffic import Flow
from tests.lab.prepared import prepared
from tests.providers.status.export.grammar import Series, read, value
from tests.providers.status.export.look import ACCESS, CLUSTER, TARGETS, scraped
from tests.waiting import until


def moved(before: Series, after: Series) -> set[tuple[str, str, str]]:
    """Metric, switch and port (or what stands for one) of every series that is not what it was."""
    found = set()
    for key in before.keys() | after.keys():
        labels = dict(key[1])
        if before.get(key) != after.get(key) and not key[0].startswith("podwright_switch_scrape_"):
            found.add((key[0], labels["switch"], labels.get("port", "")))
    return found


def test_everything_is_read_and_a_port_names_the_server_and_rail_behind_it(planned: tuple[NxosSide, World]) -> None:
    side, _ = planned
    writes = side.writes
    series, collector = scraped()
    assert side.writes == writes, "looking writes nothing"
    assert [value(series, "podwright_switch_up", switch=each.name) for each in TARGETS] == [1, 1, 1]
    assert {each.problem for each in collector.looks.values()} == {""}
    assert {why for each in collector.looks.values() for why in each.errors.values()} == {""}
    shown = {name for name, _ in series}
    # The lab's JSON says no shutdowns and two limits only (test_export_answers.py has them): no series, and no zero.
    silent = {
        known.WATCHDOG_STALLS,
        known.WATCHDOG_RESTORES,
        known.TEMPERATURE_LIMIT,
        known.TX_POWER_LIMIT,
    }
    assert {each.name for each in metrics.METRICS} - shown == {each.name for each in silent}
    host = {"switch": "leaf-01", "port": "Ethernet1/1", "server": "gpu-01", "rail": "0"}
    assert value(series, "podwright_port_pfc_oper", **host) == 1
    assert value(series, "podwright_port_pfc_priorities_bitmap", **host) == 8
    assert value(series, "podwright_port_pfc_watchdog_armed", **host) == 1
    assert value(series, "podwright_port_up", **host) == 1
    assert value(series, "podwright_port_info", **host, peer="gpu-01", role="host", peer_port="rail0") == 1
    assert value(series, "podwright_optic_rx_power_limit_dbm", **host, threshold="alarm_low") == -9.91
    assert value(series, "podwright_bgp_neighbor_up", switch="leaf-01", peer="spine-01", port="Ethernet1/33") == 1
    assert value(series, "podwright_bfd_neighbor_up", switch="spine-01", peer="leaf-02", port="Ethernet1/21") == 1
    names = {dict(labels).get("port") for _, labels in series if dict(labels)["switch"] == "leaf-01"} - {None}
    assert names == set(TARGETS[0].ports), "every planned port, and no other"


def test_an_incast_moves_marks_and_pauses_of_its_ports_and_a_bad_optic_the_errors(
    planned: tuple[NxosSide, World],
) -> None:
    _, world = planned
    prepared(world)
    before, _ = scraped()
    world.traffic([Flow(f"gpu-0{n}:rail0", "gpu-05:rail0") for n in range(1, 5)], 5)
    after, _ = scraped()
    goal = dict(switch="leaf-01", server="gpu-05", rail="0")
    name = "podwright_queue_ecn_marked_packets_total"
    assert value(before, name, **goal, queue="3") == 0
    assert (value(after, name, **goal, queue="3") or 0) > 0
    assert value(after, name, **goal, queue="0") == 0
    for n in range(1, 5):
        sender = dict(switch="leaf-01", server=f"gpu-0{n}", rail="0")
        assert (value(after, "podwright_port_pfc_tx_frames_total", **sender) or 0) > 0
    assert value(after, "podwright_queue_dropped_packets_total", **goal, queue="3") == 0
    touched = {port for _, switch, port in moved(before, after)}
    assert touched == {p for p, labels in TARGETS[0].ports.items() if labels.get("rail") == "0"}
    world.fault({"kind": "optic", "end": "gpu-01:rail0", "loss": 0.001})
    world.traffic([Flow("gpu-01:rail0", "gpu-02:rail0")], 5)
    last, _ = scraped()
    sick = dict(switch="leaf-01", server="gpu-01", rail="0")
    assert (value(last, "podwright_port_fcs_errors_total", **sick) or 0) > 0
    power = value(last, "podwright_optic_rx_power_dbm", **sick, lane="1")
    limit = value(last, "podwright_optic_rx_power_limit_dbm", **sick, threshold="alarm_low")
    assert power is not None and limit is not None and power < limit


def test_pause_off_on_one_port_flips_that_port_only(planned: tuple[NxosSide, World]) -> None:
    _, world = planned
    before, _ = scraped()
    lines = ["configure terminal", "interface Ethernet1/7", "priority-flow-control mode off"]
    world.fault({"kind": "cli", "switch": "leaf-02", "lines": lines})
    after, _ = scraped()
    assert {each for each in moved(before, after) if "watchdog" not in each[0]} == {
        ("podwright_port_pfc_oper", "leaf-02", "Ethernet1/7"),
        ("podwright_port_pfc_priorities_bitmap", "leaf-02", "Ethernet1/7"),
    }
    lines = ["configure terminal", "no priority-flow-control watch-dog-interval on"]
    world.fault({"kind": "cli", "switch": "leaf-02", "lines": lines})
    last, _ = scraped()
    assert value(last, "podwright_pfc_watchdog_enabled", switch="leaf-02") == 0
    armed = [
        v
        for (name, has), v in last.items()
        if name == "podwright_port_pfc_watchdog_armed" and ("switch", "leaf-02") in has
    ]
    assert set(armed) == {0}


def test_over_http_in_both_forms_without_a_secret(planned: tuple[NxosSide, World], tmp_path: Path) -> None:
    collector = SwitchCollector(TARGETS, ACCESS, os.environ)
    asyncio.run(collector.once())
    secret = (tmp_path / "secrets" / CLUSTER.fabric.credential).read_text().strip()
    with serving("127.0.0.1:0", collector.registry) as url:
        for accept, kind, openmetrics in (
            ("*/*", "text/plain; version=0.0.4", False),
            ("application/openmetrics-text;version=1.0.0;q=0.6,text/plain;q=0.5", "application/openmetrics-text", True),
        ):
            request = urllib.request.Request(url, headers={"Accept": accept})
            with urllib.request.urlopen(request, timeout=5) as answer:
                text = answer.read().decode()
                assert answer.headers["Content-Type"].startswith(kind)
            assert len(read(text, openmetrics)) > 1000
            assert secret and secret not in text
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(url.replace("/metrics", "/etc"), timeout=5)


def test_the_command_prints_one_look_or_says_what_was_wrong(planned: tuple[NxosSide, World]) -> None:
    _, world = planned
    run = CliRunner().invoke
    done = run(app, ["export", "lab", "--once"])
    assert done.exit_code == 0, done.stderr
    assert value(read(done.stdout), "podwright_switch_up", switch="leaf-01") == 1
    world.fault({"kind": "ssh-key", "switch": "leaf-01"})
    done = run(app, ["export", "lab", "--once"])
    assert done.exit_code == 1
    assert "leaf-01: the host key" in done.stderr
    assert "host key" not in done.stdout
    assert run(app, ["export", "lab", "--interval", "1"]).exit_code == 2
    assert run(app, ["export", "lab", "--listen", "9417"]).exit_code == 2
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = run(app, ["export", "lab", "--listen", f"127.0.0.1:{taken.getsockname()[1]}"])
    assert (done.exit_code, "nobody can listen at" in done.stderr) == (2, True)


def test_looks_go_on_by_themselves(planned: tuple[NxosSide, World]) -> None:
    """What people run: looks in a loop, read over HTTP; a switch that dies goes within an interval and a patience."""
    _, world = planned
    collector = SwitchCollector(TARGETS, ACCESS, os.environ, interval=5, patience=5)
    loop = asyncio.new_event_loop()
    work = loop.create_task(collector.forever())
    thread = threading.Thread(target=lambda: loop.run_until_complete(asyncio.gather(work, return_exceptions=True)))
    thread.start()

    def up(switch: str) -> float | None:
        return value(read(collector.text()), "podwright_switch_up", switch=switch)

    try:
        until(lambda: all(up(each.name) == 1 for each in TARGETS))
        world.fault({"kind": "switch", "switch": "leaf-01", "state": "down"})
        until(lambda: up("leaf-01") == 0)
        until(lambda: up("leaf-02") == 1)  # a look that came late is taken again
    finally:
        loop.call_soon_threadsafe(work.cancel)
        thread.join(timeout=10)
        loop.close()
    assert not thread.is_alive()


def test_a_process_serves_until_it_is_interrupted(planned: tuple[NxosSide, World]) -> None:
    command = [sys.executable, "-m", "podwright.cli", "export", "lab", "--listen", "127.0.0.1:0", "--interval", "5"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline().strip()
            assert said.startswith("lab: metrics at http://127.0.0.1:")

            def text() -> str:
                with urllib.request.urlopen(said.rpartition(" ")[2], timeout=5) as answer:
                    return str(answer.read().decode())

            until(lambda: all(value(read(text()), "podwright_switch_up", switch=each.name) == 1 for each in TARGETS))
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 0
            assert process.stderr.read() == ""
        finally:
            process.kill()

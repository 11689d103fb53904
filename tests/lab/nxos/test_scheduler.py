"""The scheduler: what it takes, shows and does, with and without a session, across rollback and reload."""

from __future__ import annotations

import asyncio
import time

import pytest

from podwright.lab.nxos.session import CutError, Session
from tests.lab.nxos.conftest import Switches
from tests.lab.rack import Rack

NET = "podwright-net"


@pytest.fixture
def rack() -> Rack:
    return Rack(configured=False)


def running(rack: Rack) -> str:
    return rack.show("leaf-01", "show running-config").split("version", 1)[1]


def moment(rack: Rack, ahead: int) -> str:
    return time.strftime("%Y:%m:%d:%H:%M", time.gmtime(rack.devices["leaf-01"].clock.now() + ahead))


def arm(rack: Rack, *commands: str, ahead: int = 600) -> None:
    rack.type("leaf-01", "feature scheduler", f"scheduler job name {NET}", *commands, "exit",
              f"scheduler schedule name {NET}", f"job name {NET}", f"time start {moment(rack, ahead)}",
              "exit")  # fmt: skip


def test_without_the_feature_there_is_no_scheduler(rack: Rack) -> None:
    assert "% Invalid command at '^' marker." in rack.console("leaf-01", f"scheduler job name {NET}")
    assert "% Invalid command" in rack.show("leaf-01", "show scheduler schedule")


def test_a_job_takes_any_text_and_is_shown_as_captures_show_it(rack: Rack) -> None:
    arm(rack, "rollback running-config checkpoint before", "no such command at all")
    assert (
        f"\nscheduler job name {NET}\nrollback running-config checkpoint before\nno such command at all\n\nend-job\n\n"
        f"scheduler schedule name {NET}\n  job name {NET}\n  time start {moment(rack, 600)}\n" in running(rack)
    )
    text = running(rack).split("\n", 1)[1]
    rack.type("leaf-02", *[line for line in text.splitlines() if not line.startswith(("vdc", "  limit"))])
    assert f"scheduler job name {NET}\nrollback" in rack.show("leaf-02", "show running-config")
    rack.type("leaf-01", f"no scheduler schedule name {NET}", f"no scheduler job name {NET}", "no feature scheduler")
    assert "scheduler" not in running(rack)


def test_the_net_rolls_back_at_its_time_without_a_line_typed_and_only_once(rack: Rack) -> None:
    arm(rack, "rollback running-config checkpoint before")
    rack.show("leaf-01", "checkpoint before")
    armed = running(rack)
    rack.type("leaf-01", "vlan 10", "name x", "interface Ethernet1/1", "mtu 9216")
    device = rack.devices["leaf-01"]
    device.tick()
    assert "vlan 1,10" in running(rack)
    device.clock.offset += 660
    device.tick()
    assert running(rack).partition("\n\n")[2] == armed.partition("\n\n")[2]
    rack.type("leaf-01", "vlan 20")
    device.clock.offset += 86400 * 40
    device.tick()
    assert "vlan 1,20" in running(rack)
    text = rack.show("leaf-01", "show scheduler schedule")
    assert "Run once (expired)" in text and "Execution count     : 1" in text and "Success (0)" in text
    assert "`rollback running-config checkpoint before`\nNote: " in rack.show("leaf-01", "show scheduler logfile")


def test_a_cancelled_net_does_nothing(rack: Rack) -> None:
    arm(rack, "rollback running-config checkpoint before")
    rack.show("leaf-01", "checkpoint before")
    rack.type("leaf-01", "vlan 10", f"no scheduler schedule name {NET}", f"no scheduler job name {NET}")
    rack.devices["leaf-01"].clock.offset += 660
    assert "vlan 1,10" in running(rack)


def test_a_new_time_replaces_the_old_one(rack: Rack) -> None:
    arm(rack, "configure terminal", "vlan 77")
    rack.devices["leaf-01"].clock.offset += 540
    rack.show("leaf-01", "show clock")
    rack.type("leaf-01", f"scheduler schedule name {NET}", f"time start {moment(rack, 600)}")
    rack.devices["leaf-01"].clock.offset += 120
    assert "vlan 1,77" not in running(rack)
    rack.devices["leaf-01"].clock.offset += 600
    assert "vlan 1,77" in running(rack)


def test_a_relative_time_is_kept_as_a_moment_and_repeats(rack: Rack) -> None:
    rack.type("leaf-01", "feature scheduler", "scheduler job name save", "checkpoint", "exit",
              "scheduler schedule name often", "job name save", "time start +30 repeat 0:1:0")  # fmt: skip
    assert f"  time start {moment(rack, 1800)} repeat 0:1:0\n" in running(rack)
    for expected in (1, 2, 3):
        rack.devices["leaf-01"].clock.offset += 3600
        assert rack.show("leaf-01", "show checkpoint summary").count("Created by admin") == expected


def test_a_job_that_fails_says_so(rack: Rack) -> None:
    arm(rack, "rollback running-config checkpoint nowhere")
    rack.devices["leaf-01"].clock.offset += 660
    assert "Failed (1)" in rack.show("leaf-01", "show scheduler schedule name " + NET)
    assert "does not exist" in rack.show("leaf-01", "show scheduler logfile")


def test_a_user_of_the_aaa_server_needs_a_password_for_the_scheduler(rack: Rack) -> None:
    device = rack.devices["leaf-01"]
    for known in (False, True):
        session = Session(device, user="remote", quiet=True)
        for line in ("configure terminal", "feature scheduler",
                     *(["scheduler aaa-authentication username remote password x"] if known else []),
                     "scheduler job name j", "configure terminal", "vlan 55", "exit", "scheduler schedule name s",
                     "job name j", f"time start {moment(rack, 120)}"):  # fmt: skip
            session.run(line)
        device.clock.offset += 180
        assert ("vlan 1,55" in running(rack)) is known


def test_a_reload_forgets_what_was_not_saved_and_keeps_what_was(rack: Rack) -> None:
    device = rack.devices["leaf-01"]
    arm(rack, "configure terminal", "vlan 77")
    device.reload()
    device.faults.down = False
    assert "scheduler" not in running(rack)
    arm(rack, "configure terminal", "vlan 77")
    rack.show("leaf-01", "copy running-config startup-config")
    device.reload()
    device.clock.offset += 660
    device.tick()
    device.faults.down = False
    assert "scheduler schedule" in running(rack)


def test_a_job_may_reload_the_box(rack: Rack) -> None:
    arm(rack, "reload")
    device = rack.devices["leaf-01"]
    device.clock.offset += 660
    device.tick()
    assert device.faults.down and device.generation == 1


def test_a_session_in_a_block_stays_in_it_when_the_box_is_rolled_back(rack: Rack) -> None:
    device = rack.devices["leaf-01"]
    rack.show("leaf-01", "checkpoint before")
    session = Session(device, quiet=True)
    for line in ("configure terminal", "interface Ethernet1/1", "mtu 9216"):
        assert session.run(line) == ""
    rack.show("leaf-01", "rollback running-config checkpoint before")
    assert session.run("description after") == ""
    assert "interface Ethernet1/1\n  description after\n" in running(rack)
    session.run("vlan 10")
    rack.show("leaf-01", "rollback running-config checkpoint before")
    session.run("")
    assert session.prompt == "leaf-01(config)# "


async def test_the_clock_of_a_running_lab_can_be_shifted_and_jobs_run_by_themselves(switches: Switches) -> None:
    device = switches.side.devices["leaf-02"]
    when = time.strftime("%Y:%m:%d:%H:%M", time.gmtime(device.clock.now() + 600))
    lines = ["configure terminal", "feature scheduler", "scheduler job name j", "configure terminal", "vlan 66", "exit",
             "scheduler schedule name s", "job name j", f"time start {when}", "end", "show clock"]  # fmt: skip
    answer = switches.world.fault({"kind": "cli", "switch": "leaf-02", "lines": lines, "user": "admin"})
    assert "%" not in answer["output"]
    switches.world.fault({"kind": "clock", "switch": "leaf-02", "ahead": 660})
    for _ in range(100):
        await asyncio.sleep(0.05)
        if "vlan 66" in device.root.children:
            return
    raise AssertionError("the job did not run within five seconds")


def test_cut_error_is_what_a_reload_in_place_of_a_line_looks_like(rack: Rack) -> None:
    device = rack.devices["leaf-01"]
    device.faults.reload_after = 2
    session = Session(device, quiet=True)
    session.run("configure terminal")
    session.run("vlan 10")
    with pytest.raises(CutError):
        session.run("vlan 11")
    assert device.faults.down and device.faults.reload_after is None

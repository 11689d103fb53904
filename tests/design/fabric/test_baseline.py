"""Settings of the switches themselves: on every switch or none, in an order the device takes, no secret anywhere."""

import copy
from pathlib import Path
from typing import Any

import yaml
from typer.testing import CliRunner

from podwright.cli.__main__ import app
from podwright.cli.world import world
from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric import baseline
from podwright.lab.nxos.factory import build
from podwright.lab.nxos.session import Session
from podwright.lab.world.model import World
from tests.model.changes import LAB
from tools import goldens
from tools.generated import ROOT


def plan(**said: Any) -> tuple[fabric.SwitchPlan, ...]:
    whole = copy.deepcopy(LAB)
    whole["fabric"] |= said
    return fabric.plan(model.load(whole).network).switches


def test_what_is_not_said_is_not_owned() -> None:
    for switch in plan():
        assert not [line for line in switch.config if line.startswith(("aaa", "tacacs", "copp", "hardware", "boot"))]


def test_servers_stand_before_the_group_and_the_group_before_the_methods() -> None:
    said = {"aaa": {"servers": ["192.0.2.5", "192.0.2.6"]}, "copp": "strict", "tcam": {"ing-racl": 512}}
    for switch in plan(baseline=said):
        lines = list(switch.config)
        order = [
            "feature tacacs+",
            "hardware access-list tcam region ing-racl 512",
            "copp profile strict",
            "tacacs-server host 192.0.2.5",
            "tacacs-server host 192.0.2.6",
            "aaa group server tacacs+ TACACS",
            "aaa authentication login default group TACACS",
            "aaa accounting default group TACACS",
        ]
        assert [line for line in lines if line in order] == order
        assert "key" not in switch.text().split("aaa ")[0].split("tacacs-server")[-1]
        assert switch.reload == ("hardware access-list tcam region ing-racl 512",)


def test_dlb_is_over_the_fabric_ports_alone_and_says_its_reload() -> None:
    switches = plan(release="10.5(3)", dlb={"mode": "per-packet", "flowlet_aging_us": 500})
    for switch in switches:
        ports = [port.replace("Ethernet", "Eth") for port, end in switch.links.items() if end.role == "fabric"]
        lines = switch.config["hardware profile dlb"].splitlines()
        assert lines[0].removeprefix("dlb-interface ").split(",") == ports
        assert lines[1:] == ["mode per-packet", "flowlet-aging 500"]
        assert switch.reload == ("hardware profile dlb",)


def test_explain_names_the_reloads_and_day_0_has_no_secret() -> None:
    run = CliRunner()
    file = str(goldens.stack_file("pairs"))
    assert (
        "reload needed: leaf-01 before 'hardware profile dlb' takes effect"
        in run.invoke(app, ["explain", "fabric", file]).output
    )
    shown = run.invoke(app, ["explain", "day0", file, "front-02"])
    assert shown.exit_code == 0
    cluster = model.load(file)
    assert shown.output == baseline.day0(cluster.network, fabric.plan(cluster.network).switch("front-02"))
    assert "hostname front-02\nboot nxos bootflash:/nxos64-cs.10.5.3.F.bin\n" in shown.output
    assert "  ip address 192.0.2.32/24" in shown.output
    assert "password <as in secret switch-admin>" in shown.output


def test_a_new_switch_takes_every_line_of_day_0(tmp_path: Path) -> None:
    cluster = model.load(goldens.stack_file("pairs"))
    planned = fabric.plan(cluster.network).switch("front-02")
    rack = tmp_path / "world.yaml"
    rack.write_text(yaml.safe_dump(world(cluster)))
    stood = World.load(rack)
    session = Session(build(stood, stood.switches["front-02"], "admin", "Lab-Passw0rd", "192.0.2.254"))
    answers = [
        session.run(line) for line in ("configure terminal", *baseline.day0(cluster.network, planned).splitlines())
    ]
    assert [answer for answer in answers if "%" in answer or "ERROR" in answer] == []
    assert "ip address 192.0.2.32/24" in session.run("show running-config")


def test_day_0_of_a_stack_without_it_or_of_no_switch_exits_2() -> None:
    run = CliRunner()
    assert run.invoke(app, ["explain", "day0", str(ROOT / "Pulumi.lab.yaml"), "leaf-01"]).exit_code == 2
    assert run.invoke(app, ["explain", "day0", str(goldens.stack_file("pairs")), "leaf-09"]).exit_code == 2

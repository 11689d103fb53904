"""Answers in the shapes of real switches, damaged ones too, and looks that grow old."""

from __future__ import annotations

import json
import random

import pytest

from podwright.components.providers.nxos.read import metrics as known
from podwright.components.providers.nxos.read.answers import ANSWERS, MalformedError
from podwright.components.providers.status.export.collector import SwitchCollector
from podwright.components.providers.status.export.scrape import Look, Target, understood
from tests.providers.status.export.grammar import read, render, value

TARGET = Target(
    "leaf-01",
    "192.0.2.11",
    tuple(ANSWERS),
    {"Ethernet1/1": {"server": "gpu-01", "rail": "0"}, "Ethernet1/33": {}},
    {"Ethernet1/1": {"role": "host", "peer": "gpu-01"}},
    {
        "10.1.0.0": {"peer": "spine-01", "port": "Ethernet1/33"},
        "Ethernet1/33": {"peer": "spine-01", "port": "Ethernet1/33"},
    },
)
PFC = """
============================================================
Port               Mode Oper(VL bmap)  RxPPP      TxPPP
============================================================

Ethernet1/1        On   On   (8)       12         7
Ethernet1/2        On   On   (8)       1          1
Ethernet1/33       Auto Off  (8)       0          0
"""
RULE = "+-------------------------------------------------------------------+\n"
QUEUES = f"""
slot  1
=======

Egress Queuing for Ethernet1/1 [System]
------------------------------------------------------------------------------
QoS-Group# Bandwidth% PrioLevel                Shape                   QLimit
                                   Min          Max        Units
------------------------------------------------------------------------------
      3            50         -           -            -     -            9(D)
{RULE}|                              QOS GROUP 3                          |
{RULE}|                           |  Unicast       | OOBFC Unicast  |  Multicast     |
{RULE}|                   Tx Pkts |             100|               5|               1|
|                   Tx Byts |         1000000|               0|               0|
| WRED/AFD & Tail Drop Pkts |              11|               0|               2|
| WRED/AFD & Tail Drop Byts |             999|               0|               0|
|              Q Depth Byts |               0|               0|               0|
|       WD & Tail Drop Pkts |               4|               0|               0|
|           ECN Marked Pkts |              42|               0|               0|
{RULE}|                      CONTROL QOS GROUP                            |
{RULE}|                   Tx Pkts |             777|               0|               0|
{RULE}|                         SPAN QOS GROUP                            |
{RULE}|                   Tx Pkts |             888|               0|               0|
{RULE}

Ingress Queuing for Ethernet1/1
------------------------------------------------------------------------------
QoS-Group#                 Pause                        QLimit
{RULE}|                              QOS GROUP 4                          |
{RULE}|                   Tx Pkts |             999|               0|               0|
{RULE}
"""
WATCHDOG = {
    "glb-wd-status": "Enabled",
    "glb-wd-timer": "100",
    "TABLE_queuing_interface": {
        "ROW_queuing_interface": [
            {
                "if_name_str": "Ethernet1/1",
                "wd-status": "Enabled",
                "TABLE_qosgrp_stats": {
                    "ROW_qosgrp_stats": {
                        "eq-qosgrp": "3",
                        "TABLE_qosgrp_stats_entry": {
                            "ROW_qosgrp_stats_entry": [
                                {"q-stat-type": "Stats", "q-shutdown": "3", "q-restored": 2, "q-pkt-dropped": "9"}
                            ]
                        },
                    }
                },
            },
            {"if_name_str": "Ethernet1/33", "wd-status": "Disabled"},
        ]
    },
}
LANE = {
    "temperature": "41.50", "temp_alrm_hi": "75.00", "temp_alrm_lo": "-5.00", "temp_warn_hi": "70.00",
    "temp_warn_lo": "0.00", "tx_pwr": "-1.78", "tx_pwr_alrm_hi": "2.99", "tx_pwr_alrm_lo": "-9.50",
    "tx_pwr_warn_hi": "1.99", "tx_pwr_warn_lo": "-7.52", "rx_pwr": "N/A", "rx_pwr_alrm_hi": "3.40",
    "rx_pwr_alrm_lo": "-14.10", "rx_pwr_warn_hi": "2.39", "rx_pwr_warn_lo": "-11.10", "rx_pwr_flag": None,
}  # fmt: skip
OPTICS = {
    "TABLE_interface": {
        "ROW_interface": [
            {"interface": "Ethernet1/1", "sfp": "present", "TABLE_lane": {"ROW_lane": LANE}},
            {
                "interface": "Ethernet1/33",
                "sfp": "present",
                "TABLE_lane": {"ROW_lane": [{**LANE, "lane_number": n, "rx_pwr": f"-{n}.5"} for n in ("1", "2")]},
            },
            {"interface": "Ethernet1/34", "sfp": "not present"},
        ]
    }
}
ERRORS = {
    "TABLE_interface": {
        "ROW_interface": [
            {"interface": "mgmt0", "eth_align_err": "--", "eth_fcs_err": "--", "eth_rcv_err": "--"},
            {
                "interface": "Ethernet1/1",
                "eth_fcs_err": "6",
                "eth_xmit_err": "0",
                "eth_rcv_err": "7",
                "eth_outdisc": "8",
            },
            {"interface": "Ethernet1/1", "eth_single_col": "0", "eth_multi_col": "0"},
        ]
    }
}
BGP = {
    "TABLE_vrf": {
        "ROW_vrf": {
            "vrf-name-out": "default",
            "TABLE_af": {
                "ROW_af": {
                    "TABLE_saf": {
                        "ROW_saf": {
                            "TABLE_neighbor": {
                                "ROW_neighbor": [
                                    {"neighborid": "10.1.0.0", "state": "Established", "prefixreceived": "4"},
                                    {"neighborid": "10.1.0.8", "state": "Idle"},
                                ]
                            }
                        }
                    }
                }
            },
        }
    }
}
BFD = """
OurAddr         NeighAddr       LD/RD                 RH/RS           Holdown(mult)     State       Int                   Vrf                              Type
10.1.0.1        10.1.0.0        1090540255/1090566886 Up              862(3)            Up          Eth1/33               default                          SH
10.1.0.9        10.1.0.8        1090540256/0          Down            N/A(3)            Down        Eth1/34               tenant-a                         SH
"""  # noqa: E501 - a table of the device


def shown(command: str, answer: object) -> dict[str, float]:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    series = read(render(understood(command, text, TARGET)))
    short = {}
    for (name, labels), number in series.items():
        assert ("switch", "leaf-01") in labels
        rest = sorted(v for k, v in labels if k not in ("switch", "server", "rail"))
        short[" ".join([name.removeprefix("podwright_"), *rest])] = number
    return short


def test_pause_state_and_frames_of_planned_ports() -> None:
    assert shown(known.PFC, PFC) == {
        "port_pfc_oper Ethernet1/1": 1,
        "port_pfc_oper Ethernet1/33": 0,
        "port_pfc_priorities_bitmap Ethernet1/1": 8,
        "port_pfc_priorities_bitmap Ethernet1/33": 0,
        "port_pfc_rx_frames_total Ethernet1/1": 12,
        "port_pfc_rx_frames_total Ethernet1/33": 0,
        "port_pfc_tx_frames_total Ethernet1/1": 7,
        "port_pfc_tx_frames_total Ethernet1/33": 0,
    }


def test_egress_boxes_count_and_those_of_cpu_span_and_ingress_do_not() -> None:
    assert shown(known.QUEUES, QUEUES) == {
        "queue_tx_packets_total 3 Ethernet1/1": 106,
        "queue_dropped_packets_total 3 Ethernet1/1": 13,
        "queue_watchdog_dropped_packets_total 3 Ethernet1/1": 4,
        "queue_ecn_marked_packets_total 3 Ethernet1/1": 42,
    }


def test_the_watchdog_counts_shutdowns_and_is_armed_only_with_the_global_one() -> None:
    assert shown(known.WATCHDOG, WATCHDOG) == {
        "pfc_watchdog_enabled": 1,
        "port_pfc_watchdog_armed Ethernet1/1": 1,
        "port_pfc_watchdog_armed Ethernet1/33": 0,
        "queue_pfc_watchdog_shutdowns_total 3 Ethernet1/1": 3,
        "queue_pfc_watchdog_restores_total 3 Ethernet1/1": 2,
    }
    assert shown(known.WATCHDOG, {**WATCHDOG, "glb-wd-status": "Disabled"})["port_pfc_watchdog_armed Ethernet1/1"] == 0


def test_optics_by_lane_with_the_modules_limits_and_nothing_where_nothing_is_measured() -> None:
    found = shown(known.OPTICS, OPTICS)
    assert found["optic_temperature_celsius Ethernet1/1"] == 41.5
    assert found["optic_tx_power_dbm 1 Ethernet1/1"] == -1.78
    assert "optic_rx_power_dbm 1 Ethernet1/1" not in found
    assert found["optic_rx_power_dbm 2 Ethernet1/33"] == -2.5
    limits = {key: number for key, number in found.items() if "limit" in key and "1/33" in key}
    assert limits["optic_rx_power_limit_dbm Ethernet1/33 alarm_low"] == -14.1
    assert limits["optic_temperature_limit_celsius Ethernet1/33 warning_high"] == 70
    assert len(limits) == 12


def test_errors_neighbors_and_sessions() -> None:
    assert shown(known.ERRORS, ERRORS) == {
        "port_fcs_errors_total Ethernet1/1": 6,
        "port_rx_errors_total Ethernet1/1": 7,
        "port_tx_errors_total Ethernet1/1": 0,
        "port_tx_discards_total Ethernet1/1": 8,
    }
    assert shown(known.BGP, BGP) == {
        "bgp_neighbor_up 10.1.0.0 Ethernet1/33 default spine-01": 1,
        "bgp_neighbor_prefixes_received 10.1.0.0 Ethernet1/33 default spine-01": 4,
        "bgp_neighbor_up 10.1.0.8 default": 0,
    }
    assert shown(known.BFD, BFD) == {
        "bfd_neighbor_up 10.1.0.0 Ethernet1/33 default spine-01": 1,
        "bfd_neighbor_up 10.1.0.8 Ethernet1/34 tenant-a": 0,
    }


def test_no_session_at_all_is_an_answer() -> None:
    assert shown(known.BFD, BFD.splitlines()[1] + "\n") == {}
    assert shown(known.BGP, {"TABLE_vrf": {"ROW_vrf": {"vrf-name-out": "default"}}}) == {}


def test_an_unnumbered_neighbor_is_its_interface() -> None:
    text = json.dumps(BGP).replace("10.1.0.0", "Eth1/33")
    assert shown(known.BGP, text)["bgp_neighbor_up Ethernet1/33 Ethernet1/33 default spine-01"] == 1


GOOD = {
    known.PFC: PFC,
    known.QUEUES: QUEUES,
    known.WATCHDOG: json.dumps(WATCHDOG),
    known.OPTICS: json.dumps(OPTICS),
    known.ERRORS: json.dumps(ERRORS),
    known.BGP: json.dumps(BGP),
    known.BFD: BFD,
    known.STATUS: json.dumps({"TABLE_interface": {"ROW_interface": {"interface": "Eth1/1", "state": "connected"}}}),
}


@pytest.mark.parametrize("command", ANSWERS)
def test_no_damage_to_an_answer_is_a_crash(command: str) -> None:
    """Cut anywhere, and with characters changed: samples of the text's own numbers, or MalformedError; nothing else."""
    dice, good = random.Random(7), GOOD[command]
    assert understood(command, good, TARGET)
    for text in ("", "\n", "null", "[]", "{}", "3", '{"TABLE_interface": 1}', "Note: process currently not running\n"):
        with pytest.raises(MalformedError):
            understood(command, text, TARGET)
    for _ in range(400):
        text = good[: dice.randrange(len(good))] if dice.random() < 0.3 else good
        for _ in range(dice.randrange(4)):
            at = dice.randrange(len(text) + 1)
            text = text[:at] + dice.choice(['"', "{", "]", "null", "²", "\x00", "-", "|", "9"]) + text[at + 1 :]
        try:
            read(render(understood(command, text, TARGET)))
        except MalformedError:
            continue


@pytest.mark.parametrize(
    "strange",
    ['"TABLE_interface": {"ROW_interface": [[]]}', '"TABLE_interface": {"ROW_interface": [{"interface": {}}]}'],
)
def test_json_of_another_shape_is_malformed(strange: str) -> None:
    for command in (known.STATUS, known.ERRORS, known.OPTICS):
        with pytest.raises(MalformedError):
            understood(command, f"{{{strange}}}", TARGET)


def test_a_look_that_nobody_renews_is_no_look() -> None:
    now = [1000.0]
    collector = SwitchCollector([TARGET], ("admin", "x"), {}, interval=30, patience=20, clock=lambda: now[0])
    assert value(read(collector.text()), "podwright_switch_up") is None, "not looked at yet"
    samples = tuple(understood(known.PFC, PFC, TARGET))
    collector._looks["leaf-01"] = Look(samples, {known.PFC: ""}, ended=1000.0)
    now[0] = 1010.0
    fresh = read(collector.text())
    assert value(fresh, "podwright_switch_up") == 1
    assert value(fresh, "podwright_switch_scrape_age_seconds") == 10
    now[0] = 1101.0
    old = read(collector.text())
    assert value(old, "podwright_switch_up") == 0
    assert value(old, "podwright_port_pfc_oper", port="Ethernet1/1") is None
    assert value(old, "podwright_port_info", server="gpu-01", role="host") == 1

"""What `explain fabric` says of the order in which switches change."""

import copy
import json

from podwright.cli import network
from podwright.components import model
from tests.model.changes import LAB, PROD


def lines(said: dict[str, object]) -> list[str]:
    return list(network.lines(model.load(json.loads(json.dumps(said)))))


def test_the_waves_are_told_with_the_ports_and_gpus_they_touch() -> None:
    said = lines(LAB)
    assert "roll-out: 1 waves, no soak between them" in said
    assert "wave 1: leaf-01, 40 ports, GPU 0-3 of 5 servers, gpu-01 to gpu-05" in said


def test_what_storage_links_carry_is_told_with_a_switch_lost_too() -> None:
    assert [line for line in lines(PROD) if line.startswith("storage reads:")] == [
        "storage reads: 100 of 200 Gb/s to 16 servers, gpu-01 to gpu-16, 8 GPUs; 100 with a switch lost",
        "storage reads: 75 of 400 Gb/s to x-series, 6 GPUs; 200 with a switch lost",
        "storage reads: 335 of 400 Gb/s from what serves storage to 134 GPUs, 0.2 at once; 200 with a switch lost, "
        "too little",
    ]
    assert "storage reads: not defined, not checked" in lines(LAB)


def test_a_domain_that_reads_as_much_as_a_server_hides_no_server() -> None:
    said = copy.deepcopy(PROD)
    said["servers"]["cp-01"] |= {"gpus": "NVIDIA-H100-NVL", "gpu_count": 2}
    said["fabric"]["frontend"]["ports"]["x-series-b"]["vlans"] = [10, 30]
    assert [line.partition(";")[0] for line in lines(said) if line.startswith("storage reads:")] == [
        "storage reads: 100 of 200 Gb/s to 16 servers, gpu-01 to gpu-16, 8 GPUs",
        "storage reads: 100 of 200 Gb/s to x-series, 8 GPUs",
        "storage reads: 340 of 400 Gb/s from what serves storage to 136 GPUs, 0.2 at once",
    ]


def test_a_roll_out_tells_its_soak_and_its_canary_first() -> None:
    fabric = {**PROD["fabric"], "rollout": {"canary": "leaf-03", "batch": 4, "drain": "maintenance"}}
    said = lines({**PROD, "fabric": fabric})
    assert any(line.endswith("soak 300 s behind each, drain: maintenance") for line in said)
    assert [line for line in said if line.startswith("wave 1:")] == [
        "wave 1: leaf-03, 32 ports, GPU 2 of 16 servers, gpu-01 to gpu-16"
    ]


def test_whether_switches_are_held_against_the_plan_is_told() -> None:
    assert "verification: on, up to 180 s to settle" in lines(LAB)
    off = lines({**LAB, "fabric": {**LAB["fabric"], "verification": "off"}})
    assert "verification: off: nobody looks" in off

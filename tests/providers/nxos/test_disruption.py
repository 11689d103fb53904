"""What a preview says of a change beyond its lines."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.components.providers.nxos.switch import Switch
from podwright.components.providers.nxos.write.disruption import touched
from tests.providers.nxos.rack import CONFIG, inputs

LINKS = {
    **{f"Ethernet1/{n + 1}": {"device": "gpu-01", "port": f"rail{n}", "role": "host"} for n in range(4)},
    "Ethernet1/9": {"device": "gpu-02", "port": "rail0", "role": "host"},
    "Ethernet1/33": {"device": "spine-01", "port": "Ethernet1/1", "role": "fabric"},
}
TOUCHED = "Ethernet1/1-4,9,33 (GPU 0-3 of gpu-01; GPU 0 of gpu-02; the links to spine-01)"
QUEUING = "policy-map type queuing QOS_EGRESS_PORT"
NETWORK, SYSTEM = "policy-map type network-qos qos_network", "system qos"


def said(changes: dict[str, str | None]) -> list[str]:
    config = {name: text for name, text in (CONFIG | changes).items() if text is not None}
    return list(Switch().notices(inputs(links=LINKS), inputs(config, links=LINKS)))


@pytest.mark.parametrize(
    "changes",
    [
        {NETWORK: CONFIG[NETWORK].replace("9216", "4200")},
        {NETWORK: CONFIG[NETWORK].replace("pause pfc-cos 3", "pause pfc-cos 4")},
        {NETWORK: None, "policy-map type network-qos other": CONFIG[NETWORK]},
        {SYSTEM: CONFIG[SYSTEM].replace("qos_network", "other")},
    ],
)
def test_a_network_qos_change_names_the_ports_and_gpus_it_touches(changes: dict[str, str | None]) -> None:
    (sentence,) = said(changes)
    assert sentence.startswith("leaf-01: the network-qos policy changes;")
    assert sentence.endswith(TOUCHED)


PORT = "interface Ethernet1/1"


@pytest.mark.parametrize(
    "changes",
    [
        {QUEUING: CONFIG[QUEUING].replace("950", "900")},
        {QUEUING: CONFIG[QUEUING].replace("percent 50", "percent 40")},
        {QUEUING: None, "policy-map type queuing other": CONFIG[QUEUING]},
        {SYSTEM: CONFIG[SYSTEM].replace("QOS_EGRESS_PORT", "other")},
        {PORT: CONFIG[PORT] + "\nservice-policy type queuing output QOS_EGRESS_PORT"},
        {PORT: CONFIG[PORT] + "\nservice-policy type queuing input QOS_INGRESS_PORT"},
    ],
)
def test_ecn_thresholds_and_queue_shares_lose_traffic_on_every_port(changes: dict[str, str | None]) -> None:
    """QoS guide, 10.5(x), guidelines of queuing and scheduling: changes are disruptive, all ports of the type lose."""
    (sentence,) = said(changes)
    assert sentence.startswith("leaf-01: the queuing policy changes (ECN thresholds, queue shares);")
    assert sentence.endswith(TOUCHED)


@pytest.mark.parametrize("line", ["hardware access-list tcam region ing-racl 1536", "hardware profile dlb"])
def test_a_line_that_wants_a_reload_says_so_and_what_the_reload_takes_down(line: str) -> None:
    (sentence,) = said({line: ""})
    assert sentence.startswith(f"leaf-01: {line} takes effect only after a reload")
    assert sentence.endswith(TOUCHED)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"interface Ethernet1/1": CONFIG["interface Ethernet1/1"].replace("rail0", "rail 0")},
        {NETWORK: "\n".join(CONFIG[NETWORK].splitlines()[3:] + CONFIG[NETWORK].splitlines()[:3])},
        {"policy-map type qos QOS_CLASSIFICATION": CONFIG["policy-map type qos QOS_CLASSIFICATION"] + "\n  set cos 0"},
    ],
)
def test_other_changes_say_nothing(changes: dict[str, Any]) -> None:
    assert said(changes) == []


def test_a_switch_without_cables_touches_nothing() -> None:
    assert touched({}) == "no cabled port"

"""No state between two lossless configurations is a lossy one: random pairs, typed line by line into a lab switch."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components.providers.nxos.session import refusal
from podwright.components.providers.nxos.write.change import Change, batches
from podwright.components.providers.nxos.write.remediation import Config
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.view import LiveView
from tests.providers.nxos.forms import FORMS, config
from tests.providers.nxos.moments import SEED
from tests.providers.nxos.rack import rack

PORTS = ("Ethernet1/1", "Ethernet1/2", "Ethernet1/3")
ROCE = (24, 26, 28)
FORM = random.Random(SEED).choice(list(FORMS))
"""What ports are by default, one form a run."""


class Bench:
    """The switch that everything is typed into. Hypothesis prints what it is given, so it says little."""

    def __init__(self, device: Device) -> None:
        self.device = device

    def __repr__(self) -> str:
        return "leaf-01"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with rack(tmp_path_factory.mktemp("gap"), variants={"ports": FORM}) as running:
        yield Bench(running.leaf)


@st.composite
def lossless(draw: st.DrawFn) -> str:
    """A configuration that is lossless for some DSCP on some ports, as a person may have written it."""
    group = draw(st.sampled_from((3, 4)))
    suffix = draw(st.sampled_from(("", "-B")))
    dscps = draw(st.lists(st.sampled_from(ROCE), min_size=1, max_size=3, unique=True))
    share = draw(st.integers(5, 95))
    classes = draw(st.permutations([("ROCE", group), ("CNP", 7), ("STORAGE", 2)]))
    queues = draw(
        st.permutations(
            [
                f"  class type queuing c-out-8q-q{group}\n    bandwidth remaining percent {share}\n    random-detect "
                f"minimum-threshold {draw(st.sampled_from((150, 950)))} kbytes maximum-threshold 3000 kbytes "
                f"drop-probability 7 weight 0 ecn",
                f"  class type queuing c-out-8q-q-default\n    bandwidth remaining percent {100 - share}",
                "  class type queuing c-out-8q-q7\n    priority level 1",
            ]
        )
    )
    return "\n".join(
        (
            f"class-map type qos match-any ROCE\n  match dscp {','.join(map(str, dscps))}",
            "class-map type qos match-any CNP\n  match dscp 48",
            f"class-map type qos match-any STORAGE\n  match dscp {draw(st.sampled_from(('34', '34,36')))}",
            f"policy-map type qos IN{draw(st.sampled_from(('', suffix)))}",
            *(f"  class {name}\n    set qos-group {number}" for name, number in classes),
            f"policy-map type network-qos NQ{suffix}",
            f"  class type network-qos c-8q-nq{group}\n    mtu 9216\n    pause pfc-cos {group}",
            f"  class type network-qos c-8q-nq-default\n    mtu {draw(st.sampled_from((9216, 4200)))}",
            f"policy-map type queuing OUT{suffix}",
            *queues,
            f"system qos\n  service-policy type network-qos NQ{suffix}",
            f"  service-policy type queuing output OUT{suffix}",
        )
    )


@st.composite
def switch(draw: st.DrawFn) -> Config:
    """The same with ports that take part."""
    text = draw(lossless())
    policy = next(line for line in text.splitlines() if line.startswith("policy-map type qos ")).split()[-1]
    ports = draw(st.lists(st.sampled_from(PORTS), min_size=1, unique=True))
    blocks = [
        f"interface {port}\n  no switchport\n  mtu 9216\n  priority-flow-control mode on\n"
        f"  service-policy type qos input {policy}\n  no shutdown"
        for port in ports
    ]
    return config("\n".join((text, *blocks)), FORM)


LARGEST = 4096 + 60
"""Bytes of RoCE's largest packet: a class of a smaller MTU drops it."""


def lossless_now(device: Device) -> set[tuple[str, int]]:
    """Port and DSCP of what would be paused instead of dropped, packets of any size."""
    view = LiveView(device)
    found = set()
    for port in map(view.port, PORTS):
        for dscp in ROCE:
            group = port.classify(dscp)
            if port.dscp_groups and port.pfc_on and group in port.no_drop and port.group_mtu[group] >= LARGEST:
                found.add((port.name, dscp))
    return found


def marked_now(device: Device) -> set[tuple[str, int]]:
    """Port and DSCP of what is marked before it is paused."""
    view = LiveView(device)
    return {(port.name, dscp) for port in map(view.port, PORTS) for dscp in ROCE if port.classify(dscp) in port.ecn}


def typed(device: Device, change: Change, live: Config) -> Iterator[str]:
    """Type a change; yields after each line that was taken."""
    session = Session(device, dont_ask=True, quiet=True)
    for lines in batches(change.sections(live)):
        for line in ("configure terminal", *lines, "end"):
            answer = session.run(line)
            assert refusal(answer) is None, f"{line}: {answer}\nof\n" + "\n".join(lines)
            yield line


def live(device: Device) -> Config:
    session = Session(device, quiet=True)
    session.run("terminal length 0")
    return config(session.run("show running-config"), FORM)


@settings(max_examples=150, deadline=None)
@given(first=switch(), second=switch())
def test_nothing_lossless_at_both_ends_is_lossy_in_between(bench: Bench, first: Config, second: Config) -> None:
    device = bench.device
    device.restore(device.factory.copy())
    for _ in typed(device, Change(first), live(device)):
        pass
    before = lossless_now(device), marked_now(device)
    assert before[0]
    change = Change(second, tuple(name for name in first if name not in second))
    seen = [(line, lossless_now(device), marked_now(device)) for line in typed(device, change, live(device))]
    assert not change.sections(live(device))
    after = lossless_now(device), marked_now(device)
    assert after[0]
    for line, lasting, marking in seen:
        assert not (before[0] & after[0]) - lasting, line
        assert not (before[1] & after[1]) - marking, line

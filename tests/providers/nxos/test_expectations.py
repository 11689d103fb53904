"""What interfaces must show, compact for the engine and as rows for the comparison: both say the same."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.providers.nxos.pool import Pool
from podwright.components.providers.nxos.read.expectations import compact, expanded, showing
from podwright.components.providers.nxos.read.verification import Verification
from podwright.components.providers.protocol.kind import CheckContext
from tools import goldens

ROWS = st.dictionaries(
    st.sampled_from([f"Ethernet1/{number}" for number in range(1, 9)] + ["Vlan10", "evpn 10.0.0.1"]),
    st.fixed_dictionaries(
        {"faces": st.sampled_from(["spine-01 Ethernet1/1", "gpu-01 rail0", "gpu-02 rail0"])},
        optional={
            "up": st.booleans(),
            "may_be_down": st.just(True),
            "mtu": st.sampled_from([1500, 9000, 9216]),
            "pfc": st.sampled_from([0, 8]),
            "neighbor": st.sampled_from(["10.1.0.0", "10.1.0.2"]),
            "session": st.booleans(),
            "probe": st.sampled_from([9000, 9216]),
        },
    ),
)


@given(ROWS, st.data())
def test_the_compact_form_says_the_same(rows: dict[str, Any], data: st.DataObject) -> None:
    spec = {"schema": 1, "hostname": "leaf-01", "interfaces": rows}
    made = compact(spec)
    assert expanded(made) == rows
    assert compact({**spec, "interfaces": dict(data.draw(st.permutations(list(rows.items()))))}) == made
    assert showing(made, rows) == made
    seen = {
        name: {key: data.draw(st.sampled_from([value, 0])) for key, value in row.items()} for name, row in rows.items()
    }
    assert expanded(showing(made, seen)) == seen


def test_one_value_that_differs_stands_alone() -> None:
    rows = {f"Ethernet1/{n}": {"faces": f"spine-01 Ethernet1/{n}", "up": True, "pfc": 8} for n in range(1, 5)}
    made = compact({"interfaces": rows})
    assert made["defaults"] == {"links": {"up": True, "pfc": 8}}
    assert made["interfaces"]["links"]["Ethernet1/2"] == {"faces": "spine-01 Ethernet1/2"}
    seen = {**rows, "Ethernet1/2": {**rows["Ethernet1/2"], "pfc": 0}}
    assert showing(made, seen)["interfaces"]["links"]["Ethernet1/2"] == {"faces": "spine-01 Ethernet1/2", "pfc": 0}


def _leaves(value: Any) -> int:
    return sum(map(_leaves, value.values())) if isinstance(value, dict) else 1


@pytest.mark.parametrize("example", ["lab", "prod", "evpn", "ospf", "pairs"])
def test_an_older_state_is_upgraded_to_what_is_rendered_now(example: str) -> None:
    cluster = model.load(goldens.stack_file(example))
    plan, kind = fabric.plan(cluster.network), Verification(Pool())
    old, new = 0, 0
    for switch in plan.switches:
        for stage, interfaces in fabric.verified(cluster.network, plan, switch).items():
            about = {"schema": 1, "stage": stage, "hostname": switch.hostname, "management": "192.0.2.1",
                     "credential": "c", "settle_seconds": 1}  # fmt: skip
            stored = {"spec": {**about, "interfaces": {name: each.values() for name, each in interfaces.items()}}}
            rendered = {"spec": compact(copy.deepcopy(stored["spec"]))}
            assert not kind.diff(kind.upgrade(stored), rendered, {}).changes
            assert kind.upgrade(rendered) == rendered
            assert kind.check(rendered, CheckContext()) == []
            old, new = old + _leaves(stored), new + _leaves(rendered)
    assert new < 0.45 * old

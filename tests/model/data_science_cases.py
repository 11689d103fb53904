"""Tools of data scientists that would run nowhere, for nobody, or beside what they may not be beside."""

from collections.abc import Callable

from tests.model.changes import LAB, Said, both, drop, put
from tests.model.mirror_cases import MIRRORED

TOOLS = "openshift/data_science"
SOUND = {"components": ["workbenches", "mlflow"], "teams": ["chat"], "pools": ["inference"]}
OLD = {"rhods-operator": {"channel": "stable-3.3", "csv": "rhods-operator.3.3.4"}}
DESK = {
    **LAB["servers"]["cp-01"],
    "index": 90,
    "pool": "desks",
    "serial": "WZP27990001",
    "address": "192.0.2.90",
    "boot_mac": "02:00:5e:10:99:01",
    "bmc": "192.0.2.190",
}
"""A server without GPUs: controllers of OpenShift AI tolerate no taint."""
DESKS = both(put("pools/desks", {"purpose": "cpu"}), put("servers/desk-01", DESK))
_AT = "openshift.data_science"


def tools(**more: object) -> Callable[[Said], None]:
    """A sound section with these keys changed, on a cluster with a pool for controllers."""
    return both(DESKS, put(TOOLS, {**SOUND, **more}))


CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (LAB, tools(teams=["nobody"]), f"{_AT}.teams[0]", 'no team "nobody"'),
    (LAB, tools(pools=["nowhere"]), f"{_AT}.pools[0]", 'no pool "nowhere"'),
    (LAB, tools(teams=["chat", "chat"]), f"{_AT}.teams[1]", "chat is written twice"),
    (LAB, tools(components=["mlflow", "workbenches", "mlflow"]), f"{_AT}.components[2]", "mlflow is written twice"),
    (
        LAB,
        tools(pools=["training"]),
        f"{_AT}.pools[0]",
        "pool training is for training: a workbench there would keep a gang from starting",
    ),
    (LAB, tools(pools=[]), f"{_AT}.components", "workbenches run on no pool"),
    (
        LAB,
        tools(components=["pipelines"]),
        f"{_AT}.pools",
        "nothing runs on pools by it: workbenches are not among its components",
    ),
    (
        LAB,
        tools(teams=["chat", "research"]),
        f"{_AT}.teams[1]",
        "no workbench fits the quota of research: inference offers 1g.18gb",
    ),
    (
        LAB,
        both(tools(pools=["empty"]), put("pools/empty", {"purpose": "cpu"})),
        f"{_AT}.pools[0]",
        "pool empty has no servers",
    ),
    (LAB, put(TOOLS, SOUND), _AT, "its controllers run on no node: they tolerate no taint"),
    (
        LAB,
        both(tools(), MIRRORED),
        _AT,
        "its images are named by no image set",
    ),
    (
        LAB,
        both(tools(), put("operators/pins", OLD)),
        "operators.pins.rhods-operator.csv",
        "rhods-operator.3.3.4 has other components than release 3.4",
    ),
    (
        LAB,
        both(tools(), drop("operators"), drop("acceptance"), drop("workloads")),
        _AT,
        "Red Hat OpenShift AI is one of the operators",
    ),
]

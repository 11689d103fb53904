"""A service mesh whose teams are not there, which would close what is used, or whose Istio nobody knows."""

from collections.abc import Callable

from tests.model.changes import LAB, Said, both, drop, put
from tests.model.data_science_cases import DESKS
from tests.model.gateway_cases import BEHIND, CHAT, FITTING

SECTION = "openshift/service_mesh"
MESHED = put(SECTION, {"teams": ["chat"]})
_OWN = "openshift.service_mesh"
_PIN = "operators/pins/servicemeshoperator3"
_TOOLS = {"components": ["workbenches"], "teams": ["chat"], "pools": ["desks"]}
BESIDE_TOOLS = both(MESHED, DESKS, put("openshift/data_science", {**_TOOLS, "teams": ["research"]}))
"""Data scientists' tools of another team than those in the mesh."""

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (
        LAB,
        both(MESHED, drop("operators"), drop("acceptance"), drop("workloads")),
        _OWN,
        "Service Mesh is one of the operators",
    ),
    (LAB, put(SECTION, {"teams": ["caht"]}), f"{_OWN}.teams[0]", 'there is no team "caht"'),
    (LAB, put(SECTION, {"teams": ["chat", "chat"]}), f"{_OWN}.teams[1]", "chat is named twice"),
    (
        LAB,
        both(MESHED, put("openshift/teams/ztunnel", {})),
        "openshift.teams.ztunnel",
        "is a namespace of Service Mesh",
    ),
    (
        LAB,
        both(MESHED, put("openshift/teams/research/reaches", ["chat"])),
        "openshift.teams.research.reaches[0]",
        "pods of chat take mutual TLS alone, and research is not in the mesh",
    ),
    (
        LAB,
        both(FITTING, MESHED, DESKS, put("openshift/data_science", _TOOLS)),
        f"{_OWN}.teams[0]",
        "routers would reach no workbench of chat",
    ),
    (
        LAB,
        both(MESHED, put(f"{CHAT}/kind", "kserve")),
        "workloads.inference.chat.kind",
        "KServe's own way to a service is not in the plan of the mesh",
    ),
    (
        LAB,
        both(MESHED, put(f"{CHAT}/port", 15006)),
        "workloads.inference.chat.port",
        "its proxy listens at port 15006",
    ),
    (
        LAB,
        both(MESHED, BEHIND, put("openshift/version", "4.21.9")),
        _OWN,
        "makes a Subscription of Service Mesh in openshift-operators for inference_gateway",
    ),
    (
        LAB,
        BESIDE_TOOLS,
        _OWN,
        "makes a Subscription of Service Mesh in openshift-operators for data_science",
    ),
    (
        LAB,
        both(BESIDE_TOOLS, FITTING, BEHIND, put("openshift/version", "4.21.9")),
        _OWN,
        "for inference_gateway and data_science",
    ),
    *(
        (
            LAB,
            both(MESHED, put(_PIN, {"channel": "stable", "csv": f"servicemeshoperator3.v{version}"})),
            "operators.pins.servicemeshoperator3.csv",
            "installs in ambient mode is not known",
        )
        for version in ("3.1.9", "3.5.0", "next")
    ),
]

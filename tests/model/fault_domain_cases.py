"""Fault domains of the control plane: the change, its place, a word of the sentence."""

from collections.abc import Callable

from tests.model.changes import LAB, PROD, Said, both, put

REASON = "one rack until the second room opens"
SHARES = "openshift/control_plane_shares"
CHASSIS = put("domains/x-series/chassis", {"x-1": {"rack": "r1"}, "x-2": {"rack": "r2"}, "x-3": {"rack": "r3"}})


def seat(host: str, slot: str, rack: str) -> Callable[[Said], None]:
    return both(put(f"servers/{host}/slot", slot), put(f"servers/{host}/rack", rack))


def pairs(*hosts: str) -> Callable[[Said], None]:
    """Two more pairs of Fabric Interconnects, which serve others already, and control-plane hosts behind them."""

    def change(said: Said) -> None:
        own = said["domains"]["x-series"]
        for number, host in enumerate(("inf-02", "inf-03"), 2):
            serials = {"A": f"FDO2620005{number}", "B": f"FDO2620006{number}"}
            said["domains"][f"x-{number}"] = {**own, "rack": f"r{number}", "serials": serials}
            said["servers"][host]["domain"] = f"x-{number}"
        for number, host in enumerate(hosts, 2):
            said["servers"][host]["domain"] = f"x-{number}"

    return change


CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (
        PROD,
        both(CHASSIS, seat("cp-01", "x-1/1", "r1"), seat("cp-02", "x-1/2", "r1")),
        "servers.cp-02.rack",
        "cp-01, a control-plane host too, sits in chassis x-1 already",
    ),
    (
        PROD,
        both(
            CHASSIS, seat("cp-01", "x-1/1", "r1"), seat("cp-02", "x-1/2", "r1"), put(SHARES, {"rack": REASON}),
            put("servers/cp-03/rack", "r1"),
        ),
        "servers.cp-02.rack",
        "sits in chassis x-1 already",
    ),
    (PROD, pairs("cp-02"), "servers.cp-03.rack", "cp-01, a control-plane host too, is behind x-series already"),
    (LAB, put(SHARES, {"rack": REASON}), "openshift.control_plane_shares.rack", "control-plane hosts share no rack"),
    (
        LAB,
        both(put("servers/cp-03/rack", "r1"), put(SHARES, {"feed": REASON})),
        "servers.cp-03.rack",
        "cp-01, a control-plane host too, stands in r1",
    ),
]  # fmt: skip

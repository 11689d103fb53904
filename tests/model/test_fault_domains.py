"""Control-plane hosts apart, and sites that cannot have them so."""

import copy
from collections.abc import Callable

import pytest

from podwright.components import model
from podwright.components.model import coherence
from podwright.components.model.advisory import findings
from tests.model.changes import LAB, PROD, Said, both, put
from tests.model.fault_domain_cases import CHASSIS, REASON, SHARES, pairs, seat
from tests.model.test_sections import cluster

ONE_RACK = both(put("servers/cp-02/rack", "r1"), put("servers/cp-03/rack", "r1"))


def _changed(base: Said, *changes: Callable[[Said], None]) -> Said:
    said = copy.deepcopy(base)
    both(*changes)(said)
    return said


def test_a_site_with_one_rack_gives_its_reason_and_it_stays_a_finding() -> None:
    found = findings(model.load(_changed(LAB, ONE_RACK, put(SHARES, {"rack": REASON}))))
    assert [each for each in found if "control plane" in each] == [
        f"cp-01 and {host} of the control plane share rack r1: {REASON}" for host in ("cp-02", "cp-03")
    ]


def test_hosts_apart_and_pairs_that_are_too_few_are_no_matter() -> None:
    seats = (seat(f"cp-0{number}", f"x-{number}/1", f"r{number}") for number in (1, 2, 3))
    apart = cluster(PROD, CHASSIS, *seats)
    behind = cluster(PROD, pairs("cp-02", "cp-03"))
    assert not [each for whole in (apart, behind) for each in coherence.check(whole) if "control-plane" in each.message]


def test_a_blade_that_is_known_by_its_slot_is_in_that_chassis() -> None:
    """Without `slot` the place that it is bound to says which chassis it is."""
    places = (put(f"servers/cp-0{number}/serial", f"FOX00000043/{number}") for number in (1, 2))
    said = cluster(PROD, *places, put("servers/cp-02/rack", "r1"))
    assert "sits in chassis FOX00000043" in " ".join(each.message for each in coherence.check(said))


@pytest.mark.parametrize("reason", ["", "no", "x" * 201])
def test_a_reason_is_a_sentence(reason: str) -> None:
    with pytest.raises(Exception, match=r"control_plane_shares.rack: .*reason of 16 to 200 characters"):
        model.load(_changed(LAB, ONE_RACK, put(SHARES, {"rack": reason})))

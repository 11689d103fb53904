"""What counts as a lost node is a machine, and no rack, feed or network."""

import copy

import pytest
from pydantic import ValidationError

from podwright.components.model import Cluster
from podwright.components.model.coherence import check
from tests.model.changes import LAB, both, put
from tests.model.lost_node_cases import LOST, OLD, ONE_RACK


def _problems(*changes: object) -> list[str]:
    written = copy.deepcopy(LAB)
    both(*changes)(written)  # type: ignore[arg-type]
    return [problem.message for problem in check(Cluster.model_validate(written))]


def test_more_nodes_may_be_lost_where_no_rack_has_as_few() -> None:
    two = put(LOST, {"pools": ["training"], "max_lost": 2})
    assert _problems(two) != []
    assert _problems(two, *ONE_RACK) == [], "a rack of five is no two lost nodes"
    assert _problems(put(LOST, {"pools": ["training"]})) == []


def test_a_feed_of_two_racks_counts_as_what_it_takes_down() -> None:
    apart = [put(f"servers/gpu-0{index}/rack", f"g{index}") for index in range(1, 6)]
    feeds = [put(f"site/racks/g{index}", {"power_domain": "feed-x" if index < 3 else f"feed-{index}"})
             for index in range(1, 6)]  # fmt: skip
    found = _problems(put(LOST, {"pools": ["training"], "max_lost": 2}), *apart, *feeds)
    assert "feed feed-x has 2 servers of pool training: its loss would count as 2 lost nodes" in found


def test_a_node_is_not_given_up_before_its_pods_are_terminating() -> None:
    written = copy.deepcopy(LAB)
    put(LOST, {"pools": ["training"], "after_seconds": 239})(written)
    with pytest.raises(ValidationError, match="greater than or equal to 240"):
        Cluster.model_validate(written)


def test_an_old_release_of_the_agents_is_refused_with_the_key_alone() -> None:
    assert _problems(put("operators/pins", OLD)) == []
    assert len(_problems(put("operators/pins", OLD), put(LOST, {"pools": ["training"]}))) == 1

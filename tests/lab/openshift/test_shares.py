"""The router's stand-in with several services behind a Route: who gets which share, by balance, cookie and weight."""

import pytest

from podwright.lab.openshift.ingress.endpoints import endpoint_weights
from tests.lab.openshift.test_router import Site, site

__all__ = ["site"]


@pytest.mark.parametrize(("weight", "other", "found"), [(80, 20, 10), (50, 50, 25), (100, 0, 0), (0, 100, 50)])
def test_by_turns_services_get_the_share_of_their_weight_whatever_pods_they_have(
    site: Site, weight: int, other: int, found: int
) -> None:
    site.beside(weight, other)
    assert site.of_new(50) == pytest.approx(found, abs=1 if 0 < other < 100 else 0)


def test_a_service_without_a_ready_pod_has_no_share_and_one_of_weight_0_takes_nobodys(site: Site) -> None:
    site.beside(50, 50, ready=0)
    assert site.of_new(10) == 0
    site.beside(0, 100, ready=0)
    assert site.ask()[0] == 503


@pytest.mark.parametrize("site", [{"balance": "leastconn", "disable_cookies": "true"}], indirect=True)
def test_by_leastconn_pods_without_a_connection_take_turns_whatever_their_weight(site: Site) -> None:
    site.beside(99, 1)
    assert site.of_new(40) > 1


@pytest.mark.parametrize("site", [{"balance": "roundrobin"}], indirect=True)
def test_a_cookie_leads_to_a_service_that_has_no_share_any_more(site: Site) -> None:
    site.beside(0, 100)
    cookie = site.ask()[2]["Set-Cookie"].partition(";")[0]
    site.beside(100, 0)
    assert site.of_new(10, Cookie=cookie) == 10
    assert site.of_new(10) == 0


@pytest.mark.parametrize(
    ("services", "weights"),
    [
        # The example of the router's own comment.
        ({"a": (20, 2), "b": (10, 4)}, {"a": 256, "b": 64}),
        ({"a": (99, 1), "b": (1, 40)}, {"a": 256, "b": 1}),
        ({"a": (100, 3), "b": (0, 2)}, {"a": 1, "b": 0}),
        ({"a": (90, 3)}, {"a": 1}),
        ({"a": (0, 3), "b": (0, 1)}, {"a": 0, "b": 0}),
    ],
)
def test_weights_of_pods_are_the_routers(services: dict[str, tuple[int, int]], weights: dict[str, int]) -> None:
    assert endpoint_weights(services) == weights

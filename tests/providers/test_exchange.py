"""One exchange with a server that does not end, in time and in size."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from podwright.components.providers.exchange import Answer, EndlessError, Limits, Pool, TooLargeError, exchange
from tests.providers.hostile_server import BOMB, NAME, serving


@pytest.fixture(scope="module")
def ports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, int], Path]]:
    with serving(tmp_path_factory.mktemp("exchange")) as (ports, ca, _):
        yield ports, ca


def ask(ports: tuple[dict[str, int], Path], way: str, seconds: float, most: int) -> Answer:
    pool = Pool(
        "127.0.0.1", ports[0][way], ca_certs=str(ports[1]), server_hostname=NAME, assert_hostname=NAME, timeout=5
    )
    try:
        return exchange(pool, "GET", "/", {}, Limits(seconds, most))
    finally:
        pool.close()


@pytest.mark.parametrize("way", ["silent", "drip in headers", "drip in body"])
def test_a_drip_ends_in_time(ports: tuple[dict[str, int], Path], way: str) -> None:
    started = time.monotonic()
    with pytest.raises(EndlessError, match=r"no whole answer within 0\.5 s"):
        ask(ports, way, 0.5, 1_000_000)
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("way", ["flood", "gzip"])
def test_more_than_was_given_is_no_answer(ports: tuple[dict[str, int], Path], way: str) -> None:
    with pytest.raises(TooLargeError, match="more than 1 MB"):
        ask(ports, way, 60, 1_000_000)


def test_a_redirect_is_an_answer(ports: tuple[dict[str, int], Path]) -> None:
    assert ask(ports, "redirect", 10, 1000).status == 307


def test_a_whole_answer_is_taken_and_its_connection_serves_again(ports: tuple[dict[str, int], Path]) -> None:
    pool = Pool("127.0.0.1", ports[0]["html"], ca_certs=str(ports[1]), server_hostname=NAME, assert_hostname=NAME)
    for _ in range(3):
        answer = exchange(pool, "GET", "/", {}, Limits(10, 10_000))
        assert answer.data.startswith(b"<!doctype html>")
    assert pool.num_connections == 1
    pool.close()


def test_the_bomb_is_one() -> None:
    assert len(BOMB) < 400_000

"""The benchmark of pushes in its smallest form and without a delay: it runs, and its figures belong together."""

import pytest

from tests.benchmarks import push


def test_a_small_run_pushes_every_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push, "DELAY", 0.0)
    (run,) = push.runs((8,))
    assert run.switches == 8
    assert 0 < run.slowest <= run.wall
    assert 0 < run.memory < run.peak
    assert run.alone > 0
    assert run.processor > 0
    assert run.planned > 0

"""How a run ends: a threshold fails it, a full cluster does not, and what was not measured is never called passed."""

import io
import json
from dataclasses import replace
from typing import Any

import pytest

from podwright.components.design.acceptance import unproven
from podwright.components.providers.acceptance import __main__ as runner
from podwright.components.providers.acceptance.plan import Plan
from podwright.components.providers.acceptance.verdict import Verdict, judge, unmeasured
from tests.providers.acceptance.test_acceptance import DOCUMENT, _measured

(TEST,) = Plan.read(DOCUMENT).tests
PASSED = judge(TEST, _measured())
FAILED = replace(judge(TEST, _measured(10.0)), name="slow")
IDLE = replace(unmeasured(TEST, tuple(f"gpu-0{i}:rail0 (held by research/job-{i})" for i in range(1, 9))), name="busy")


def run(monkeypatch: pytest.MonkeyPatch, *verdicts: Verdict) -> int:
    async def given(*_: Any) -> list[Verdict]:
        return list(verdicts)

    monkeypatch.setattr(runner, "run", given)
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(DOCUMENT)))
    monkeypatch.setenv("PODWRIGHT_KUBECONFIG", "text")
    return runner.main([])


def test_a_full_cluster_fails_no_update_and_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, IDLE) == 0
    printed = capsys.readouterr().out
    assert list(unproven(printed)) == ["busy"]
    assert "gpu-06:rail0 (held by research/job-6) and 2 more" in unproven(printed)["busy"]
    assert "1 of 1 paths are not proven" in printed
    assert "ok" not in printed.split()


def test_a_threshold_fails_it_whatever_else_could_not_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, IDLE, PASSED, FAILED) == 1
    printed = capsys.readouterr().out
    assert "FAIL slow" in printed
    assert "1 of 3 paths are not proven" in printed


def test_all_measured_says_nothing_of_proof(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, PASSED) == 0
    assert unproven(capsys.readouterr().out) == {}

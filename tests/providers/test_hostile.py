"""Every HTTP client against a server that means harm: it ends, within its time and 200 MB, and no secret leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.providers.hostile import CLIENTS, PASSWORD
from tests.providers.hostile_server import WAYS, Elsewhere, serving
from tools.generated import ROOT

BOUND = 12.0
"""Seconds for one way: a few exchanges of a second each, on a busy machine."""
ERRORS = ("ProviderError", "SilentError", "KubeError", "ApiError", "UnansweredError", "ValueError")
"""What a client says in words; ValueError is the problem of a server that `status` looked at."""
FINE = {("intersight", "pointer"), ("kube", "pointer"), ("kube, a long list", "pointer"), ("kube", "pages")}
"""Good answers: nothing there points anywhere, and a page is a list."""
FINE_WRITES = {("intersight, a write", way) for way in ("pointer", "pages")}


@pytest.fixture(scope="module")
def met(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What came of each client's meetings, and what another machine heard."""
    with serving(tmp_path_factory.mktemp("hostile")) as (ports, ca, elsewhere):
        given = json.dumps({"ports": ports, "ca": str(ca)})
        running = {client: _started(client, given) for client in CLIENTS}
        yield {**{client: _finished(each) for client, each in running.items()}, "elsewhere": elsewhere}


def _started(client: str, given: str) -> subprocess.Popen[str]:
    environ = {**os.environ, "MALLOC_ARENA_MAX": "1", "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "tests.providers.hostile", client]
    made = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ, cwd=ROOT
    )
    assert made.stdin is not None
    made.stdin.write(given)
    made.stdin.close()
    made.stdin = None
    return made


def _finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate(timeout=len(WAYS) * BOUND + 60)
    assert process.returncode == 0, err[-3000:]
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("client", CLIENTS)
def test_it_ends_in_words(met: dict[str, Any], client: str, way: str) -> None:
    seconds, outcome = met[client][way]
    assert seconds < BOUND, outcome
    if (client, way) in FINE | FINE_WRITES:
        return
    assert outcome.startswith(ERRORS), outcome
    assert outcome.isprintable()
    assert PASSWORD not in outcome


def test_no_password_and_no_request_goes_elsewhere(met: dict[str, Any]) -> None:
    elsewhere: Elsewhere = met["elsewhere"]
    assert elsewhere.heard == []


def test_a_bmc_that_points_elsewhere_is_named(met: dict[str, Any]) -> None:
    for way in ("pointer", "redirect"):
        assert "it points to http://127.0.0.1:" in met["redfish"][way][1]


def test_a_page_of_a_proxy_is_no_empty_list(met: dict[str, Any]) -> None:
    assert "is a proxy or a login page in between?" in met["intersight"]["html"][1]
    assert met["intersight, a write"]["html"][1].startswith("UnansweredError")
    assert "does not end" in met["intersight"]["pages"][1]
    assert "does not end" in met["kube, a long list"]["pages"][1]
    assert met["intersight"]["list"][1].startswith("ProviderError")

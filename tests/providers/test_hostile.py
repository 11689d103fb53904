"""Every HTTP client against a server that means harm: it ends, within its time and 200 MB, and no secret leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.providers.hostile import CLIENTS, PASSWORD, SWITCH_CLIENTS
from tests.providers.hostile_server import SEED, WAYS, Elsewhere, serving
from tests.providers.hostile_switch import SWITCH_WAYS, serving_switch
from tools.generated import ROOT

print(f"PODWRIGHT_HOSTILE_SEED={SEED}")
BOUND = 12.0
"""Seconds for one way: a few exchanges of a second each, on a busy machine."""
ERRORS = ("ProviderError", "LostError", "SilentError", "KubeError", "ApiError", "UnansweredError", "ValueError")
"""What a client says in words; ValueError is the problem of a server that `status` looked at, LostError a switch's."""
FINE = {("intersight", "pointer"), ("kube", "pointer"), ("kube, a long list", "pointer"), ("kube", "pages")}
"""Good answers: nothing there points anywhere, and a page is a list."""
MEETINGS = (
    *((client, way) for client in CLIENTS for way in WAYS),
    *((client, way) for client in SWITCH_CLIENTS for way in SWITCH_WAYS),
)
FINE_WRITES = {("intersight, a write", way) for way in ("pointer", "pages")}


class Meetings:
    """What came of each client's meetings, each client once and when it is asked for."""

    def __init__(
        self, ports: dict[str, int], switch: dict[str, int], ca: Path, known_hosts: Path, elsewhere: Elsewhere
    ) -> None:
        self._files = {"ca": str(ca), "known_hosts": str(known_hosts)}
        self._ports = {**dict.fromkeys(CLIENTS, ports), **dict.fromkeys(SWITCH_CLIENTS, switch)}
        self._met: dict[str, dict[str, tuple[float, str]]] = {}
        self.elsewhere = elsewhere

    def __getitem__(self, client: str) -> dict[str, tuple[float, str]]:
        if client not in self._met:
            self._met[client] = self._meet(client)
        return self._met[client]

    def _meet(self, client: str) -> dict[str, tuple[float, str]]:
        done = subprocess.run(
            [sys.executable, "-m", "tests.providers.hostile", client],
            input=json.dumps({**self._files, "ports": self._ports[client]}),
            capture_output=True,
            text=True,
            env={**os.environ, "MALLOC_ARENA_MAX": "1", "PYTHONPATH": str(ROOT)},
            cwd=ROOT,
            timeout=len(self._ports[client]) * BOUND,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        found: dict[str, tuple[float, str]] = json.loads(done.stdout.splitlines()[-1])
        return found


@pytest.fixture(scope="module")
def met(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Meetings]:
    folder = tmp_path_factory.mktemp("hostile")
    with serving(folder) as (ports, ca, elsewhere), serving_switch(folder) as (switch, known_hosts):
        yield Meetings(ports, switch, ca, known_hosts, elsewhere)


@pytest.mark.parametrize(("client", "way"), MEETINGS)
def test_it_ends_in_words(met: Meetings, client: str, way: str) -> None:
    seconds, outcome = met[client][way]
    assert seconds < BOUND, outcome
    if (client, way) in FINE | FINE_WRITES:
        return
    assert outcome.startswith(ERRORS), outcome
    assert outcome.isprintable()
    assert PASSWORD not in outcome


def test_no_password_and_no_request_goes_elsewhere(met: Meetings) -> None:
    for client in CLIENTS:
        assert met[client]
    assert met.elsewhere.heard == []


def test_a_bmc_that_points_elsewhere_is_named(met: Meetings) -> None:
    for way in ("pointer", "redirect"):
        assert "it points to http://127.0.0.1:" in met["redfish"][way][1]


def test_a_page_of_a_proxy_is_no_empty_list(met: Meetings) -> None:
    assert "is a proxy or a login page in between?" in met["intersight"]["html"][1]
    assert met["intersight, a write"]["html"][1].startswith("UnansweredError")
    assert "does not end" in met["intersight"]["pages"][1]
    assert "does not end" in met["kube, a long list"]["pages"][1]
    assert met["intersight"]["list"][1].startswith("ProviderError")

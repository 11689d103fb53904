"""How long the screen waits for a switch: briefly for a connection, and long enough for one that is there and busy;
what it sees of a cluster of which a part does not answer."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import socket
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from podwright.cli import screen, stack
from podwright.cli.status import switch_spec
from podwright.components.design import fabric
from podwright.components.providers.nxos import login
from podwright.components.providers.status import live
from podwright.components.providers.status.snapshot import COLLECTIONS
from podwright.components.providers.status.switches import SwitchSeen
from podwright.lab.nxos.side import NxosSide
from podwright.lab.pki import Authority
from podwright.lab.world.model import World
from tests.providers.status.export.look import CLUSTER

LEAF = next(each for each in fabric.plan(CLUSTER.network).switches if each.hostname == "leaf-01")
SPEC = switch_spec(CLUSTER, LEAF)
AWAY = "the server is currently unable to handle the request"


def look(reading: float) -> SwitchSeen:
    wanted = live.Wanted((SPEC,), CLUSTER.fabric.user, (), "", None)
    return asyncio.run(live.look(wanted, os.environ, reading)).switches["leaf-01"]


def test_a_busy_switch_is_read_to_its_end(planned: tuple[NxosSide, World], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answers together take longer than a connection may."""
    _, world = planned
    monkeypatch.setattr(live, "THERE", 0.5)
    world.fault({"kind": "ssh-slow", "switch": "leaf-01", "seconds": 0.3})
    assert look(30.0).problem == ""
    late = look(0.3)
    assert "took the connection, and has not shown everything within" in late.problem


def test_a_switch_that_takes_no_connection_is_gone_soon(
    planned: tuple[NxosSide, World], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[float] = []

    async def called(host: str, port: int, limit: float) -> socket.socket:
        limits.append(limit)
        raise TimeoutError

    monkeypatch.setattr(login, "called", called)
    assert SPEC["management"] in look(30.0).problem
    assert limits == [live.THERE]


class ApiServer:
    """An API server that has one node and no other object; `refusals` are HTTP statuses by the path's beginning."""

    def __init__(self, directory: Path) -> None:
        self.refusals: dict[str, int] = {}
        authority = Authority(directory / "pki", "test")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*authority.issue("127.0.0.1"))
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        ca = base64.b64encode(authority.path.read_bytes()).decode()
        server = {"server": f"https://127.0.0.1:{self.http.server_port}", "certificate-authority-data": ca}
        self.kubeconfig = json.dumps(
            {
                "current-context": "it",
                "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
                "clusters": [{"name": "it", "cluster": server}],
                "users": [{"name": "it", "user": {"token": "t"}}],
            }
        )

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        refusals = self.refusals

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                code = next((each for path, each in refusals.items() if self.path.startswith(path)), 200)
                items = [{"metadata": {"name": "gpu-01"}}] if self.path.startswith(COLLECTIONS["Node"]) else []
                body = json.dumps({"items": items} if code == 200 else {"message": AWAY}).encode()
                self.send_response(code)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Nothing of it is news."""

        return Handler


@pytest.fixture
def api(tmp_path: Path) -> Iterator[ApiServer]:
    made = ApiServer(tmp_path)
    thread = threading.Thread(target=made.http.serve_forever)
    thread.start()
    yield made
    made.http.shutdown()
    made.http.server_close()
    thread.join()


def seen(api: ApiServer) -> live.Live:
    return asyncio.run(live.look(live.Wanted((), "", (), "", api.kubeconfig), {}))


@pytest.mark.parametrize("code", [403, 500, 503])
def test_one_api_that_is_away_leaves_everything_else_to_be_seen(api: ApiServer, code: int) -> None:
    """Routes are served by the OpenShift API server, behind Kubernetes' own."""
    api.refusals[COLLECTIONS["Route"]] = code
    found = seen(api)
    assert found.problem == "" and found.snapshot is not None
    assert [each["metadata"]["name"] for each in found.snapshot.of("Node")] == ["gpu-01"]
    assert found.snapshot.unread == {"Route": AWAY}
    facts = screen.Facts("lab", CLUSTER, fabric.plan(CLUSTER.network), stack.Stack(), found)
    assert not facts.well
    assert [each for each in facts.installation if "could not be read" in each] == [f"Routes could not be read: {AWAY}"]


def test_what_every_sentence_stands_on_has_to_be_read(api: ApiServer) -> None:
    for kind in ("Namespace", "Node", "Pod"):
        api.refusals.clear()
        api.refusals[COLLECTIONS[kind]] = 503
        found = seen(api)
        assert found.snapshot is None
        assert AWAY in found.problem and "installed again" not in found.problem


def test_a_kubeconfig_that_nobody_knows_may_be_of_an_earlier_installation(api: ApiServer) -> None:
    api.refusals["/"] = 401
    assert seen(api).problem.endswith("was the cluster installed again since the last `up`?")
    api.refusals.clear()
    api.refusals[COLLECTIONS["Route"]] = 401
    assert seen(api).snapshot is None

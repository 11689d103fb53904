"""Names and virtual addresses are looked at before a host is switched on; everything wrong comes at once."""

from __future__ import annotations

import contextlib
import dataclasses
import socketserver
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from podwright.components.providers.openshift.install.beforehand import judge_site, records
from podwright.components.providers.protocol.kind import CheckContext, ProviderError
from tests.providers.openshift.conftest import BY_TOKEN, Rack

INSTALL = BY_TOKEN["Install"]


def fault(rack: Rack, **body: Any) -> None:
    rack.world.fault_handlers[body["kind"]](body)


def masters() -> list[dict[str, str]]:
    return [{"role": "master"}] * 3


async def problems(rack: Rack, **change: Any) -> str:
    with pytest.raises(ProviderError) as found:
        await judge_site({**rack.spec(), **change}, rack.context())
    return str(found.value)


async def test_a_site_whose_names_lead_to_free_addresses_is_ready(rack: Rack) -> None:
    await judge_site(rack.spec(), rack.context())
    assert rack.warned == []


async def test_everything_that_is_wrong_comes_at_once_and_no_host_is_touched(rack: Rack) -> None:
    fault(rack, kind="dns", name="api.lab.example.com", address="192.0.2.9")
    fault(rack, kind="dns", name="*.apps.lab.example.com", address=None)
    fault(rack, kind="address", vip="ingress_vip", state="taken")
    with pytest.raises(ProviderError) as found:
        await INSTALL.create({"spec": rack.spec()}, rack.context())
    assert str(found.value).split("; ") == [
        "192.0.2.201 (ingress_vip) is taken: something answers there on port 443",
        "write an address that nobody has as openshift.ingress_vip, or take it off that device",
        "name server 192.0.2.1 has 192.0.2.9 for api.lab.example.com, and openshift.api_vip is 192.0.2.200: write the "
        "record `api.lab.example.com. IN A 192.0.2.200`",
        "name server 192.0.2.1 has no address of *.apps.lab.example.com: write the record "
        "`*.apps.lab.example.com. IN A 192.0.2.201`. No host was touched",
    ]
    assert {host.boots for host in rack.world.hosts.values()} == {0}
    assert rack.published == []
    fault(rack, kind="dns", name="api.lab.example.com", address="192.0.2.200")
    fault(rack, kind="dns", name="*.apps.lab.example.com", address="192.0.2.201")
    fault(rack, kind="address", vip="ingress_vip", state="free")
    await judge_site(rack.spec(), rack.context())


async def test_a_device_without_the_clusters_ports_has_an_address_all_the_same(rack: Rack) -> None:
    fault(rack, kind="address", vip="api_vip", state="taken")
    assert "192.0.2.200 (api_vip) is taken: something answers there on port 22" in await problems(rack)


async def test_the_name_inside_the_cluster_may_be_missing_but_not_lead_elsewhere(rack: Rack) -> None:
    fault(rack, kind="dns", name="api-int.lab.example.com", address=None)
    hosts = [{**rack.spec()["hosts"][0], "name": f"cp-{n}"} for n in range(3)]
    await judge_site(rack.spec() | {"hosts": hosts}, rack.context())
    assert "has no address of api-int.lab.example.com" in await problems(rack), "a single host has no name service"
    fault(rack, kind="dns", name="api-int.lab.example.com", address="192.0.2.9")
    assert "has 192.0.2.9 for api-int.lab.example.com" in await problems(rack, hosts=hosts)


async def test_a_name_server_that_is_not_reached_from_here_is_warned_of_and_stops_nothing(rack: Rack) -> None:
    ctx = rack.context()
    ctx.reach = dataclasses.replace(ctx.reach, world="lab-1")
    await judge_site(rack.spec(dns=["192.0.2.1", "192.0.2.53"]), ctx)
    assert [each.partition(":")[0] for each in rack.warned] == [
        "name server 192.0.2.53 was not asked for api.lab.example.com and *.apps"
    ]


@contextlib.contextmanager
def _echo(port: int) -> Iterator[None]:
    """Whatever comes over UDP goes back as it is."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            text, line = self.request
            line.sendto(text, self.client_address)

    with socketserver.ThreadingUDPServer(("127.0.0.1", port), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield
        server.shutdown()


@pytest.mark.parametrize("udp", ["leads nowhere", "leads to something else"])
async def test_a_name_server_behind_a_forward_is_asked_over_tcp(rack: Rack, udp: str) -> None:
    server = rack.openshift._site.server._udp
    port = int(server.server_address[1])
    server.shutdown()
    server.server_close()
    fault(rack, kind="dns", name="api.lab.example.com", address="192.0.2.9")
    began = time.monotonic()
    with _echo(port) if udp == "leads to something else" else contextlib.nullcontext():
        assert "has 192.0.2.9 for api.lab.example.com" in await problems(rack)
    assert time.monotonic() - began < 20


def test_a_preview_asks_nobody(rack: Rack) -> None:
    """What is refused before `up` is refused without any device in reach."""
    fault(rack, kind="dns", name="api.lab.example.com", address=None)
    inputs = {"spec": rack.spec()}
    assert INSTALL.check(inputs, CheckContext(old_inputs={})) == []
    assert "kubeconfig" in INSTALL.preview(inputs, None)


def test_the_records_of_a_site_are_those_that_clients_and_nodes_look_up(rack: Rack) -> None:
    assert [each.line for each in records(rack.spec() | {"hosts": masters()})] == [
        "api.lab.example.com. IN A 192.0.2.200",
        "api-int.lab.example.com. IN A 192.0.2.200",
        "*.apps.lab.example.com. IN A 192.0.2.201",
    ]

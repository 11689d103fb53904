"""One client meets every way of a hostile server, in a process of its own.

`python -m tests.providers.hostile CLIENT` reads `{"ports": {way: port}, "ca": path, "known_hosts": path}` from standard
input and writes `{way: [seconds, what came of it]}`; it may take 200 MB of address space beyond what its imports took.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.providers.hostile_server import NAME, SEED

MEGABYTES = 200
DEADLINE = 1.0
"""Seconds of one exchange in the process; a call of several has a few of them."""
PASSWORD = "hunter2-of-the-bmc"


async def _redfish(reach: Any) -> str:
    from podwright.components.providers.protocol.kind import Context
    from podwright.components.providers.redfish import connector, machine, turns

    turns.TIMEOUT_SECONDS = DEADLINE
    connector.RETRIES, connector.RETRY_SECONDS, machine.CALL_SECONDS = 2, 0, 3 * DEADLINE
    config = {"credentials": {"user": "admin", "secret": "it"}, "secrets": {"it": PASSWORD}}
    ctx = Context(config=config, reach=reach, log=print, warn=print)
    found = machine.open_machine(ctx, {"name": "gpu-01", "serial": "WZP00000001"}, NAME)
    return await machine.in_thread(found.reported_power)


async def _status(reach: Any) -> str:
    from podwright.components.providers.status.servers import look

    seen = await look({"name": "gpu-01", "address": NAME, "credential": "it"}, "admin", reach, DEADLINE, DEADLINE)
    if seen.problem or seen.power == "unknown":
        raise ValueError(seen.problem)
    return seen.power


def _account(reach: Any) -> Any:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    from podwright.components.providers.exchange import Limits
    from podwright.components.providers.intersight import account, transport
    from podwright.components.providers.intersight.signing import Signer

    key = ec.generate_private_key(ec.SECP256R1())
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    transport.LIMITS = Limits(DEADLINE, transport.LIMITS.most_bytes)
    client = transport.Client(NAME, 443, reach, Signer("a/b/c", pem, NAME), patience=DEADLINE)
    return account.Account(client)


async def _intersight(reach: Any) -> str:
    return repr(await _account(reach).query("ntp.Policy", "Name eq 'x'"))


async def _intersight_write(reach: Any) -> str:
    return repr(await _account(reach).insert("ntp.Policy", {"Name": "x"}, "policy x"))


def _kube(reach: Any) -> Any:
    import base64

    import yaml

    from podwright.components.providers.openshift.kube import Kube, rehomed

    config = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [
            {
                "name": "c",
                "cluster": {
                    "server": f"https://{NAME}:443",
                    "certificate-authority-data": base64.b64encode(reach.ca.read_bytes()).decode(),
                },
            }
        ],
        "users": [{"name": "u", "user": {"token": PASSWORD}}],
    }
    return Kube(rehomed(yaml.safe_dump(config), reach), DEADLINE / 2)


async def _kube_get(reach: Any) -> str:
    found = await _kube(reach).get("/api/v1/nodes")
    return repr(found["items"])


async def _kube_items(reach: Any) -> str:
    return repr(await _kube(reach).items("/api/v1/pods"))


async def _nxos(reach: Any) -> str:
    from podwright.components.providers.nxos import login
    from podwright.components.providers.nxos.session import Address

    vars(login).update(CONNECT=DEADLINE, LOGIN=DEADLINE)
    session = await login.connect(Address("leaf-01", NAME, "admin", PASSWORD), reach)
    try:
        return await session.show("show version", (5 if SEED else 1) * DEADLINE)
    finally:
        await session.close()


SWITCH_CLIENTS: dict[str, Callable[[Any], Awaitable[str]]] = {"nxos": _nxos}
CLIENTS: dict[str, Callable[[Any], Awaitable[str]]] = {
    "redfish": _redfish,
    "status": _status,
    "intersight": _intersight,
    "intersight, a write": _intersight_write,
    "kube": _kube_get,
    "kube, a long list": _kube_items,
}


async def _meet(client: str, given: dict[str, Any]) -> dict[str, Any]:
    from podwright.components.providers.reach import Reach

    met: dict[str, Any] = {}
    for way, port in given["ports"].items():
        reach = Reach(
            forward={f"{NAME}:443": f"127.0.0.1:{port}", f"{NAME}:22": f"127.0.0.1:{port}"},
            ca=Path(given["ca"]),
            known_hosts=Path(given["known_hosts"]),
            environ={"PODWRIGHT_SECRET_IT": PASSWORD},
        )
        started = time.monotonic()
        try:
            outcome = f"took it: {(await (CLIENTS | SWITCH_CLIENTS)[client](reach))[:200]}"
        except Exception as error:  # noqa: BLE001 - the test judges which
            outcome = f"{type(error).__name__}: {error}"
        met[way] = [time.monotonic() - started, outcome]
    return met


def main(client: str) -> None:
    """Meet every way with one client."""
    given = json.loads(sys.stdin.read())
    nobody = {**given, "ports": {"nobody": 1}}
    asyncio.run(_meet(client, nobody))  # imports are made
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEGABYTES * 1_000_000
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    print(json.dumps(asyncio.run(_meet(client, given))))


if __name__ == "__main__":
    main(sys.argv[1])

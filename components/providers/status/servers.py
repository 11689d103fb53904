"""Whether servers are on, from their BMCs: two small requests each (DSP0266: Systems, then its first member)."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import urllib3

from podwright.components.providers.exchange import Limits, Pool, exchange
from podwright.components.providers.reach import Reach, SecretNotFoundError

PORT = 443
MOST_BYTES = 4_000_000
"""Of one answer: a system is some 20 kB."""


@dataclass(frozen=True)
class ServerSeen:
    """One server. `power` is On, Off, PoweringOn or PoweringOff; with a `problem`, nothing is known."""

    name: str
    power: str = ""
    problem: str = ""


async def look(server: Mapping[str, Any], user: str, reach: Reach, patience: float) -> ServerSeen:
    """Read one server: `server` has name, address of its BMC, serial and credential (a secret's name).

    `patience` in seconds for each of the two requests.
    """
    try:
        password = reach.secret(server["credential"])
    except SecretNotFoundError as missing:
        return ServerSeen(server["name"], problem=str(missing))
    return await asyncio.to_thread(_read, server, (user, password), reach, patience)


def _read(server: Mapping[str, Any], login: tuple[str, str], reach: Reach, patience: float) -> ServerSeen:
    address, name = str(server["address"]), server["name"]
    host, port = reach.endpoint(address, PORT)
    ca = str(reach.ca) if reach.ca else None
    pool = Pool(host, port, timeout=patience, ca_certs=ca, assert_hostname=address, server_hostname=address)
    headers = urllib3.util.make_headers(basic_auth=":".join(login))
    try:
        members = _get(pool, "/redfish/v1/Systems", headers, patience)["Members"]
        system = _get(pool, str(members[0]["@odata.id"]), headers, patience)
    except (urllib3.exceptions.HTTPError, OSError) as silent:
        return ServerSeen(name, problem=f"the BMC at {address} does not answer ({type(silent).__name__})")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return ServerSeen(name, problem=f"the BMC at {address} shows no system; is its login still right?")
    finally:
        pool.close()
    serial = str(system.get("SerialNumber") or "")
    if server.get("serial") and serial and serial != server["serial"]:
        return ServerSeen(name, problem=f"the BMC at {address} answers for {serial}, not for {server['serial']}")
    return ServerSeen(name, str(system.get("PowerState") or "unknown"))


def _get(pool: Pool, path: str, headers: Mapping[str, str], patience: float) -> Any:
    """A resource. Raises ValueError where the BMC refuses; the library refuses an address of another server."""
    reply = exchange(pool, "GET", path, {"Accept": "application/json", **headers}, Limits(patience, MOST_BYTES))
    if reply.status != 200:
        raise ValueError(f"HTTP {reply.status}")
    return json.loads(reply.data)

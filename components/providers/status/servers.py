"""Whether servers are on, from their BMCs: two small requests each (DSP0266: Systems, then the member of that serial
number). A server with an HGX baseboard has a second system, and a BMC lists them in any order.
"""

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
MOST_SYSTEMS = 8
"""Members that are looked at: the host, and a baseboard or two."""


@dataclass(frozen=True)
class ServerSeen:
    """One server. `power` is On, Off, PoweringOn or PoweringOff; with a `problem`, nothing is known."""

    name: str
    power: str = ""
    problem: str = ""


async def look(server: Mapping[str, Any], user: str, reach: Reach, patience: float) -> ServerSeen:
    """Read one server: `server` has name, address of its BMC, serial and credential (a secret's name).

    `patience` in seconds for each request.
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
        system, answering = _system(pool, members, str(server.get("serial") or ""), headers, patience)
    except (urllib3.exceptions.HTTPError, OSError) as silent:
        return ServerSeen(name, problem=f"the BMC at {address} does not answer ({type(silent).__name__})")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return ServerSeen(name, problem=f"the BMC at {address} shows no system; is its login still right?")
    finally:
        pool.close()
    if system is None:
        others = ", ".join(answering)
        return ServerSeen(name, problem=f"the BMC at {address} answers for {others}, not for {server['serial']}")
    return ServerSeen(name, str(system.get("PowerState") or "unknown"))


def _system(
    pool: Pool, members: Any, serial: str, headers: Mapping[str, str], patience: float
) -> tuple[Mapping[str, Any] | None, list[str]]:
    """The system of that serial number (or one that shows none, or the first where none is asked for), else the serial
    numbers that were found. Raises IndexError where there is no system at all.
    """
    answering: list[str] = []
    nameless: Mapping[str, Any] | None = None
    for member in members[:MOST_SYSTEMS]:
        system = _get(pool, str(member["@odata.id"]), headers, patience)
        found = str(system.get("SerialNumber") or "")
        if not serial or found == serial:
            return system, answering
        if found:
            answering.append(found)
        else:
            nameless = nameless or system
    if nameless is None and not answering:
        raise IndexError("no system")
    return nameless, answering


def _get(pool: Pool, path: str, headers: Mapping[str, str], patience: float) -> Any:
    """A resource. Raises ValueError where the BMC refuses; the library refuses an address of another server."""
    reply = exchange(pool, "GET", path, {"Accept": "application/json", **headers}, Limits(patience, MOST_BYTES))
    if reply.status != 200:
        raise ValueError(f"HTTP {reply.status}")
    return json.loads(reply.data)

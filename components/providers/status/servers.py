"""Whether servers are on, from their BMCs: two small requests each (DSP0266: Systems, then its first member)."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import urllib3

from podwright.components.providers.reach import Reach, SecretNotFoundError

PORT = 443


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
    pool = urllib3.HTTPSConnectionPool(
        host, port, timeout=patience, retries=False, ca_certs=ca, assert_hostname=address, server_hostname=address
    )
    headers = urllib3.util.make_headers(basic_auth=":".join(login))
    try:
        members = _get(pool, "/redfish/v1/Systems", headers)["Members"]
        system = _get(pool, members[0]["@odata.id"], headers)
    except (urllib3.exceptions.HTTPError, OSError) as silent:
        return ServerSeen(name, problem=f"the BMC at {address} does not answer ({type(silent).__name__})")
    except (ValueError, KeyError, IndexError, TypeError):
        return ServerSeen(name, problem=f"the BMC at {address} shows no system; is its login still right?")
    finally:
        pool.close()
    serial = str(system.get("SerialNumber") or "")
    if server.get("serial") and serial and serial != server["serial"]:
        return ServerSeen(name, problem=f"the BMC at {address} answers for {serial}, not for {server['serial']}")
    return ServerSeen(name, str(system.get("PowerState") or "unknown"))


def _get(pool: urllib3.HTTPSConnectionPool, path: str, headers: Mapping[str, str]) -> Any:
    """A resource. Raises ValueError where the BMC refuses."""
    reply = pool.request("GET", path, headers={"Accept": "application/json", **headers})
    if reply.status != 200:
        raise ValueError(f"HTTP {reply.status}")
    return json.loads(reply.data)

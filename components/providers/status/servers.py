"""Whether servers are on, from their BMCs: two small requests each (DSP0266: Systems, then the member of that serial
number). A server with an HGX baseboard has a second system, and a BMC lists them in any order.
"""

import asyncio
import contextlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import urllib3

from podwright.components.providers.exchange import Limits, Pool, exchange
from podwright.components.providers.reach import Reach, SecretNotFoundError
from podwright.components.providers.redfish.firmware import versions
from podwright.components.providers.status import certificates
from podwright.components.providers.status.certificates import Certificate

PORT = 443
ROOT = "/redfish/v1/"
SYSTEMS = f"{ROOT}Systems"
SESSIONS = "/redfish/v1/SessionService/Sessions"
MOST_BYTES = 4_000_000
"""Of one answer: a system is some 20 kB."""
MOST_SYSTEMS = 8
"""Members that are looked at: the host, and a baseboard or two."""


@dataclass(frozen=True)
class ServerSeen:
    """One server. `power` is On, Off, PoweringOn or PoweringOff; with a `problem`, nothing is known. `firmware` has the
    version of each component that was asked for and that its controller tells."""

    name: str
    power: str = ""
    problem: str = ""
    firmware: Mapping[str, str] = field(default_factory=dict)
    certificate: Certificate | None = None
    """What its controller shows, where that was asked and it shows one."""


async def look(server: Mapping[str, Any], user: str, reach: Reach, there: float, each: float) -> ServerSeen:
    """Read one server: `server` has name, address of its BMC, serial and credential (a secret's name);
    `components` of its firmware are asked for, and with `certificate` the one that its BMC shows.

    `there`: seconds until the connection must stand; `each`: for one request.
    """
    certificate = await certificates.shown(str(server["address"]), reach, there) if server.get("certificate") else None
    try:
        password = reach.secret(server["credential"])
    except SecretNotFoundError as missing:
        return ServerSeen(server["name"], problem=str(missing), certificate=certificate)
    limits = Limits(each, MOST_BYTES)
    return replace(
        await asyncio.to_thread(_read, server, (user, password), reach, there, limits), certificate=certificate
    )


def _read(server: Mapping[str, Any], login: tuple[str, str], reach: Reach, there: float, limits: Limits) -> ServerSeen:
    address, name = str(server["address"]), server["name"]
    host, port = reach.endpoint(address, PORT)
    ca = str(reach.ca) if reach.ca else None
    timeout = urllib3.Timeout(connect=there, read=limits.seconds)
    pool = Pool(host, port, timeout=timeout, ca_certs=ca, assert_hostname=address, server_hostname=address)
    serial = str(server.get("serial") or "")
    try:
        try:
            basic = urllib3.util.make_headers(basic_auth=":".join(login))
            system, answering = _system(pool, serial, basic, limits)
            firmware = _firmware(pool, server.get("components") or (), basic, limits)
        except _NoBasicError:
            with _session(pool, login, limits) as token:
                system, answering = _system(pool, serial, token, limits)
                firmware = _firmware(pool, server.get("components") or (), token, limits)
    except (urllib3.exceptions.HTTPError, OSError) as silent:
        return ServerSeen(name, problem=f"the BMC at {address} does not answer ({type(silent).__name__})")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return ServerSeen(name, problem=f"the BMC at {address} shows no system; is its login still right?")
    finally:
        pool.close()
    if system is None:
        others = ", ".join(answering)
        return ServerSeen(name, problem=f"the BMC at {address} answers for {others}, not for {server['serial']}")
    return ServerSeen(name, str(system.get("PowerState") or "unknown"), firmware=firmware)


def _firmware(pool: Pool, wanted: Collection[str], headers: Mapping[str, str], limits: Limits) -> dict[str, str]:
    """Versions of these components; empty where the BMC tells none, which is no reason to doubt the rest."""
    if not wanted:
        return {}
    try:
        return versions(lambda path: _get(pool, path, headers, limits), _get(pool, ROOT, headers, limits), wanted)
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


class _NoBasicError(ValueError):
    """The BMC takes no password with a request (DSP0266, AccountService.HTTPBasicAuth), but for a session."""


@contextlib.contextmanager
def _session(pool: Pool, login: tuple[str, str], limits: Limits) -> Iterator[Mapping[str, str]]:
    """Headers with a session's token. The session ends with the look: a BMC has few."""
    asked = json.dumps({"UserName": login[0], "Password": login[1]}).encode()
    opened = exchange(pool, "POST", SESSIONS, {"Content-Type": "application/json"}, limits, asked)
    token = {"X-Auth-Token": opened.headers.get("X-Auth-Token", "")}
    try:
        yield token
    finally:
        place = urlsplit(opened.headers.get("Location", "")).path
        if place.startswith(SESSIONS):
            with contextlib.suppress(urllib3.exceptions.HTTPError, OSError):
                exchange(pool, "DELETE", place, token, limits)


def _system(
    pool: Pool, serial: str, headers: Mapping[str, str], limits: Limits
) -> tuple[Mapping[str, Any] | None, list[str]]:
    """The system of that serial number, or one that shows none, or one with a BIOS where none is asked for; else the
    serial numbers that were found. Raises IndexError where there is no system at all.
    """
    answering: list[str] = []
    nameless: Mapping[str, Any] | None = None
    for member in _get(pool, SYSTEMS, headers, limits)["Members"][:MOST_SYSTEMS]:
        system = _get(pool, str(member["@odata.id"]), headers, limits)
        found = str(system.get("SerialNumber") or "")
        if found == serial if serial else "Bios" in system:
            return system, answering
        if found and serial:
            answering.append(found)
        else:
            nameless = nameless or system
    if nameless is None and not answering:
        raise IndexError("no system")
    return nameless, answering


def _get(pool: Pool, path: str, headers: Mapping[str, str], limits: Limits) -> Any:
    """A resource. Raises ValueError where the BMC refuses; the library refuses an address of another server."""
    reply = exchange(pool, "GET", path, {"Accept": "application/json", **headers}, limits)
    if reply.status == 401 and "basic" not in reply.headers.get("WWW-Authenticate", "").lower():
        raise _NoBasicError
    if reply.status != 200:
        raise ValueError(f"HTTP {reply.status}")
    return json.loads(reply.data)

"""Log in to a switch, and say what to do where that fails.

asyncssh alone, without a screen-scraping framework on top: host keys must be checked under the switch's own address
while the connection goes to a forwarded one, and every line's answer must be seen before the next line is typed
(docs/decisions/0003-provider.md). Only this module loads the library, which takes as long as the rest of a preview's
plugin: a preview logs in nowhere.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import asyncssh

from podwright.components.providers.nxos.dialling import called
from podwright.components.providers.nxos.session import Address, LostError, Session
from podwright.components.providers.protocol.kind import ProviderError
from podwright.components.providers.reach import Reach

PORT: Final = 22
CONNECT: Final = 20.0
"""Seconds until a switch that does not answer counts as unreachable."""
LOGIN: Final = 60.0
"""Seconds for key exchange, log-in and first prompt: a switch asks one silent AAA server after the other, 5 s each."""
QUICK: Final = "aes256-gcm@openssh.com,aes128-gcm@openssh.com"
"""Ciphers to prefer: a fifth less work for each line than the library's own first choice. Others do too."""


async def connect(
    address: Address, reach: Reach, turns: asyncio.Semaphore | None = None, dial: float = CONNECT
) -> Session:
    """Log in, behind others that share `turns`; `dial`: seconds until the connection must stand.

    Raises ProviderError that names the switch and says what to do.
    """
    name, host = address.name, address.host
    dialled, port = reach.endpoint(host, PORT)
    if not reach.known_hosts.is_file():
        raise ProviderError(
            f"{name}: there is no known_hosts file at {reach.known_hosts}; write the host key of {host} into it "
            f"after checking its fingerprint on the console (`show ssh key`)"
        )
    try:
        connection = await _let_in(address, reach, await called(dialled, port, dial), turns)
    except (asyncssh.Error, OSError) as error:
        raise ProviderError(f"{name}: {_why(error, address, reach)}") from None
    try:
        return await _greeted(address, connection)
    except BaseException as error:
        # Whoever gives up half way, also by a cancelled task, must not keep one of the switch's few terminal lines.
        connection.abort()
        if isinstance(error, LostError):
            raise ProviderError(f"{name}: logged in to {host}, but {error}") from None
        if isinstance(error, asyncssh.Error | OSError):
            raise ProviderError(f"{name}: {_why(error, address, reach)}") from None
        raise


async def _greeted(address: Address, connection: asyncssh.SSHClientConnection) -> Session:
    process: Any = await connection.create_process(
        term_type="vt100", term_size=(511, 0), encoding="utf-8", errors="replace"
    )
    session = Session(address, connection, process, (asyncssh.Error,))
    await session.greet(LOGIN)
    return session


async def _let_in(
    address: Address, reach: Reach, line: socket.socket, turns: asyncio.Semaphore | None
) -> asyncssh.SSHClientConnection:
    """Log in when it is our turn; time in the queue is nobody's fault and counts against no limit."""
    waiting = True
    try:
        async with turns or nullcontext():
            waiting = False
            return await asyncssh.connect(
                sock=line,
                username=address.user,
                password=address.password,
                known_hosts=_known(reach.known_hosts, reach.known_hosts.stat().st_mtime_ns),
                host_key_alias=address.host,
                client_keys=None,
                agent_path=None,
                config=None,
                preferred_auth="password,keyboard-interactive",
                encryption_algs=f"^{QUICK}",
                connect_timeout=LOGIN,
                login_timeout=0,
                keepalive_interval=15,
                keepalive_count_max=4,
            )
    except TimeoutError:
        raise _NotLetInError from None
    finally:
        if waiting:
            line.close()


class _NotLetInError(OSError):
    """Somebody answers and does not come to an end with the log-in."""


@lru_cache(maxsize=2)
def _known(path: Path, changed: int) -> asyncssh.SSHKnownHosts:
    """The host keys of a file as it stood when it was `changed` (ns): read once, not again for each of its switches."""
    del changed
    return asyncssh.read_known_hosts(str(path))


def _why(error: Exception, address: Address, reach: Reach) -> str:
    """What went wrong and what to do, by the kind of failure. The library's own text never passes."""
    host = address.host
    if isinstance(error, asyncssh.HostKeyNotVerifiable):
        return (
            f"the host key that {host} shows is not the one in {reach.known_hosts}; compare it on the console "
            f"(`show ssh key`) and correct the file if the switch was replaced, or else find out who answers there"
        )
    if isinstance(error, asyncssh.PermissionDenied):
        return f"{host} refused the login of user {address.user}; check the secret and the user on the switch"
    if isinstance(error, asyncssh.ConnectionLost | ConnectionResetError):
        return f"{host} closed the connection during the login; is another session limit reached? try again"
    if isinstance(error, _NotLetInError):
        return (
            f"{host} answers, but nobody was let in within {LOGIN:g} s; does it wait for AAA servers that are silent "
            f"(`show tacacs-server`)?"
        )
    if isinstance(error, TimeoutError):
        return f"no answer from {host} port {PORT} within {CONNECT:.0f} s; check the cable of mgmt0 and the route to it"
    if isinstance(error, ConnectionRefusedError):
        return f"{host} refuses connections on port {PORT}; is `feature ssh` on, or the reach file's forward stale?"
    if isinstance(error, OSError):
        return f"{host} cannot be reached: {error.strerror or type(error).__name__}"
    return f"the SSH session with {host} failed ({type(error).__name__})"

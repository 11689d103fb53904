"""The TCP connection to a switch, before anybody logs in."""

from __future__ import annotations

import asyncio
import socket


async def called(host: str, port: int, limit: float) -> socket.socket:
    """A connection that is up within `limit` seconds.

    Before the queue for logging in: switches that are down must not hold up those behind them.
    """
    loop = asyncio.get_running_loop()
    failure: OSError = TimeoutError()
    async with asyncio.timeout(limit):
        for family, kind, protocol, _, where in await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            line = socket.socket(family, kind, protocol)
            line.setblocking(False)
            try:
                await loop.sock_connect(line, where)
            except OSError as error:
                line.close()
                failure = error
            except BaseException:
                line.close()
                raise
            else:
                return line
    raise failure

"""Ports of loopback: free ones, one that is ours before anything listens on it, and whether something listens."""

from __future__ import annotations

import socket


class ReservedPort:
    """A loopback port that is ours before anything listens on it: until then, connections are refused.

    The API server joins it later with port sharing, so the address can be published before the cluster exists.
    """

    def __init__(self) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self._socket.bind(("127.0.0.1", 0))
        self.number = int(self._socket.getsockname()[1])

    def close(self) -> None:
        """Give the port back."""
        self._socket.close()


def free_port() -> int:
    """A loopback TCP port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def accepts(port: int) -> bool:
    """Whether something listens there."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False

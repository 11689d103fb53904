"""The pack's process: a port on loopback, reported to the engine on standard output. It ends when the engine does."""

import os
import socket
import sys
from collections.abc import Iterable, Sequence
from concurrent import futures
from typing import Final

import grpc
from pulumi.runtime.proto import analyzer_pb2_grpc

from ..rule import Rule, RuleText, StackRule
from .analyzer import Analyzer

_LARGEST_MESSAGE: Final = 1024 * 1024 * 400
"""What the engine sends at most (Pulumi's own clients have this limit); all resources of a stack are one message."""

EVERY_SECONDS: Final = 5.0
MISSES: Final = 3
"""Looks in a row without an engine: a killed one ends nobody, and a busy one is late."""


def serve(name: str, rules: Iterable[Rule | StackRule], about_waivers: Iterable[RuleText] = ()) -> None:
    """Answer the engine until it ends this process, or is gone."""
    parent = os.getppid()  # before the engine has the port: it may be killed at once, and another process is the parent
    server = grpc.server(
        futures.ThreadPoolExecutor(max_workers=1),
        options=[("grpc.max_receive_message_length", _LARGEST_MESSAGE)],
    )
    analyzer_pb2_grpc.add_AnalyzerServicer_to_server(Analyzer(name, rules, about_waivers), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    try:
        # Another process may be given the port of a killed engine and answer there, so it counts too who started us.
        misses = 0
        while misses < MISSES and os.getppid() == parent and server.wait_for_termination(EVERY_SECONDS):
            misses = 0 if _there(sys.argv[1:]) else misses + 1
    except KeyboardInterrupt:
        pass
    server.stop(0)


def _there(arguments: Sequence[str]) -> bool:
    """Whether somebody listens at the engine's address, which is the argument that is one; True where there is none."""
    for argument in arguments:
        host, colon, port = argument.rpartition(":")
        if colon and port.isdecimal():
            try:
                socket.create_connection((host, int(port)), EVERY_SECONDS).close()
            except OSError:
                return False
    return True

"""The pack's process: a port on loopback, reported to the engine on standard output."""

from collections.abc import Iterable
from concurrent import futures
from typing import Final

import grpc
from pulumi.runtime.proto import analyzer_pb2_grpc

from ..rule import Rule, StackRule
from .analyzer import Analyzer

_LARGEST_MESSAGE: Final = 1024 * 1024 * 400
"""What the engine sends at most (Pulumi's own clients have this limit); all resources of a stack are one message."""


def serve(name: str, rules: Iterable[Rule | StackRule]) -> None:
    """Answer the engine until it ends this process."""
    server = grpc.server(
        futures.ThreadPoolExecutor(max_workers=1),
        options=[("grpc.max_receive_message_length", _LARGEST_MESSAGE)],
    )
    analyzer_pb2_grpc.add_AnalyzerServicer_to_server(Analyzer(name, rules), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    try:
        server.wait_for_termination()
    except KeyboardInterrupt:
        server.stop(0)

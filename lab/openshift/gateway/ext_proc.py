"""Envoy's external processing as a gateway speaks it to an endpoint picker: one request, and where it is to go.

After envoyproxy/envoy, api/envoy/service/ext_proc/v3/external_processor.proto: of its messages the fields that are sent
here or read, by their numbers. A gateway of Istio sends headers and, streamed, the body of a request, waits for the
answer to the headers, and later sends what the replica answered (pilot/pkg/networking/core: FULL_DUPLEX_STREAMED).
"""

from __future__ import annotations

import queue
import select
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

METHOD: Final = "/envoy.service.ext_proc.v3.ExternalProcessor/Process"
DESTINATION: Final = "x-gateway-destination-endpoint"
"""Header by which a picker names an address and port (docs/proposals/004-endpoint-picker-protocol)."""
SECONDS: Final = 5.0
_TEXT, _BYTES, _BOOL, _INT, _MESSAGE = 9, 12, 8, 5, 11
_MESSAGES: Final[Mapping[str, tuple[tuple[str, int, int | str, bool], ...]]] = {
    "HeaderValue": (("key", 1, _TEXT, False), ("value", 2, _TEXT, False), ("raw_value", 3, _BYTES, False)),
    "HeaderMap": (("headers", 1, "HeaderValue", True),),
    "HttpHeaders": (("headers", 1, "HeaderMap", False), ("end_of_stream", 3, _BOOL, False)),
    "HttpBody": (("body", 1, _BYTES, False), ("end_of_stream", 2, _BOOL, False)),
    "ProcessingRequest": (
        ("request_headers", 2, "HttpHeaders", False), ("response_headers", 3, "HttpHeaders", False),
        ("request_body", 4, "HttpBody", False), ("response_body", 5, "HttpBody", False),
    ),
    "HeaderValueOption": (("header", 1, "HeaderValue", False),),
    "HeaderMutation": (("set_headers", 1, "HeaderValueOption", True),),
    "CommonResponse": (("header_mutation", 2, "HeaderMutation", False),),
    "HeadersResponse": (("response", 1, "CommonResponse", False),),
    "BodyResponse": (("response", 1, "CommonResponse", False),),
    "HttpStatus": (("code", 1, _INT, False),),
    "ImmediateResponse": (("status", 1, "HttpStatus", False), ("body", 3, _BYTES, False)),
    "ProcessingResponse": (
        ("request_headers", 1, "HeadersResponse", False), ("response_headers", 2, "HeadersResponse", False),
        ("request_body", 3, "BodyResponse", False), ("response_body", 4, "BodyResponse", False),
        ("immediate_response", 7, "ImmediateResponse", False),
    ),
}  # fmt: skip


class UnavailableError(Exception):
    """The picker gives no answer."""


@dataclass(frozen=True)
class RefusedError(Exception):
    """The picker answers in the place of a replica, such as 503 where there is none, or 429."""

    status: int
    text: bytes


class Picking:
    """One request at a picker: over TLS, whose certificate nobody checks, as the DestinationRule has it."""

    def __init__(self, port: int | None, *, tls: bool | None) -> None:
        """No port: nothing listens. No word about TLS: no TLS comes about. Raises UnavailableError."""
        if port is None or tls is None:
            raise UnavailableError("no connection to a picker")
        self._bridge = _Bridge(port) if tls else None
        channel = grpc.insecure_channel(f"127.0.0.1:{self._bridge.port if self._bridge else port}")
        self._sent: queue.Queue[Any] = queue.Queue()
        self._channel = channel
        ask = channel.stream_stream(METHOD, lambda each: each.SerializeToString(), _Response.FromString)
        self._answers = ask(self._requests(), timeout=SECONDS)

    def __enter__(self) -> Picking:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._sent.put(None)
        self._channel.close()
        if self._bridge is not None:
            self._bridge.stop()

    def destination(self, headers: Mapping[str, str], body: bytes) -> str:
        """Address and port that the picker names. Raises UnavailableError, RefusedError."""
        self._send(request_headers={"headers": _map(headers), "end_of_stream": not body})
        if body:
            self._send(request_body={"body": body, "end_of_stream": True})
        answer = self._next("request_headers")
        for each in answer.request_headers.response.header_mutation.set_headers:
            if each.header.key == DESTINATION:
                return str(each.header.value or each.header.raw_value.decode())
        raise UnavailableError("the picker names no replica")

    def answered(self, status: int, body: bytes) -> None:
        """Say what the replica answered."""
        self._send(response_headers={"headers": _map({":status": str(status), "content-type": "application/json"})})
        self._send(response_body={"body": body, "end_of_stream": True})
        self._next("response_headers")

    def _send(self, **parts: Any) -> None:
        self._sent.put(_Request(**parts))

    def _requests(self) -> Iterator[Any]:
        while (each := self._sent.get()) is not None:
            yield each

    def _next(self, wanted: str) -> Any:
        try:
            for answer in self._answers:
                if answer.HasField("immediate_response"):
                    answered = answer.immediate_response
                    raise RefusedError(answered.status.code, answered.body)
                if answer.HasField(wanted):
                    return answer
        except grpc.RpcError as problem:
            raise UnavailableError(str(problem)) from problem
        raise UnavailableError("the picker ends before it answers")


class _Bridge:
    """TLS that checks nothing, for gRPC, which has no way to: a port of loopback that leads to another through TLS.
    Raises UnavailableError."""

    def __init__(self, port: int) -> None:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_alpn_protocols(["h2"])
        self._open = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._open.getsockname()[1])
        try:
            self._far = context.wrap_socket(socket.create_connection(("127.0.0.1", port), SECONDS))
        except OSError as problem:
            self._open.close()
            raise UnavailableError(str(problem)) from problem
        # Not both ways at once: a TLS object is one thread's.
        threading.Thread(target=self._carry, name="bridge", daemon=True).start()

    def stop(self) -> None:
        """Close all of it."""
        for each in (self._open, self._far):
            with suppress(OSError):
                each.close()

    def _carry(self) -> None:
        with suppress(OSError, ValueError):
            near, _ = self._open.accept()
            with near:
                while True:
                    ready = [self._far] if self._far.pending() else select.select([near, self._far], [], [], 1)[0]
                    for each in ready:
                        data = each.recv(65536)
                        if not data:
                            return
                        (self._far if each is near else near).sendall(data)


def _map(headers: Mapping[str, str]) -> dict[str, Any]:
    return {"headers": [{"key": key.lower(), "raw_value": value.encode()} for key, value in headers.items()]}


def _built() -> Mapping[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(name="lab/ext_proc.proto", package="lab", syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for label, number, kind, repeated in fields:
            row = message.field.add(name=label, number=number, label=3 if repeated else 1)
            if isinstance(kind, str):
                row.type, row.type_name = _MESSAGE, f".lab.{kind}"
            else:
                row.type = kind
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = ("ProcessingRequest", "ProcessingResponse")
    return {each: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"lab.{each}")) for each in found}


_CLASSES: Final = _built()
_Request, _Response = _CLASSES["ProcessingRequest"], _CLASSES["ProcessingResponse"]

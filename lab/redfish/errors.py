"""Errors as Redfish words them: a message of the Base registry, with extended information (DSP0266)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import flask


def document(message_id: str, text: str, arguments: Sequence[str] = (), related: Sequence[str] = ()) -> dict[str, Any]:
    """Body of an error response."""
    message = {
        "@odata.type": "#Message.v1_1_1.Message",
        "MessageId": _full(message_id),
        "Message": text,
        "MessageArgs": list(arguments),
        "Severity": "Warning",
    }
    if related:
        message["RelatedProperties"] = [f"#/{each}" for each in related]
    return {"error": {"code": _full(message_id), "message": text, "@Message.ExtendedInfo": [message]}}


def _full(message_id: str) -> str:
    return message_id if "." in message_id else f"Base.1.8.{message_id}"


def answer(status: int, message_id: str, text: str, **headers: str) -> flask.Response:
    """An error response; `headers` with underscores for hyphens."""
    reply = flask.Response(json.dumps(document(message_id, text)), status, content_type="application/json")
    for name, value in headers.items():
        reply.headers[name.replace("_", "-")] = value
    return reply

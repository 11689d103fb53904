"""ETags of resources, and what a PATCH must say of them (DSP0266, "ETags"; RFC 9110, RFC 6585)."""

from __future__ import annotations

import hashlib

import flask

from podwright.lab.redfish import errors


def attach(app: flask.Flask, form: str) -> None:
    """`form` is one of the variant `etags`. To be called before whatever else completes answers."""
    if form == "none":
        return
    app.after_request(_marked)
    app.before_request(lambda: _refusal(app, form))


def _marked(reply: flask.Response) -> flask.Response:
    if flask.request.method == "GET" and reply.status_code == 200 and reply.is_json:
        reply.headers["ETag"] = f'"{hashlib.sha256(reply.get_data()).hexdigest()[:16]}"'
    return reply


def _refusal(app: flask.Flask, form: str) -> flask.Response | None:
    if flask.request.method != "PATCH":
        return None
    asked = flask.request.headers.get("If-Match")
    if not asked:
        if form != "required":
            return None
        text = "The request was refused because the If-Match header is missing."
        return errors.answer(428, "PreconditionRequired", text)
    current = app.test_client().get(flask.request.path).headers.get("ETag")
    if asked == "*" or current in [each.strip() for each in asked.split(",")]:
        return None
    return errors.answer(412, "PreconditionFailed", "The ETag that is supplied does not match the resource's.")

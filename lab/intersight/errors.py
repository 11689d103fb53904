"""Intersight's error replies.

Bodies whose `messageId` starts with barcelona_, gershwin_, gobi_ or iam_ repeat what public reports quote. Where no
report of the real reply was found the id starts with `lab_`, so that nobody builds on an invented one.
"""

from __future__ import annotations

from typing import Any


class ApiError(Exception):
    """A refused request: HTTP status and the body's fields."""

    def __init__(
        self, status: int, code: str, message_id: str, message: str, *params: str, cause: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message_id = message_id
        self.message = message
        self.params = params
        self.cause = cause

    def body(self, trace: str) -> dict[str, Any]:
        """The JSON body."""
        out: dict[str, Any] = {
            "code": self.code,
            "message": self.message,
            "messageId": self.message_id,
            "messageParams": {str(index): text for index, text in enumerate(self.params, 1)},
            "traceId": trace,
        }
        if self.cause is not None:
            out["cause"] = self.cause
        return out


def invalid(message_id: str, message: str, *params: str, status: int = 400) -> ApiError:
    """A request that the rules refuse."""
    return ApiError(status, "InvalidRequest", message_id, message, *params)


def bad_key() -> ApiError:
    """The signature, the key or its time does not hold."""
    return ApiError(401, "AuthenticationFailure", "iam_api_key_is_invalid", "The API key is invalid.")


def not_authorized(method: str) -> ApiError:
    """The key's role does not admit the operation."""
    text = f"The role of this key does not allow {method}."
    return ApiError(403, "UnauthorizedOperation", "lab_operation_not_authorized", text, method)


def unknown_property(where: str) -> ApiError:
    """`where` is 'ntp.Policy.Foo', or 'vnic.EthIf.Placement:PciLinkAssignmentMode' for a nested property."""
    return invalid("lab_property_does_not_exist", f"The property '{where}' does not exist.", where)


def required(where: str) -> ApiError:
    """A property that may not be empty is."""
    text = f"Cannot set the property '{where}'. The property cannot be empty."
    return invalid("barcelona_request_cannot_access_property_required", text, where)


def read_only(where: str) -> ApiError:
    """The client tried to set what only the server sets."""
    return invalid("lab_property_read_only", f"Cannot set the property '{where}'. The property is read-only.", where)


def bad_value(where: str, why: str) -> ApiError:
    """A value of the wrong type, or outside its enum, pattern or range."""
    return invalid("lab_property_value_invalid", f"Cannot set the property '{where}'. {why}", where, why)


def malformed(why: str) -> ApiError:
    """The body is not the JSON that was asked for."""
    return invalid("barcelona_request_malformed_json", f"Your request is invalid. {why}", why)


def wrong_reference_class(class_id: object) -> ApiError:
    """A reference says a ClassId other than mo.MoRef."""
    cause = {
        "code": "InvalidRequest",
        "message": f"The ClassId '{class_id}' is not correct. The ClassId must be 'mo.MoRef'.",
        "messageId": "barcelona_moref_validation_class_not_correct",
    }
    text = "Your request is invalid. The JSON document is malformed."
    return ApiError(400, "InvalidRequest", "barcelona_request_malformed_json", text, cause=cause)


def not_found(object_type: str, moid: str) -> ApiError:
    """No object has this Moid."""
    text = f"Cannot find the object of type '{object_type}' with Moid '{moid}'."
    return ApiError(404, "NotFound", "barcelona_request_object_does_not_exist", text, object_type, moid)


def precondition(header: str) -> ApiError:
    """If-Match or If-None-Match does not hold."""
    text = f"The precondition of the header '{header}' is not met."
    return invalid("lab_precondition_failed", text, header, status=412)


def action_not_allowed(action: str) -> ApiError:
    """A profile action that its state does not admit."""
    text = f"Action '{action}' is not allowed in the current state."
    return invalid("gershwin_user_action_is_not_allowed", text, action)


def no_such_url(path: str) -> ApiError:
    """The URL names nothing of the API."""
    return ApiError(404, "InvalidUrl", "lab_url_not_found", f"The URL '{path}' does not exist.", path)


def no_such_method(method: str, path: str) -> ApiError:
    """The object has no such operation."""
    return ApiError(405, "InvalidMethod", "lab_method_not_allowed", f"{method} is not supported on '{path}'.", method)


def not_implemented(what: str) -> ApiError:
    """A part of the real API that the lab does not model; see FIDELITY.md."""
    return ApiError(501, "NotImplemented", "lab_not_modelled", f"The lab does not model {what}.", what)

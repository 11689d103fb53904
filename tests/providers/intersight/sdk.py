"""Cisco's SDK as the judge of what is sent: its model classes hold types, enums, ranges and patterns of the API."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from intersight import Configuration
from intersight.exceptions import ApiTypeError, ApiValueError
from intersight.model_utils import validate_and_convert_types

from tools.intersight.properties import Table

REFUSALS = (ApiTypeError, ApiValueError)


@cache
def _table() -> Table:
    return Table()


@cache
def _model(object_type: str) -> Any:
    return _table().model(object_type.replace(".", ""))


def refusal(object_type: str, body: Mapping[str, Any]) -> str:
    """Why the SDK's class does not take a body in the API's own names; empty where it does."""
    marked = {"ClassId": object_type, "ObjectType": object_type, **body}
    model = _model(object_type)
    unknown = set(marked) - set(model.attribute_map.values())
    if unknown:
        return f"{object_type} has no {', '.join(sorted(unknown))}"
    try:
        validate_and_convert_types(marked, (model,), ["body"], True, True, Configuration())
    except REFUSALS as wrong:
        return f"{object_type}: {wrong}"
    return ""

"""A component's arguments from the properties of a program in any language, or everything that is wrong with them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pulumi
from pulumi.output import _OutputData, contains_unknowns
from pulumi.resource import DependencyResource
from pydantic import Field, ValidationError, create_model

from podwright.components.model import explain
from podwright.components.model.problems import Problem
from podwright.components.model.types import Spec
from podwright.components.providers.protocol.construct import ComponentError, Received
from podwright.components.schema.arguments import Argument, arguments
from podwright.components.schema.names import camel, inside, outside, path

_NOT_PLAIN = (
    "decides what is made, so it must be known in preview: nothing that only the update will tell (inputs for what is "
    "handed over take that), and no secret (name it here; its value belongs to the provider's `secrets`)"
)
_NO_LIST = "must be written as a list or a mapping; its entries may be outputs, it itself may not"


def arguments_from(kind: type[Any], name: str, inputs: Mapping[str, Received]) -> Any:
    """An instance of the arguments class `kind`, for the component `name`. Raises ComponentError."""
    fields = {camel(each.name): each for each in arguments(kind)}
    given = {key: each for key, each in inputs.items() if each.value is not None}
    wrong = _wrong(given, fields)
    values = {
        field.name: inside(given[key].value, field.annotation)
        for key, field in fields.items()
        if key in given and place(key, given[key]) not in wrong
    }
    checked = {key: value for key, value in values.items() if _known(given[camel(key)])}
    model = _model(kind, list(fields.values()), checked)
    found, problems = _checked(model, checked)
    wrong |= located([each for each in problems if _first(each) in checked or camel(_first(each)) not in given], model)
    if wrong or found is None:
        raise ComponentError(name, wrong)
    if kind is model:
        return found
    plain = {
        field.name: getattr(found, field.name) for field in fields.values() if field.plain and field.name in values
    }
    handed = {
        field.name: _handed(given[key], values[field.name], field)
        for key, field in fields.items()
        if not field.plain and field.name in values
    }
    return kind(**plain, **handed)


def _wrong(given: Mapping[str, Received], fields: Mapping[str, Argument]) -> dict[str, str]:
    """What is wrong with inputs before their values are looked at: sentence by property path."""
    wrong: dict[str, str] = {}
    for key, received in given.items():
        if key not in fields:
            wrong[place(key, received)] = _unknown(key, fields)
        elif fields[key].plain and not _known(received):
            wrong[place(key, received)] = _NOT_PLAIN
        elif fields[key].each and not isinstance(received.value, list | dict):
            wrong[place(key, received)] = _NO_LIST
    missing = {key: each for key, each in fields.items() if not each.plain and each.required and key not in given}
    return wrong | {key: f"is missing: {' '.join(each.text.split())}" for key, each in missing.items()}


def _first(problem: Problem) -> str:
    """The input that a problem is of."""
    return str(problem.loc[0]) if problem.loc else ""


def place(key: str, received: Received) -> str:
    """The property path of an input; one that leads nowhere for a secret, whose value the engine would print."""
    return f"args.{key}" if received.secret else key


def located(problems: Iterable[Problem], kind: type[Any]) -> dict[str, str]:
    """Sentences of problems by their places as property paths of the outside; those of one place are joined."""
    model = _model(kind, arguments(kind), {})
    found: dict[str, str] = {}
    for each in problems:
        where, sentence = path(each.loc, model), outside("; ".join(filter(None, (each.message, each.hint))), model)
        found[where] = f"{found[where]}. {sentence}" if where in found else sentence
    return found


def _unknown(key: str, fields: Mapping[str, Argument]) -> str:
    return f"there is no such input; {explain.suggest(key, tuple(fields)) or 'known are ' + ', '.join(fields)}"


def _known(received: Received) -> bool:
    """Whether a value may be looked at: known, and no secret that a sentence could quote."""
    return not received.secret and not contains_unknowns(received.value)


def _model(kind: type[Any], fields: Sequence[Argument], checked: Mapping[str, Any]) -> type[Spec]:
    """The fields of a dataclass as a model, which checks them as it does a stack file.

    What is handed over is checked where it is known.
    """
    if issubclass(kind, Spec):
        return kind
    made: dict[str, Any] = {
        each.name: (each.annotation, Field(... if each.required else each.default, description=each.text))
        for each in fields
        if each.plain or each.name in checked
    }
    return create_model(kind.__name__, __base__=Spec, **made)


def _checked(model: type[Spec], values: Mapping[str, Any]) -> tuple[Spec | None, list[Problem]]:
    """Strict, through JSON, as for a stack file: "5" is no number, while lists and addresses pass."""
    try:
        return model.model_validate_json(json.dumps(values), strict=True), []
    except ValidationError as error:
        return None, explain.problems(error.errors(include_url=False), {}, model)


def _handed(received: Received, value: Any, field: Argument) -> Any:
    """A hand-over as outputs: one, or one for each entry where the component takes them one by one."""
    if field.each and isinstance(value, list):
        return [_output(received, each) for each in value]
    if field.each and isinstance(value, dict):
        return {key: _output(received, each) for key, each in value.items()}
    return _output(received, value)


def _output(received: Received, value: Any) -> pulumi.Output[Any]:
    """An output that came from where the input did, unknown where any of it is."""
    data: asyncio.Future[_OutputData[Any]] = asyncio.Future()
    resources: set[pulumi.Resource] = {DependencyResource(urn) for urn in received.resources}
    data.set_result(_OutputData(resources=resources, value=value, is_known=True, is_secret=received.secret))
    return pulumi.Output._from_data(data)

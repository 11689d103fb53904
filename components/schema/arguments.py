"""What a component takes, read from its arguments class: a model of the stack file, or a dataclass of such models.

A field is either plain, which decides what the component makes, or a hand-over (`pulumi.Input[…]`): an output of
another component, which may be unknown until the update.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
from collections.abc import Awaitable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

import pulumi

from podwright.components.model import describe
from podwright.components.model.documentation import docstrings, own
from podwright.components.model.types import Spec

_NAMES = {"Output": pulumi.Output, "T": TypeVar("T")}
"""`pulumi.Input` refers to these by name."""


@dataclasses.dataclass(frozen=True)
class Argument:
    """One field of an arguments class."""

    name: str
    annotation: Any
    """Its type, with lists as tuples and mappings as dicts; what is handed over without the `Input` around it."""
    plain: bool
    """It decides what is made; False: it is handed over."""
    required: bool = True
    default: Any = None
    """What it is where it is not given and need not be."""
    text: str = ""
    """Its documentation."""
    each: bool = False
    """A list or a mapping of hand-overs, each an output of its own."""


def arguments(kind: type[Any]) -> tuple[Argument, ...]:
    """The fields of an arguments class, in order."""
    if issubclass(kind, Spec):
        return tuple(_field(kind, name, hint) for name, hint in describe.hints(kind).items())
    hints = get_type_hints(kind, include_extras=not is_typeddict(kind), localns=_NAMES)
    texts = docstrings(kind)
    if is_typeddict(kind):
        needed = kind.__required_keys__
        return tuple(
            Argument(name, tidy(hint), True, name in needed, None, texts[name]) for name, hint in hints.items()
        )
    found = []
    for field in dataclasses.fields(kind):
        made = field.default_factory
        default = made() if made is not dataclasses.MISSING else field.default
        hint = hints[field.name]
        each = handed_over(hint) and not _input(hint)
        required = default is dataclasses.MISSING
        text = texts.get(field.name, "")
        found.append(Argument(field.name, tidy(hint), not handed_over(hint), required, default, text, each))
    return tuple(found)


def _field(kind: type[Spec], name: str, hint: Any) -> Argument:
    info = kind.model_fields[name]
    default = None if info.is_required() else info.get_default(call_default_factory=True)
    return Argument(name, tidy(hint), True, info.is_required(), default, docstrings(kind).get(name, ""))


def outputs(component: type[Any]) -> dict[str, tuple[Any, str]]:
    """Annotated outputs of a resource class by name: type and documentation.

    A mapping that is a model's content is annotated with that model, `Output[Annotated[Mapping[str, Any], RailPool]]`.
    """
    texts = docstrings(component)
    found = {}
    for each in own(component):
        for name, hint in inspect.get_annotations(each, eval_str=True).items():
            origin: Any = get_origin(hint)
            if origin is pulumi.Output:
                found[name] = (tidy(_of_model(get_args(hint)[0])), texts.get(name, ""))
    return found


def _of_model(annotation: Any) -> Any:
    metadata = getattr(annotation, "__metadata__", ())
    return next((each for each in metadata if isinstance(each, type) and issubclass(each, Spec)), annotation)


def signature(kind: type[Any]) -> dict[str, inspect.Parameter]:
    """What a resource class's constructor takes beside its name, annotations resolved."""
    hints = get_type_hints(kind.__init__, include_extras=True, localns=_NAMES)
    taken = inspect.signature(kind).parameters
    return {name: each.replace(annotation=hints[name]) for name, each in taken.items() if name != "name"}


def named(kind: type[Any]) -> bool:
    """Whether a component's constructor takes a name; the others are called what their arguments say."""
    return "name" in inspect.signature(kind).parameters


def handed_over(annotation: Any) -> bool:
    """Whether an annotation is `pulumi.Input[…]`, or holds one."""
    return _input(annotation) or any(handed_over(each) for each in get_args(annotation))


def _input(annotation: Any) -> bool:
    return get_origin(annotation) in (Union, UnionType) and any(_awaitable(each) for each in get_args(annotation))


def tidy(annotation: Any) -> Any:
    """The same type in the models' own words: tuple, dict, and what an `Input` is of."""
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return Annotated[(tidy(inside[0]), *inside[1:])]
    if origin in (Union, UnionType):
        if of := next((each for each in inside if _awaitable(each)), None):
            rest = tuple(each for each in inside if each is NoneType)
            return Union[(tidy(get_args(of)[0]), *rest)]
        return functools.reduce(operator.or_, (tidy(each) for each in inside))
    if origin in (list, Sequence):
        return tuple[tidy(inside[0]), ...]  # type: ignore[misc]
    if origin is tuple:
        return tuple[tuple(each if each is Ellipsis else tidy(each) for each in inside)]  # type: ignore[misc]
    if origin in (dict, Mapping):
        return dict[tidy(inside[0]), tidy(inside[1])]  # type: ignore[misc]
    return annotation


def _awaitable(annotation: Any) -> bool:
    return get_origin(annotation) is Awaitable

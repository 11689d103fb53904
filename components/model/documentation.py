"""The texts behind the fields of a class, read from its source when a schema, a page or a hint asks for them.

Pydantic can read them as each class is made (`use_attribute_docstrings`). That parses the source of every model at
every start of every program, a fifth of what a preview's program needs to start, for texts that no preview shows.
"""

import ast
import inspect
import itertools
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, is_typeddict

_LIBRARIES = ("builtins", "pulumi", "typing", "pydantic")


def docstrings(kind: type[Any]) -> dict[str, str]:
    """The texts behind the annotations of a class and its bases, by name; a field without one is left out."""
    found: dict[str, str] = {}
    for each in own(kind):
        found |= _docstrings(each)
    return found


def sentence(kind: type[Any], name: str) -> str:
    """First sentence of a field's documentation, on one line."""
    text = " ".join(docstrings(kind).get(name, "").split())
    head, dot, _ = text.partition(". ")
    return head + "." if dot else text


def own(kind: type[Any]) -> list[type[Any]]:
    """A class and its bases, the libraries' left out, bases first."""
    if is_typeddict(kind):
        return [kind]
    return [each for each in reversed(kind.__mro__) if each.__module__.split(".")[0] not in _LIBRARIES]


def _docstrings(kind: type[Any]) -> dict[str, str]:
    """Of the class alone; nothing of one that was put together at run time."""
    return _of_module(kind.__module__).get(kind.__qualname__, {})


@cache
def _of_module(name: str) -> dict[str, dict[str, str]]:
    """By class, within others too, the texts behind its annotations."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[name]))
    except (KeyError, OSError, TypeError):  # no module with a source
        return {}
    return dict(_of_classes(tree.body, ""))


def _of_classes(body: Sequence[ast.stmt], within: str) -> Iterator[tuple[str, dict[str, str]]]:
    for each in body:
        if isinstance(each, ast.ClassDef):
            yield f"{within}{each.name}", dict(_of_class(each.body))
            yield from _of_classes(each.body, f"{within}{each.name}.")


def _of_class(body: Sequence[ast.stmt]) -> Iterator[tuple[str, str]]:
    for above, below in itertools.pairwise(body):
        if (
            isinstance(above, ast.AnnAssign)
            and isinstance(above.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
            and isinstance(below.value.value, str)
        ):
            yield above.target.id, inspect.cleandoc(below.value.value)

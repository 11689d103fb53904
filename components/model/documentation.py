"""The texts behind the fields of a class, read from its source when a schema, a page or a hint asks for them.

Pydantic can read them as each class is made (`use_attribute_docstrings`). That parses the source of every model at
every start of every program, a fifth of what a preview's program needs to start, for texts that no preview shows.
"""

import ast
import inspect
import itertools
import textwrap
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
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    found = {}
    for above, below in itertools.pairwise(body):
        if (
            isinstance(above, ast.AnnAssign)
            and isinstance(above.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
            and isinstance(below.value.value, str)
        ):
            found[above.target.id] = inspect.cleandoc(below.value.value)
    return found

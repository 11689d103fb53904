"""Predicates and selectors of policies: the part of CEL that comparing one request takes, and gjson's paths.

After https://github.com/google/cel-spec: fields by name and by key, lists, ==, !=, in, &&, ||, !. Whatever else is in
an expression is not evaluated, and said so. A field that is not there is an error, as in CEL.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

Known = Mapping[str, Any]


class ExpressionError(Exception):
    """An expression that cannot be read, or finds nothing."""


def holds(expression: str, known: Known) -> bool:
    """Whether a predicate is true of a request. Raises ExpressionError."""
    return value(expression, known) is True


def value(expression: str, known: Known) -> Any:
    """What an expression is for a request. Raises ExpressionError."""
    text = re.sub(r"!(?!=)", " not ", expression.replace("&&", " and ").replace("||", " or ")).strip()
    try:
        return _value(ast.parse(text, mode="eval").body, known)
    except SyntaxError as problem:
        raise ExpressionError(f"{expression}: {problem.msg}") from problem


def selected(selector: str, known: Known) -> str:
    """What a path of gjson finds, as text; empty where there is nothing (tidwall/gjson, SYNTAX.md: \\ before a dot)."""
    found: Any = known
    for part in re.split(r"(?<!\\)\.", selector):
        if not isinstance(found, Mapping):
            return ""
        found = found.get(part.replace("\\.", "."))
    return "" if found is None else str(found)


def _value(node: ast.expr, known: Known) -> Any:
    match node:
        case ast.Constant(value=found):
            return found
        case ast.Name(id=name):
            return _field(known, name)
        case ast.Attribute(value=of, attr=name):
            return _field(_value(of, known), name)
        case ast.Subscript(value=of, slice=key):
            return _field(_value(of, known), _value(key, known))
        case ast.List(elts=each):
            return [_value(one, known) for one in each]
        case ast.BoolOp(op=op, values=each):
            return (all if isinstance(op, ast.And) else any)(_value(one, known) for one in each)
        case ast.UnaryOp(op=ast.Not(), operand=one):
            return not _value(one, known)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _compared(op, _value(left, known), _value(right, known))
    raise ExpressionError(f"the lab does not evaluate {ast.unparse(node)}")


def _compared(op: ast.cmpop, left: Any, right: Any) -> bool:
    match op:
        case ast.Eq():
            return bool(left == right)
        case ast.NotEq():
            return bool(left != right)
        case ast.In():
            return left in right
    raise ExpressionError(f"the lab does not evaluate {type(op).__name__}")


def _field(found: Any, name: object) -> Any:
    if not isinstance(found, Mapping) or name not in found:
        raise ExpressionError(f"no such key: {name}")
    return found[name]

"""Changes of a syntax tree that can be taken back."""

import ast
from collections.abc import Callable
from typing import Any

Edit = Callable[[], Callable[[], None]]
"""Changes a tree; what it returns changes it back."""


def member(members: list[Any], at: int, other: ast.AST) -> Edit:
    """Another member in a list of nodes."""

    def edit() -> Callable[[], None]:
        original, members[at] = members[at], other

        def undo() -> None:
            members[at] = original

        return undo

    return edit


def without(members: list[Any], at: int) -> Edit:
    """A list of nodes without one of them."""

    def edit() -> Callable[[], None]:
        gone = members.pop(at)
        return lambda: members.insert(at, gone)

    return edit


def part(node: ast.AST, name: str, other: object) -> Edit:
    """Another value in a field of a node."""

    def edit() -> Callable[[], None]:
        original = getattr(node, name)
        setattr(node, name, other)
        return lambda: setattr(node, name, original)

    return edit

"""The places in `components/design/fabric` that write lines, each taken away in turn.

Found in the syntax tree, not listed by hand: members of lists, tuples and dicts, what is added to one, statements that
set a key, text that stands by itself. Which of them matter is seen from the texts that come out.
"""

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

_ROOM: Final = "podwright.components.design.fabric"
_SHOWN: Final = 72
Drop = Callable[[], Callable[[], None]]
"""Takes a place out of a tree; what it returns puts it back."""


@dataclass(frozen=True)
class Site:
    """One place, and how the module's tree is without it."""

    module: ModuleType
    tree: ast.Module
    name: str
    """Module, function and source, without a line number: other edits do not rename it."""
    drop: Drop


def sites() -> Iterator[Site]:
    """Every place of every module that `plan` is made from."""
    for module in modules():
        tree = ast.parse(inspect.getsource(module))
        short = module.__name__.rpartition(".")[2]
        for function, node, drop in _Finder(tree).found:
            source = " ".join(ast.unparse(node).split())
            where = f"{short}.{function}" if function else short
            yield Site(module, tree, f"{where}: {source[:_SHOWN]}", drop)


def modules() -> list[ModuleType]:
    """The modules of the room that `plan` is made from."""
    found: list[str] = []
    waiting = [f"{_ROOM}.plan"]
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            found.append(name)
            imported = ast.walk(ast.parse(inspect.getsource(sys.modules[name])))
            froms = [each for each in imported if isinstance(each, ast.ImportFrom) and each.module]
            names = [f"{each.module}.{alias.name}" for each in froms for alias in each.names if each.module == _ROOM]
            names += [str(each.module) for each in froms if str(each.module).startswith(f"{_ROOM}.")]
            waiting += [each for each in names if isinstance(sys.modules.get(each), ModuleType)]
    return [sys.modules[name] for name in found]


@contextmanager
def without(site: Site) -> Iterator[None]:
    """The module as if the place were not there; put back afterwards."""
    original = dict(vars(site.module))
    undo = site.drop()
    try:
        exec(compile(ast.fix_missing_locations(site.tree), "<mutant>", "exec"), vars(site.module))  # noqa: S102
        yield
    finally:
        undo()
        vars(site.module).clear()
        vars(site.module).update(original)


class _Finder(ast.NodeVisitor):
    """Collects places; annotations, targets, keys and docstrings are none."""

    def __init__(self, tree: ast.Module) -> None:
        self.found: list[tuple[str, ast.AST, Drop]] = []
        self._function = ""
        self.visit(tree)

    def _add(self, node: ast.AST, drop: Drop) -> None:
        self.found.append((self._function, node, drop))

    def visit_List(self, node: ast.List | ast.Tuple) -> None:
        if isinstance(node.ctx, ast.Load):
            for at, each in enumerate(node.elts):
                self._add(each, _without(node.elts, at))
                if not isinstance(each, ast.Constant | ast.JoinedStr):
                    self.visit(each)

    visit_Tuple = visit_List  # noqa: N815 - the name that ast calls

    def visit_Dict(self, node: ast.Dict) -> None:
        for at, each in enumerate(node.values):
            self._add(each, _pair(node, at))
            self.visit(each)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._emptied(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._emptied(node)

    def _emptied(self, node: ast.ListComp | ast.DictComp) -> None:
        """A comprehension over nothing."""
        none = ast.comprehension(ast.Name("_", ast.Store()), ast.Tuple([], ast.Load()), [], 0)
        self._add(node, _changed(node.generators, 0, none))
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """`known | more` without more."""
        if isinstance(node.op, ast.BitOr):
            self._add(node.right, _set(node, "right", ast.Dict([], [])))
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._function = node.name
        self._body(node.body)
        self._function = ""

    def visit_For(self, node: ast.For) -> None:
        self._body(node.body)

    def visit_If(self, node: ast.If) -> None:
        self._body(node.body)
        self._body(node.orelse)

    def _body(self, body: list[ast.stmt]) -> None:
        for at, each in enumerate(body):
            if _adds(each):
                self._add(each, _changed(body, at, ast.Pass()))
            if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)):
                self.visit(each)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """A key is no place."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._value(node, node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        self._value(node, node.value)

    def _value(self, node: ast.Assign | ast.AnnAssign, value: ast.expr) -> None:
        """Text that is kept for later, or stands below a key."""
        if isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and isinstance(value.value, str)):
            self._add(value, _set(node, "value", ast.Constant("")))
        elif isinstance(value, ast.Tuple) and isinstance(getattr(node, "targets", [None])[0], ast.Tuple):
            self._several(value)
        else:
            self.visit(value)

    def visit_Return(self, node: ast.Return) -> None:
        if isinstance(node.value, ast.Tuple):
            self._several(node.value)
        elif node.value is not None:
            self.visit(node.value)

    def _several(self, node: ast.Tuple) -> None:
        """Values handed on together: blocks among them are empty in turn, none is left out."""
        for at, each in enumerate(node.elts):
            if isinstance(each, ast.Call):
                self._add(each, _changed(node.elts, at, ast.Dict([], [])))
            self.visit(each)


def _adds(node: ast.stmt) -> bool:
    """Whether a statement puts something into what is there."""
    if isinstance(node, ast.AugAssign):
        return isinstance(node.op, ast.Add | ast.BitOr)
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Subscript) for target in node.targets)
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "append"


def _without(members: list[Any], at: int) -> Drop:
    def drop() -> Callable[[], None]:
        gone = members.pop(at)
        return lambda: members.insert(at, gone)

    return drop


def _pair(node: ast.Dict, at: int) -> Drop:
    def drop() -> Callable[[], None]:
        key, value = node.keys.pop(at), node.values.pop(at)

        def undo() -> None:
            node.keys.insert(at, key)
            node.values.insert(at, value)

        return undo

    return drop


def _changed(members: list[Any], at: int, other: object) -> Drop:
    def drop() -> Callable[[], None]:
        original, members[at] = members[at], other

        def undo() -> None:
            members[at] = original

        return undo

    return drop


def _set(node: ast.AST, name: str, other: ast.AST) -> Drop:
    def drop() -> Callable[[], None]:
        original = getattr(node, name)
        setattr(node, name, other)
        return lambda: setattr(node, name, original)

    return drop

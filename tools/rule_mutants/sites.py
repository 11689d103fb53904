"""The conditions of a module, and what each may be changed to.

Found in the syntax tree, not listed by hand: comparisons, `and`, `or`, `not`, `any`, `all`, tests and filters, numbers,
and returns that come early.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tools.rule_mutants.edits import Edit, member, part, without

_OPPOSITES: Final[dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_QUANTIFIERS: Final = {"any": "all", "all": "any"}
_LEAVES: Final = (ast.Return, ast.Continue, ast.Break, ast.Raise)
_SHOWN: Final = 150


@dataclass(frozen=True)
class Site:
    """One change of one condition."""

    tree: ast.Module
    function: str
    """Qualified name of the function that it stands in; empty for the module."""
    starts: int
    """Line on which that function starts, its decorators with it; 0 for the module."""
    line: int
    what: str
    """Function and source before and behind the change, without a line number: other edits do not rename it."""
    edit: Edit


def sites(source: str) -> list[Site]:
    """Every change of every condition of a module."""
    tree = ast.parse(source)
    found = _Finder(tree)
    found.visit(tree)
    return found.found


class _Finder(ast.NodeVisitor):
    """Collects changes; annotations and texts have none."""

    def __init__(self, tree: ast.Module) -> None:
        self.found: list[Site] = []
        self._tree = tree
        self._names: list[str] = []
        self._starts = [0]
        self._seen: dict[str, int] = {}
        self._around: list[ast.AST] = []

    def visit(self, node: ast.AST) -> None:
        self._around.append(node)
        super().visit(node)
        self._around.pop()

    def _add(self, shown: ast.AST, at: ast.AST, edit: Edit, after: str = "") -> None:
        """A change of which `shown` is the smallest part that makes sense."""
        before = _text(shown)
        if not after:
            undo = edit()
            after = _text(shown)
            undo()
        if before == after:
            return
        name = ".".join(self._names)
        what = f"{name}: {_short(before, after)}"
        number = self._seen[what] = self._seen.get(what, 0) + 1
        if number > 1:
            what += f" (no. {number})"
        line = getattr(at, "lineno", getattr(shown, "lineno", 0))
        self.found.append(Site(self._tree, name, self._starts[-1], line, what, edit))

    def _within(self, node: Any, name: str, body: Callable[[], None]) -> None:
        decorators = getattr(node, "decorator_list", [])
        self._names.append(name)
        self._starts.append(min([node.lineno, *(each.lineno for each in decorators)]))
        body()
        self._starts.pop()
        self._names.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        def body() -> None:
            for each in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
                self.visit(each)
            self._body(node.body, last=True)

        self._within(node, node.name, body)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._within(node, "<lambda>", lambda: self.visit(node.body))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._names.append(node.name)
        for each in node.body:
            if isinstance(each, ast.FunctionDef):
                self.visit(each)
        self._names.pop()

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def _body(self, body: list[ast.stmt], *, last: bool = False) -> None:
        for at, each in enumerate(body):
            ends = last and at == len(body) - 1
            if isinstance(each, _LEAVES) and not ends and not (isinstance(each, ast.Return) and at == 0 and last):
                self._add(self._around[-1], each, member(body, at, ast.copy_location(ast.Pass(), each)))
            self.visit(each)

    def visit_If(self, node: ast.If) -> None:
        self._test(node, node)
        self._body(node.body)
        self._body(node.orelse)

    def visit_While(self, node: ast.While) -> None:
        self._test(node, node)
        self._body(node.body)

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        self._body(node.body)
        self._body(node.orelse)

    def visit_Try(self, node: ast.Try) -> None:
        self._body(node.body)
        for each in node.handlers:
            self._body(each.body)
        self._body(node.orelse)

    def visit_With(self, node: ast.With) -> None:
        for each in node.items:
            self.visit(each)
        self._body(node.body)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._test(node, node)
        self.visit(node.body)
        self.visit(node.orelse)

    def _test(self, node: ast.If | ast.While | ast.IfExp, shown: ast.AST) -> None:
        if not isinstance(node.test, ast.Compare | ast.UnaryOp):
            self._add(node.test if isinstance(node.test, ast.BoolOp) else shown, node.test, _negated(node, "test"))
        self.visit(node.test)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self.visit(node.iter)
        for at, each in enumerate(node.ifs):
            self._add(self._around[-2], each, without(node.ifs, at))
            if not isinstance(each, ast.Compare | ast.UnaryOp):
                self._add(self._around[-2], each, member(node.ifs, at, _not(each)))
            self.visit(each)

    def visit_Compare(self, node: ast.Compare) -> None:
        for at, op in enumerate(node.ops):
            for other in _OPPOSITES[type(op)]:
                self._add(node, node, member(node.ops, at, other()))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        if _has_default(node):
            self.generic_visit(node)
            return
        self._add(node, node, part(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And()))
        for at in range(len(node.values)):
            if len(node.values) > 2:
                self._add(node, node, without(node.values, at))
            else:  # twice the other operand: a node of one is no expression
                other = node.values[1 - at]
                self._add(node, node, part(node, "values", [other, other]), after=_text(other))
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            twice = ast.copy_location(ast.UnaryOp(ast.Not(), node.operand), node)
            self._add(node, node, part(node, "operand", twice))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in _QUANTIFIERS:
            self._add(node, node, part(node.func, "id", _QUANTIFIERS[node.func.id]))
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, int) and not isinstance(node.value, bool):
            shown = next((each for each in self._around[-2::-1] if not isinstance(each, ast.UnaryOp | ast.Slice)), node)
            self._add(shown, node, part(node, "value", node.value + 1))


def _has_default(node: ast.BoolOp) -> bool:
    """`spec.get("taints") or []`: no condition. (What happens where a part is missing, tests/policies asks of all.)"""
    return isinstance(node.op, ast.Or) and ast.unparse(node.values[-1]) in ("{}", "[]", "()", "''", "0")


def _negated(node: ast.AST, name: str) -> Edit:
    return part(node, name, _not(getattr(node, name)))


def _not(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.UnaryOp(ast.Not(), node), node)


def _text(node: ast.AST) -> str:
    """Source of a node; a lone operand of `and` reads as itself, and what a statement decides is its first line."""
    if isinstance(node, ast.comprehension):
        return " ".join(
            [
                "for",
                ast.unparse(node.target),
                "in",
                ast.unparse(node.iter),
                *(f"if {ast.unparse(each)}" for each in node.ifs),
            ]
        )
    return " ".join(ast.unparse(ast.fix_missing_locations(node)).split())


def _short(before: str, after: str) -> str:
    """What differs, with a little of what stands around."""
    if len(before) + len(after) <= _SHOWN:
        return f"{before} -> {after}"
    start = next(
        (at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    start = max(0, start - 30)
    return f"{'…' if start else ''}{before[start : start + 70]} -> {after[start : start + 70]}"

"""Imports and functions of a source file, parsed once however many tests look at them."""

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Import:
    """One `import` or `from … import`; `module` is None for the first, `level` counts the leading dots."""

    line: int
    names: tuple[str, ...]
    module: str | None = None
    level: int = 0


@dataclass(frozen=True)
class Function:
    """A function or method, with its first and last line."""

    name: str
    first: int
    last: int


@dataclass(frozen=True)
class Source:
    """What tests ask of a file; its whole tree would fill the memory of a run."""

    text: str
    imports: tuple[Import, ...]
    functions: tuple[Function, ...]

    def inner_imports(self) -> list[Import]:
        """Imports inside functions."""
        return [
            each
            for each in self.imports
            if any(function.first <= each.line <= function.last for function in self.functions)
        ]


@cache
def source(path: Path) -> Source:
    """Read one file."""
    text = path.read_text("utf-8")
    imports: list[Import] = []
    functions: list[Function] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imports.append(Import(node.lineno, tuple(alias.name for alias in node.names)))
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            imports.append(Import(node.lineno, names, node.module or "", node.level))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.append(Function(node.name, node.lineno, node.end_lineno or node.lineno))
    return Source(text, tuple(imports), tuple(functions))

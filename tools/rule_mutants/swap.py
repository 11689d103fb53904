"""The policy pack with one condition changed, in this process: functions get the changed code, and theirs back."""

import ast
import gc
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from podwright.policies import rules
from tools.rule_mutants.sites import Site

_SKIPPED: Final = ("pack",)
"""How the engine is spoken to, which is no rule."""
Key = tuple[str, str, int, int]
"""A function: file, qualified name, line, and which of several on that line."""


def modules() -> list[ModuleType]:
    """Every module of the pack that rules are made of."""
    found = pkgutil.walk_packages(rules.__path__, f"{rules.__name__}.")
    names = [each.name for each in found if each.name.split(".")[3] not in _SKIPPED]
    return [importlib.import_module(name) for name in names]


class Pack:
    """The functions of the pack that there are, closures among them."""

    def __init__(self) -> None:
        self.modules = modules()
        files = {str(each.__file__) for each in self.modules}
        self._functions: dict[Key, list[FunctionType]] = {}
        codes = {each.__file__: dict(_codes(_compiled(each))) for each in self.modules}
        for found in gc.get_objects():
            if isinstance(found, FunctionType) and found.__code__.co_filename in files:
                self._functions.setdefault(_key(found.__code__, codes[found.__code__.co_filename]), []).append(found)
        self._remembering = [
            each for module in self.modules for each in vars(module).values() if hasattr(each, "cache_clear")
        ]

    def functions(self, module: ModuleType) -> set[tuple[str, int]]:
        """File and first line of each function of a module."""
        return {(key[0], key[2]) for key in self._functions if key[0] == module.__file__}

    @contextmanager
    def changed(self, module: ModuleType, site: Site) -> Iterator[None]:
        """The pack with one condition of a module changed; ValueError where a change cannot be made in place."""
        undo = site.edit()
        try:
            code = compile(site.tree, str(module.__file__), "exec", dont_inherit=True)
            with self._constants(module, site) if not site.function else self._swapped(code):
                self._forget()
                yield
        finally:
            undo()
            self._forget()

    def _forget(self) -> None:
        for each in self._remembering:
            each.cache_clear()

    @contextmanager
    def _swapped(self, code: CodeType) -> Iterator[None]:
        before: list[tuple[FunctionType, CodeType]] = []
        try:
            for key, other in _codes(code):
                for function in self._functions.get(key, ()):
                    if function.__code__ != other:
                        before.append((function, function.__code__))
                        function.__code__ = other
            yield
        finally:
            for function, original in before:
                function.__code__ = original

    @contextmanager
    def _constants(self, module: ModuleType, site: Site) -> Iterator[None]:
        """What modules call by the same name and is the same object, worked out anew."""
        name, value = _assigned(module, site)
        original = vars(module)[name]
        holders = [each for each in self.modules if vars(each).get(name) is original]
        try:
            for each in holders:
                setattr(each, name, value)
            yield
        finally:
            for each in holders:
                setattr(each, name, original)


def _assigned(module: ModuleType, site: Site) -> tuple[str, Any]:
    """Name and changed value of the constant that a change of a module is in."""
    for each in site.tree.body:
        if not isinstance(each, ast.AnnAssign | ast.Assign) or each.value is None:
            continue
        target = each.target if isinstance(each, ast.AnnAssign) else each.targets[0]
        if isinstance(target, ast.Name) and each.lineno <= site.line <= (each.end_lineno or 0):
            value = compile(ast.fix_missing_locations(ast.Expression(each.value)), "<mutant>", "eval")
            return target.id, eval(value, dict(vars(module)))  # noqa: S307 - the module's own line
    raise ValueError("no constant")


def _compiled(module: ModuleType) -> CodeType:
    return compile(inspect.getsource(module), str(module.__file__), "exec", dont_inherit=True)


def _codes(code: CodeType) -> Iterator[tuple[Key, CodeType]]:
    """Every function's code below a module's."""
    counts: dict[tuple[str, str, int], int] = {}

    def below(outer: CodeType) -> Iterator[tuple[Key, CodeType]]:
        for each in outer.co_consts:
            if isinstance(each, CodeType):
                place = (each.co_filename, each.co_qualname, each.co_firstlineno)
                number = counts[place] = counts.get(place, -1) + 1
                yield (*place, number), each
                yield from below(each)

    yield from below(code)


def _key(code: CodeType, known: dict[Key, CodeType]) -> Key:
    place = (code.co_filename, code.co_qualname, code.co_firstlineno)
    several = [key for key in known if key[:3] == place]
    return next((key for key in several if known[key] == code), (*place, 0))

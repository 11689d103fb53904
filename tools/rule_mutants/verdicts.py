"""Every mutant of the pack's conditions, and the case that turns red for it."""

import random
import re
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Final

import pytest
import yaml

from tools.rule_mutants.checks import Check, checks
from tools.rule_mutants.sites import Site, sites
from tools.rule_mutants.swap import Pack

_LONGEST: Final = 10.0
"""Seconds of the processor after which a case that does not end counts as noticing its mutant; of one that takes long
of the unchanged pack `_TIMES` as many as that, or every mutant that it meets would count."""

_TIMES: Final = 3
_AGAIN: Final = 1.0
"""Seconds after which it is ended once more: what is raised within a finalizer is printed, and ends nothing."""


@dataclass(frozen=True)
class Verdict:
    """One mutant and what became of it."""

    file: str
    line: int
    what: str
    red: str
    """The case that turns red; empty where none does."""
    harmless: int | None = None
    """Position of the entry in `harmless.yaml` that says why none has to."""

    @property
    def survives(self) -> bool:
        """Nothing turns red, and nothing says why it should not."""
        return not self.red and self.harmless is None

    @property
    def subject(self) -> str:
        """What the rules of its file are about: a key of `LEAST`."""
        stem = self.file.removesuffix(".py")
        return "Kubernetes" if stem in ABOUT_KUBERNETES else "servers" if stem.startswith("servers/") else "switches"

    @property
    def name(self) -> str:
        """File, function and change, without the line."""
        return f"{self.file} {self.what}"


HARMLESS: Final = Path(__file__).with_name("harmless.yaml")
LEAST: Final = {"Kubernetes": 0.95, "servers": 0.95, "switches": 0.95}
"""Of the mutants that change an answer, the share that a case notices, by what the rules are about."""
ABOUT_KUBERNETES: Final = (
    "apart", "autoscaling", "capacity", "claims", "clusters", "data_science", "engines", "gateway", "gpu_driver",
    "gpu_runtimes", "gpus", "guides", "host_networks", "images", "initiators", "keys", "kubelet", "kubernetes",
    "launch", "law", "lost_nodes", "memory", "mesh", "nics", "objects", "operators", "overlays", "platform",
    "priorities", "rdma", "rule", "scheduling", "serving", "templates", "tenants", "tolerations", "train_jobs",
    "training_pools", "waiting", "workloads",
)  # fmt: skip
"""Files of rules about Kubernetes objects, and of what these share."""


@cache
def entries() -> tuple[dict[str, Any], ...]:
    """Entries of `harmless.yaml`: `mutants` and `why`."""
    return tuple(yaml.safe_load(HARMLESS.read_text("utf-8")))


def excuse(name: str) -> int | None:
    """Position of the first entry that excuses a mutant of this name."""
    found = (at for at, entry in enumerate(entries()) if any(re.search(each, name) for each in entry["mutants"]))
    return next(found, None)


class HangsError(Exception):
    """A mutant that does not end."""


def every(pack: Pack) -> list[tuple[ModuleType, Site]]:
    """Every mutant there is."""
    return [(module, site) for module in pack.modules for site in sites(Path(str(module.__file__)).read_text("utf-8"))]


def verdicts(only: Sequence[str], chance: random.Random, most: int | None = None) -> Iterator[Verdict]:
    """Mutants of the files `only`, or of all, each judged; `most` of them, if given, drawn by `chance`."""
    pack = Pack()
    asked = checks(devices=not set(only) <= set(ABOUT_KUBERNETES) or not only)
    found = [each for each in every(pack) if not only or _stem(each[0]) in only]
    if most is not None and most < len(found):
        found = chance.sample(found, most)
    last: dict[ModuleType, list[Check]] = {}
    for module, site in found:
        near = last.setdefault(module, _near(pack, module, asked))
        yield _judge(pack, module, site, near)


def _stem(module: ModuleType) -> str:
    """File below the pack's folder, without its ending."""
    return str(module.__file__).rpartition("/policies/rules/")[2].removesuffix(".py")


def _near(pack: Pack, module: ModuleType, asked: Sequence[Check]) -> list[Check]:
    """Questions that need a module, short ones first: a mutant is mostly noticed by one of these."""
    functions = pack.functions(module)
    return sorted((each for each in asked if each.touched & functions), key=lambda each: each.seconds)


def _judge(pack: Pack, module: ModuleType, site: Site, near: list[Check]) -> Verdict:
    place = (str(module.__file__), site.starts)
    asked = [each for each in near if not site.function or place in each.touched]
    file = str(module.__file__).rpartition("/policies/rules/")[2]
    red = ""
    try:
        with pack.changed(module, site):
            found = next((each for each in asked if _red(each)), None)
    except ValueError:  # a change that cannot be made in place
        return Verdict(file, site.line, site.what, "")
    if found is not None:
        red = found.name
        near.remove(found)
        near.insert(0, found)
    made = Verdict(file, site.line, site.what, red)
    return made if red else replace(made, harmless=excuse(made.name))


def _red(check: Check) -> bool:
    """Whether a case notices the change. Each has its own time: many that notice nothing are not one that hangs."""
    try:
        with _bounded(longest(check)):
            return not check.passes()
    except (Exception, HangsError, pytest.fail.Exception):  # noqa: BLE001 - whatever a changed rule may do
        return True


def longest(check: Check) -> float:
    """Seconds of the processor that a case has, changed pack or not."""
    return max(_LONGEST, _TIMES * check.seconds)


@contextmanager
def _bounded(seconds: float) -> Iterator[None]:
    """The processor's time, not the clock's: what else runs on a machine makes no mutant noticed."""

    def ended(_: int, __: FrameType | None) -> None:
        raise HangsError

    before = signal.signal(signal.SIGPROF, ended)
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)

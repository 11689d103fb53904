"""The committed table of findings in manifests of other projects, each with the reason why it is right."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import yaml

from tests.policies.third_party import found, reading
from tests.policies.third_party.reading import HERE, File

FINDINGS: Final = HERE / "findings.tsv"
REASONS: Final = HERE / "reasons.yaml"


@dataclass(frozen=True)
class Reason:
    """Why findings of a rule are right."""

    rule: str
    finds: str
    why: str

    def covers(self, rule: str, message: str) -> bool:
        """Whether a finding is one of those."""
        return rule == self.rule and re.fullmatch(self.finds, message) is not None


@dataclass(frozen=True)
class Row:
    """A finding: the number of its reason (0: none), its rule, where it is."""

    reason: int
    rule: str
    file: File
    message: str

    def line(self) -> str:
        """As the table has it."""
        return "\t".join((str(self.reason), self.rule, self.file.module, self.file.path, self.message))


@cache
def reasons() -> tuple[Reason, ...]:
    """Reasons in the order of their numbers, which begin with 1."""
    return tuple(Reason(**each) for each in yaml.safe_load(REASONS.read_text(encoding="utf-8")))


def committed() -> list[Row]:
    """The table."""
    rows = (line.split("\t") for line in FINDINGS.read_text(encoding="utf-8").splitlines())
    return [Row(int(number), rule, File(module, path), message) for number, rule, module, path, message in rows]


def rows(file: File, written: str) -> Iterator[Row]:
    """What the rules find in one manifest."""
    for rule, message in found.findings(reading.resources(file, written)):
        number = next((at for at, each in enumerate(reasons(), 1) if each.covers(rule, message)), 0)
        yield Row(number, rule, file, message)


def evaluated(cached: Path, files: Iterable[File]) -> list[Row]:
    """What the rules find in all of them, in the order of rules."""
    every = [row for file in files for row in rows(file, reading.text(cached, file))]
    return sorted(every, key=lambda row: (row.rule, row.reason))

"""What `podwright check` finds in stack files, as a SARIF log: problems, what is left open, waivers that end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final

from podwright.cli.review import sarif as log
from podwright.cli.review.findings import Places
from podwright.cli.review.waivers import waivers
from podwright.components import model
from podwright.components.model import advisory
from podwright.components.model.problems import Loc, Position, Problem, dotted
from podwright.policies.rules.rule import RuleText
from podwright.policies.rules.waivers import ENDS

_KEYS: Final = "docs/reference/stack.md"
VALID: Final = RuleText(
    id="stack-file-can-be-built",
    title="A stack file is well formed and coherent",
    why="What contradicts itself, or what no device could take, stops before a device is reached.",
    fix="Write what the problem's hint says.",
    reference=_KEYS,
    severity="high",
)
OPEN: Final = RuleText(
    id="stack-file-leaves-nothing-open",
    title="A stack file leaves nothing unchecked or unprotected",
    why="It can be built as it is; what is open then shows on the day on which it is needed.",
    fix="Write what the sentence says, or leave it open knowingly.",
    reference=_KEYS,
    severity="low",
    mandatory=False,
)
RULES: Final = (VALID, OPEN, ENDS)


@dataclass(frozen=True)
class Result:
    """One thing that is found in a stack file."""

    rule: RuleText
    path: Path
    message: str
    loc: Loc = ()
    position: Position | None = None


@dataclass
class Checked:
    """Everything that is found in some files."""

    results: list[Result] = field(default_factory=list)

    def refused(self, path: Path, problems: Iterable[Problem]) -> None:
        """Take the problems of a file that cannot be built."""
        for each in problems:
            also = f" (also: {', '.join(map(dotted, each.also))})" if each.also else ""
            hint = f"\nhint: {each.hint}" if each.hint else ""
            what = f"{dotted(each.loc)}: {each.message}" if each.loc else each.message
            self.results.append(Result(VALID, path, f"{what}{also}{hint}", each.loc, each.position))

    def passed(self, path: Path, cluster: model.Cluster, where: Places, day: date) -> None:
        """Take what is open in a file that can be built; `where` is the place of each of its values."""
        for sentence in advisory.findings(cluster):
            self.results.append(Result(OPEN, path, sentence, ("name",), where(("name",))))
        for number, each in enumerate(waivers(cluster)):
            if sentence := each.ending(day):
                loc: Loc = ("waivers", number)
                self.results.append(Result(ENDS, path, sentence, loc, where(loc)))

    def sarif(self) -> str:
        """A SARIF 2.1.0 log with one run for all of the files."""
        return log.log("podwright check", [log.rule(each, ("stack-file",)) for each in RULES], self._results())

    def _results(self) -> Iterator[Mapping[str, Any]]:
        for each in self.results:
            yield {
                "ruleId": each.rule.id,
                "ruleIndex": RULES.index(each.rule),
                "level": log.LEVELS[each.rule.severity],
                "message": {"text": each.message},
                "locations": [log.place(each.path, each.position)],
                "relatedLocations": [],
                "partialFingerprints": {"finding/v1": f"{each.rule.id}:{dotted(each.loc)}:{each.message}"},
            }

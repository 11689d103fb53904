"""What a suite has run so far, kept in `.run/soak/<suite>.json` after every run."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass
class Failure:
    """A seed that failed and the end of what pytest printed."""

    seed: int
    printed: str


@dataclass
class Progress:
    """Runs of one suite from a first seed on: seeds `first` to `first + runs - 1` are done, `seconds` were spent."""

    first: int
    runs: int = 0
    seconds: float = 0.0
    failures: list[Failure] = field(default_factory=list)

    @property
    def next(self) -> int:
        """The seed that comes next."""
        return self.first + self.runs

    def sentence(self, cases: int = 1, unit: str = "runs") -> str:
        """Runs, what they come to with so many `cases` each, seeds, hours and failures in a line."""
        seeds = f"seeds {self.first} to {self.next - 1}" if self.runs else "no seed yet"
        failed = ", ".join(str(failure.seed) for failure in self.failures) or "none"
        counted = f" of {cases} {unit} ({self.runs * cases})" if cases > 1 else ""
        return f"{self.runs} runs{counted}, {seeds}, {self.seconds / 3600:.2f} h, failed seeds: {failed}"


class Record:
    """The file of one suite: a `Progress` for each first seed, the latest last."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._all: dict[int, Progress] = {}
        if file.exists():
            for each in json.loads(file.read_text()):
                failures = [Failure(**failure) for failure in each.pop("failures")]
                self._all[each["first"]] = Progress(**each, failures=failures)

    def resume(self, first: int | None) -> Progress:
        """The progress from that first seed, or the latest; begun if there is none."""
        if first is None:
            first = next(reversed(self._all), 1)
        progress = self._all.pop(first, Progress(first))
        self._all[first] = progress
        return progress

    def save(self) -> None:
        """Write everything; a reader sees the old file or the new one."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        draft = self.file.with_suffix(".draft")
        draft.write_text(json.dumps([asdict(each) for each in self._all.values()], indent=1) + "\n")
        draft.replace(self.file)

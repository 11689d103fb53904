"""What is mutated: the switches of an example, linted as a plan; published configurations, linted as found."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from podwright.cli.lint import judge
from tools.ground_truth import captures
from tools.ground_truth.paste import OLDEST
from tools.lint_mutants.rack import Rack, Racked
from tools.mutants import gates

Found = frozenset[tuple[str, str]]
"""Rule and sentence of findings."""


class Site(Protocol):
    """Switches with their texts, a lab of them, and the lint."""

    name: str
    roles: Mapping[str, str]
    """What a switch is, by name: switches of one role look alike."""

    @property
    def rack(self) -> Rack:
        """The lab, as it stands unmutated."""

    def findings(self, changed: Mapping[str, str]) -> Found:
        """What the lint finds when these switches have other texts."""


class Planned:
    """The switches of an example."""

    def __init__(self, example: gates.Example) -> None:
        self.name = example.name
        self._example = example
        self.roles: Mapping[str, str] = {each.hostname: each.role for each in example.switches}

    @cached_property
    def rack(self) -> Rack:
        """The lab, with every cable of the plan."""
        return Rack(
            {
                each.hostname: Racked(
                    each.model,
                    "10.5(3)",
                    str(each.management),
                    self._example.texts[each.hostname],
                    {port: (end.device, end.port) for port, end in each.links.items()},
                )
                for each in self._example.switches
            },
            "layer2-up",
        )

    def findings(self, changed: Mapping[str, str]) -> Found:
        """What the rules of the policy pack find."""
        own = {each.hostname: each for each in self._example.switches}
        made = {name: gates.planned(own[name], gates.config(text)) for name, text in changed.items()}
        return frozenset(gates.findings(list((self._example.devices | made).values())))


class Published:
    """Running configurations below a folder, all of one site."""

    def __init__(self, folder: Path) -> None:
        self.name = "published"
        self._texts = {each.path.stem: each for each in captures.read(folder)}
        self._names = {_hostname(each.lines): stem for stem, each in self._texts.items()}
        self.roles: Mapping[str, str] = {name: name.rstrip("0123456789") for name in self._names}

    @cached_property
    def rack(self) -> Rack:
        """The lab: cables as the lint finds them, a server at every other port that is up."""
        with self._files({}) as folder:
            devices = [each.device for each in judge.read(sorted(Path(folder).iterdir())).configurations]
        racked: dict[str, Racked] = {}
        for device in devices:
            links = {port: (end.device, end.port) for port, end in device.links.items()}
            hosts = {name: ("host", name) for name, port in device.ports.items() if port.physical and not port.down}
            each = self._texts[self._names[device.name]]
            text = "\n".join(each.lines) + "\n"
            management = device.port("mgmt0").value("address").partition("/")[0]
            racked[device.name] = Racked(each.model, each.release or OLDEST, management, text, hosts | links)
        return Rack(racked, "routed-shut")

    def findings(self, changed: Mapping[str, str]) -> Found:
        """What `podwright lint` finds in all of them together."""
        with self._files(changed) as folder:
            found = judge.judge(judge.read(sorted(Path(folder).iterdir())))
            return frozenset((each.rule.id, text) for each in found for text in (each.flaw.message, *each.more))

    def _files(self, changed: Mapping[str, str]) -> TemporaryDirectory[str]:
        folder = TemporaryDirectory(prefix="lint-mutants-")
        for name, stem in self._names.items():
            text = changed.get(name) or "\n".join(self._texts[stem].lines) + "\n"
            (Path(folder.name) / f"{stem}.txt").write_text(text)
        return folder


def _hostname(lines: tuple[str, ...]) -> str:
    return next(line.split()[1] for line in lines if line.startswith("hostname "))


def planned() -> Iterator[Planned]:
    """Every example that the lint finds clean."""
    yield from (Planned(each) for each in gates.examples() if not each.known)

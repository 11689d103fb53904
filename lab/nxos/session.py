"""One CLI session: prompt, mode stack, typed lines in, device text out."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from podwright.lab.nxos import accounting, authority, configure, filters, help
from podwright.lab.nxos.change import Place
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.refusal import RefusedError
from podwright.lab.nxos.syntax import INVALID, Failure, Token, tokens
from podwright.lab.nxos.table import Found, table

log = logging.getLogger("lab.nxos")


class CutError(Exception):
    """The session ends without a word: a fault cut it, or the switch reloads."""


def _message(refusal: RefusedError, prompt: str) -> str:
    caret = "" if refusal.column is None else " " * (len(prompt) + refusal.column) + "^\n"
    return f"{caret}{refusal.message}\n"


@dataclass
class Session:
    """State of one terminal. `run` takes a line and returns what the device prints, newline-terminated."""

    device: Device
    user: str = "admin"
    terminal: str = "console0"
    """Where the user sits, as the accounting log has it."""
    places: list[Place] = field(default_factory=list)
    length: int = 24
    dont_ask: bool = False
    quiet: bool = False
    closed: bool = False
    question: Callable[[], str] | None = None
    """What is done when the question that was asked is answered with yes."""
    epoch: int = 0
    """The device's epoch in which `places` were found."""
    _banner: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.epoch = self.device.epoch

    @property
    def mode(self) -> str:
        """Name of the mode the session is in."""
        return self.places[-1].mode if self.places else "exec"

    @property
    def prompt(self) -> str:
        """What the device shows when it waits for a line."""
        if self._banner:
            return ""
        text = table().modes[self.mode].prompt
        if self.mode == "if" and len(self.places[-1].blocks) > 1:
            text = "(config-if-range)"
        elif self.mode == "if" and self.places[-1].blocks[0].line.startswith("interface nve"):
            text = "(config-if-nve)"
        mark = "(maint-mode)" if self.device.in_maintenance else ""
        return f"{self.device.hostname}{mark}{text}# "

    def run(self, line: str) -> str:
        """Take one typed line. Raises CutError when a fault ends the session."""
        with self.device.lock:
            self.device.tick()
            self._stand()
            prompt = self.prompt
            try:
                return self._take(line)
            except RefusedError as refusal:
                if self.places:
                    accounting.note(self.device, self.user, self.terminal, self.places, line, taken=False)
                return _message(refusal, prompt)

    @property
    def helps(self) -> bool:
        """Whether `?` and Tab are asked of the parser here: not in free text, nor behind a question."""
        return not (self._banner or self.question or self.mode in configure.FREE_TEXT)

    def hint(self, typed: str) -> str:
        """What a `?` behind the typed part of a line prints."""
        with self.device.lock:
            self._stand()
            try:
                return help.question(self.device, self.places, typed)
            except RefusedError as refusal:
                return _message(refusal, self.prompt)

    def complete(self, typed: str) -> tuple[str, str]:
        """The line after a Tab, and what the Tab prints."""
        with self.device.lock:
            self._stand()
            return help.completed(self.device, self.places, typed)

    def _stand(self) -> None:
        """Find the blocks again in which the session stands, when the configuration was replaced below it."""
        if self.epoch != self.device.epoch:
            self.epoch = self.device.epoch
            self.places = configure.found_again(self.places)

    def _take(self, line: str) -> str:
        if self._banner:
            return self._banner_line(line)
        if self.question:
            return self._answered(line)
        text = self._comment(line)
        if not text.strip():
            return ""
        cut = self._faults(text)
        if text.split()[:2] == ["banner", "motd"] and text.rstrip().count(text.split()[2][0]) < 2:
            self._banner = [text]
            return ""
        command, _, pipe = text.partition(" | ")
        typed = tokens(command)
        found, places = self._search(typed, command), list(self.places)
        output = self._do(*found, typed, pipe)
        accounting.note(self.device, self.user, self.terminal, places[: found[2]], command)
        if cut:
            raise CutError
        return output

    def _comment(self, line: str) -> str:
        """Lines that start with ! or # are comments."""
        return "" if line.lstrip()[:1] in ("!", "#") else line.rstrip()

    def _banner_line(self, line: str) -> str:
        delimiter = self._banner[0].split()[2][0]
        self._banner.append(line)
        if delimiter not in line:
            return ""
        text = "\n".join(self._banner)
        self._banner = []
        head = text.index(delimiter)
        motd = text[head : text.rindex(delimiter) + 1]
        found = self._search(tokens("banner motd x"), "banner motd x")
        found[0].match.values["text"] = motd
        return self._do(*found, [], "")

    def _faults(self, line: str) -> bool:
        """Misbehave as ordered; True when the line is to be carried out and its answer lost."""
        faults = self.device.faults
        if faults.reload_after is not None:
            faults.reload_after -= 1
            if faults.reload_after < 0:
                faults.reload_after = None
                self.reload()
        if faults.cut_after is not None:
            if faults.cut_after <= 0:
                faults.cut_after = None
                if faults.cut_taken:
                    return True
                raise CutError
            faults.cut_after -= 1
        for part, message in faults.refuse.items():
            if part in line:
                raise RefusedError(message)
        authority.judge(self.device, self.user, line, bool(self.places))
        return False

    def _search(self, typed: list[Token], command: str) -> tuple[Found, bool, int]:
        """The row that takes the line, whether it is negated, and at which depth of the mode stack it was found."""
        failure = Failure()
        ends = ("exit", "end", "end-job", "configure terminal")
        free = self.mode in configure.FREE_TEXT and command.strip() in ends[: 3 if self.mode == "job" else 4]
        for depth in range(0 if free else len(self.places), 0, -1):
            hit = configure.find(self.device, self.places[depth - 1], typed, failure)
            if hit is not None:
                return (*hit, depth)
        found = table().find("exec", typed, failure, self.device.usable)
        if found is not None:
            return found, False, 0
        at = failure.at
        column = typed[at].column if at < len(typed) else len(command.rstrip())
        raise RefusedError(failure.message or INVALID, column)

    def _do(self, found: Found, negate: bool, depth: int, typed: list[Token], pipe: str) -> str:
        if depth == 0:
            output = self.device.commands.handlers[str(found.command.do)](self, found)
            return filters.apply(output, found, pipe) if pipe else output.text()
        log.debug("%s: %s", self.device.switch.name, " ".join(t.text for t in typed))
        question = configure.question(self.device, self.places[depth - 1], found, negate)
        if question:
            return self.ask(question, lambda: self._configure(found, negate, depth))
        return self._configure(found, negate, depth)

    def configure(self) -> None:
        """Stand in global configuration mode."""
        self.places = [Place("config", (self.device.root,))]

    def type(self, line: str) -> str:
        """Take a line that the box itself types: no fault and no authorisation stands in its way."""
        try:
            return self._do(*self._search(tokens(line), line), tokens(line), "")
        except RefusedError as refusal:
            return f"{refusal.message}\n"

    def _configure(self, found: Found, negate: bool, depth: int) -> str:
        self.device.typist = self.user
        entered, answer = configure.take(self.device, self.places[:depth], found, negate)
        self.places = self.places[:depth] + ([entered] if entered else [])
        return answer

    def ask(self, question: str, then: Callable[[], str]) -> str:
        """Ask y/n before `then`; with `terminal dont-ask` the answer is yes."""
        if self.dont_ask:
            return then()
        self.question = then
        return question

    def _answered(self, line: str) -> str:
        then, self.question = self.question, None
        return then() if then and line.strip().lower() in ("y", "yes") else ""

    def reload(self) -> str:
        """Restart the switch; the session dies with it."""
        self.device.reload()
        raise CutError

"""Programs that start the processes of a training job's member: which one a command runs, and the options it is given.

After the launchers' own parsers: pytorch/pytorch, torch/distributed/run.py, and huggingface/accelerate,
src/accelerate/commands/launch.py.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

TORCH: Final = "torchrun"
ACCELERATE: Final = "accelerate launch"
MASKED: Final = 1
"""What both end with whatever code their processes ended with: the error of a child is raised, and nothing catches it
(torch/distributed/elastic/multiprocessing/errors/__init__.py: record)."""
_PYTHON: Final = re.compile(r"python(3(\.\d+)?)?")
_MODULES: Final[Mapping[str, str]] = {
    "torch.distributed.run": TORCH,
    "torch.distributed.launch": TORCH,
    "accelerate.commands.launch": ACCELERATE,
}
_FLAGS: Final = frozenset({"standalone", "module", "m", "no-python", "run-path", "use-env"})
"""Options of torchrun without a value."""


@dataclass(frozen=True)
class Launch:
    """A launcher in a command."""

    launcher: str
    """torchrun or accelerate launch."""
    head: tuple[str, ...]
    """The words up to it."""
    rest: tuple[str, ...]
    """Its options, the program that it starts, and that program's arguments."""
    options: Mapping[str, str]
    """By name with dashes; empty for one without a value."""


def program(command: Sequence[str]) -> str:
    """Name of the first word's file."""
    return command[0].rsplit("/", 1)[-1] if command else ""


def launch(command: Sequence[str]) -> Launch | None:
    """The launcher that a command's first words name; None for any other program, a shell among them."""
    words, name = tuple(command), program(command)
    if name == "torchrun":
        return _of(TORCH, words, 1)
    if name == "accelerate-launch":
        return _of(ACCELERATE, words, 1)
    if name == "accelerate" and words[1:2] == ("launch",):
        return _of(ACCELERATE, words, 2)
    if _PYTHON.fullmatch(name):
        at = next((number for number, word in enumerate(words[1:], 1) if word == "-m" or word[:1] != "-"), 0)
        if at and words[at] == "-m" and (found := _MODULES.get("".join(words[at + 1 : at + 2]))):
            return _of(found, words, at + 2)
    return None


def _of(launcher: str, words: tuple[str, ...], count: int) -> Launch:
    rest = words[count:]
    return Launch(launcher, words[:count], rest, _torch(rest) if launcher == TORCH else _accelerate(rest))


def _name(word: str) -> str:
    return word.lstrip("-").replace("_", "-")


def _torch(words: Sequence[str]) -> dict[str, str]:
    """Options before the program: a word that is no option, and no value of one, is the program."""
    found, waiting = {}, ""
    for word in words:
        if waiting:
            found[waiting], waiting = word, ""
        elif not word.startswith("-"):
            break
        else:
            name, given, value = word.partition("=")
            if given or _name(name) in _FLAGS:
                found[_name(name)] = value
            else:
                waiting = _name(name)
    return found


def _accelerate(words: Sequence[str]) -> dict[str, str]:
    """Options up to the first script: which of its many options take a value is not looked up."""
    end = next((number for number, word in enumerate(words) if word.endswith(".py")), len(words))
    own = words[:end]
    found = {}
    for number, word in enumerate(own):
        if word.startswith("-"):
            name, given, value = word.partition("=")
            after = "".join(own[number + 1 : number + 2])
            found[_name(name)] = value if given or after.startswith("-") else after
    return found

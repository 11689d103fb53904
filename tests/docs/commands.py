"""The commands of a page, in fenced blocks by kind.

`console test` is offline, `console e2e` needs a lab, and `console wheel` is for a person who installed the wheel.
"""

import os
import re
import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from podwright.toolchain.environment import backend_url
from tests.test_sizes import ROOT

BLOCK = re.compile(r"^( *)```console (\w+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
ELLIPSIS = "…"
_MARK = "::end of command"
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])


@dataclass(frozen=True)
class Command:
    """What is typed, and lines that its answer must hold, in this order."""

    typed: str
    answer: tuple[str, ...]


def commands(page: Path, kinds: Collection[str]) -> list[Command]:
    """Commands of the blocks of these kinds, from top to bottom."""
    found: list[Command] = []
    for indent, kind, text in BLOCK.findall(page.read_text("utf-8")):
        if kind not in kinds:
            continue
        lines = [line.removeprefix(indent) for line in text.splitlines()]
        for each in re.split(r"^\$ ", "\n".join(lines), flags=re.MULTILINE)[1:]:
            typed: list[str] = []
            rest = each.splitlines()
            while rest and (not typed or _goes_on(typed)):
                typed.append(rest.pop(0))
            answer = (line.strip() for line in rest if line.strip() not in ("", ELLIPSIS))
            found.append(Command("\n".join(typed), tuple(answer)))
    return found


def _goes_on(typed: Sequence[str]) -> bool:
    """The last line ends in a backslash, or a here-document that ends with END is open."""
    return typed[-1].endswith("\\") or ("<<'END'" in typed[0] and typed[-1].strip() != "END")


def project(folder: Path) -> Path:
    """A folder that looks like the clone to a command, and whose stack files a command may change."""
    clone = folder / "podwright"
    clone.mkdir()
    for path in ROOT.iterdir():
        if path.suffix in (".yaml", ".py") or path.name == "Makefile":
            kept = (line for line in path.read_text("utf-8").splitlines(True) if not line.startswith("encryptionsalt"))
            (clone / path.name).write_text("".join(kept), "utf-8")  # the salt belongs to the demo's passphrase
        elif path.name not in (".git", ".run"):
            (clone / path.name).symlink_to(path)
    return clone


def environ(folder: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """A shell of somebody who activated the environment and has a backend and a passphrase of their own."""
    (folder / "backend").mkdir(exist_ok=True)
    (folder / "home").mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PODWRIGHT_CACHE", "LANG", "PIP_"))}
    cache = os.environ.get("PODWRIGHT_CACHE") or str(Path.home() / ".cache" / "podwright")
    return {
        **kept,
        "PATH": f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}",
        "HOME": str(folder / "home"),
        "PODWRIGHT_CACHE": cache,
        "PULUMI_BACKEND_URL": backend_url(folder / "backend"),
        "PULUMI_CONFIG_PASSPHRASE": "a passphrase of this test",
        "PULUMI_SKIP_CONFIRMATIONS": "true",
        "COLUMNS": "160",
        **(more or {}),
    }


def follow(steps: Sequence[Command], cwd: Path, env: Mapping[str, str], timeout: float) -> list[str]:
    """Type the commands into one shell; what is wrong with the answers. Stops at the first command that fails."""
    script = "\n".join(f"{step.typed}\necho; echo '{_MARK}'" for step in steps)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=cwd,
        env=dict(env),
        text=True,
        capture_output=True,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    answers = done.stdout.split(f"{_MARK}\n")
    if done.returncode:
        at = min(len(answers) - 1, len(steps) - 1)
        return [f"$ {steps[at].typed}: exit {done.returncode}\n{answers[at][-3000:]}\n{done.stderr[-3000:]}"]
    return [problem for step, answer in zip(steps, answers, strict=False) for problem in _missing(step, answer)]


def _missing(step: Command, answer: str) -> list[str]:
    """The first expected line that does not follow the one before it; `…` within a line stands for anything."""
    lines = iter(" ".join(line.split()) for line in answer.splitlines())
    for expected in step.answer:
        pattern = ".*".join(re.escape(part.strip()) for part in " ".join(expected.split()).split(ELLIPSIS))
        if not any(re.search(pattern, line) for line in lines):
            return [f"$ {step.typed}: no line {expected!r} in\n{answer[-3000:]}"]
    return []

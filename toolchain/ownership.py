"""The demo's backend and passphrase serve the lab's stack and no other."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from podwright.toolchain.environment import STACK, is_the_demos
from podwright.toolchain.errors import SetupError
from podwright.toolchain.keys import CLONE

_BY_POSITION = {("stack", verb) for verb in ("init", "select", "rm", "rename")}
"""Commands that take a stack's name as their first word; the others take --stack."""
_WITH_A_VALUE = {"-C", "--cwd", "--color", "--profiling", "--tracing", "--otel-traces", "-v", "--verbose"}
"""Options that may stand before a command's words and take one of their own."""


def named_stack(words: Sequence[str]) -> str | None:
    """The stack that a `pulumi` command line names, without organisation and project; None if it names none."""
    named, plain, skip = None, [], False
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if skip:
            skip = False
        elif word in {"--stack", "-s"}:
            named, skip = following, True
        elif word.startswith("--stack="):
            named = word.partition("=")[2]
        elif word.startswith("-s") and not word.startswith("--") and len(word) > 2:
            named = word[2:].removeprefix("=")
        elif word in _WITH_A_VALUE:
            skip = True
        elif not word.startswith("-"):
            plain.append(word)
    if named is None and tuple(plain[:2]) in _BY_POSITION and len(plain) > 2:
        named = plain[2]
    return named.rpartition("/")[2] if named else None


def refuse_foreign_stack(words: Sequence[str], environ: Mapping[str, str], clone: Path = CLONE) -> None:
    """Raise if the command (`pulumi` and its words) is about another stack than the lab's in the demo's backend."""
    if not is_the_demos(environ, clone):
        return
    stack = named_stack(words) or environ.get("PULUMI_STACK", STACK).rpartition("/")[2]
    if stack != STACK:
        raise SetupError(
            f"stack {stack} is refused: no backend is set, and the demo's (.run/state, secrets under a published "
            f"passphrase) is for the stack {STACK} alone",
            "set PULUMI_BACKEND_URL, or log in by `pulumi login`, and PULUMI_CONFIG_PASSPHRASE or _FILE if the backend "
            f"needs one; a plan alone needs none of them: make preview STACK={stack}",
        )

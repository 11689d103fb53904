"""`python3 -m toolchain`: setup, where, env, run, bare, lock."""

import argparse
import os
import shlex
import signal
import sys
import time
from types import FrameType

from podwright.toolchain import crds, front, gosdk, relock
from podwright.toolchain.ansible import Ansible
from podwright.toolchain.bare import bare
from podwright.toolchain.binaries import STEPS
from podwright.toolchain.environment import Whose, shell
from podwright.toolchain.errors import SetupError
from podwright.toolchain.keys import COMMAND, SETUP, cache_root
from podwright.toolchain.progress import clock
from podwright.toolchain.python_env import PythonEnvironment
from podwright.toolchain.pytorch import Torch
from podwright.toolchain.schemas import Schemas
from podwright.toolchain.setup import Setup
from podwright.toolchain.store import Store
from podwright.toolchain.view import current

_INTERRUPTED = 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    setup = verbs.add_parser("setup", help="make ready what the named steps need (default: everything)")
    steps = "; ".join(f"{name}: {step.what}" for name, step in STEPS.items())
    setup.add_argument("steps", nargs="*", metavar="step", help=steps)
    setup.add_argument("--no-wait", action="store_true", help="fail at once if another set-up is running")
    where = verbs.add_parser("where", help="print a folder or program of the set-up")
    where.add_argument("what", choices=("bin", "home", "crds", "python", "ansible", "schemas", "torch", "cache"))
    env = verbs.add_parser("env", help=f'make a shell ready for Pulumi: eval "$({COMMAND} env)"')
    run = verbs.add_parser("run", help="run a command in that environment: run -- pulumi preview ...")
    run.add_argument("command", nargs=argparse.REMAINDER)
    for verb in (env, run):
        verb.add_argument("--demo", action="store_true", help="the demo's backend and passphrase, whatever is set")
    stripped = verbs.add_parser("bare", help="run a command with PATH, HOME, LANG and package-index settings only")
    stripped.add_argument("command", nargs=argparse.REMAINDER)
    lock = verbs.add_parser("lock", help="make requirements.txt and requirements-check.txt anew")
    lock.add_argument("--crds", action="store_true", help="make crds.lock anew instead")
    lock.add_argument("--ansible", action="store_true", help="make requirements-ansible.txt anew instead")
    lock.add_argument("--schemas", action="store_true", help="make requirements-schemas.txt anew instead")
    lock.add_argument("--torch", action="store_true", help="make requirements-torch.txt anew instead")
    return parser


def _setup(names: list[str], *, wait: bool) -> int:
    unknown = [name for name in names if name not in STEPS]
    if unknown:
        raise SetupError(f"there is no step {unknown[0]!r}", f"name one of: {', '.join(STEPS)}")
    started = time.monotonic()
    for name in names or ["all"]:
        setup = Setup(STEPS[name], os.environ, wait=wait)
        setup.check()
        if not setup.ready():
            setup.run()
            sys.stderr.write(f"ready: {setup.step.what} ({clock(time.monotonic() - started)})\n")
    return 0


def _where(what: str) -> int:
    view = current(os.environ)
    root = cache_root(os.environ)
    places = {
        "bin": view.bin,
        "home": view.home,
        "crds": crds.folder(view.store),
        "python": PythonEnvironment(root, os.environ).python,
        "ansible": Ansible(root, os.environ).playbook,
        "schemas": Schemas(root, os.environ).folder,
        "torch": Torch(root, os.environ).torchrun,
        "cache": root,
    }
    sys.stdout.write(f"{places[what]}\n")
    return 0 if places[what].exists() else 1


def _env(owner: Whose | None) -> int:
    ours = shell(os.environ, owner=owner)
    for name in sorted(os.environ.keys() - ours.keys()):
        sys.stdout.write(f"unset {name}\n")
    for name in sorted(name for name in ours if ours[name] != os.environ.get(name)):
        sys.stdout.write(f"export {name}={shlex.quote(ours[name])}\n")
    return 0


def _words(command: list[str]) -> list[str]:
    words = command[1:] if command[:1] == ["--"] else command
    if not words:
        raise SetupError("no command is given", f"for example: {COMMAND} run -- pulumi stack ls")
    return words


def _run(words: list[str], owner: Whose | None) -> int:
    if words[0] == "pulumi":
        front.start(words[1:], os.environ, owner)
    return _become(words, shell(os.environ, owner=owner))


def _become(words: list[str], env: dict[str, str]) -> int:
    try:
        os.execvpe(words[0], words, env)  # noqa: S606 -- the caller's own command line
    except FileNotFoundError as problem:
        raise SetupError(f"{words[0]} is not on PATH", f"if it is part of the set-up, run `{SETUP}`") from problem


def _lock(*, definitions: bool, ansible: bool, schemas: bool, torch: bool) -> int:
    root = cache_root(os.environ)
    python = PythonEnvironment(root, os.environ).python
    if ansible:
        relock.relock_ansible(python, os.environ)
        return 0
    if schemas:
        relock.relock_schemas(python, os.environ)
        return 0
    if torch:
        relock.relock_torch(python, os.environ)
        return 0
    if not definitions:
        relock.relock(python, os.environ)
        return 0
    go = gosdk.on_path(os.environ, root)
    if go is None:
        raise SetupError("there is no Go on PATH", "install Go 1.26 or newer and run this again")
    crds.relock(Store(root), go, python, os.environ)
    return 0


def _terminated(_signal: int, _frame: FrameType | None) -> None:
    # Taken as Ctrl-C is: compilers started by us are ended, finished programs stay.
    raise KeyboardInterrupt


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit status (2: something to be done first, 130: interrupted)."""
    options = _parser().parse_args(arguments)
    for ending in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(ending) is not signal.SIG_IGN:  # as nohup leaves it
            signal.signal(ending, _terminated)
    try:
        match options.verb:
            case "setup":
                return _setup(options.steps, wait=not options.no_wait)
            case "where":
                return _where(options.what)
            case "env":
                return _env(Whose.DEMO if options.demo else None)
            case "run":
                return _run(_words(options.command), Whose.DEMO if options.demo else None)
            case "bare":
                return _become(_words(options.command), bare(os.environ))
            case _:
                return _lock(
                    definitions=options.crds, ansible=options.ansible, schemas=options.schemas, torch=options.torch
                )
    except SetupError as problem:
        sys.stderr.write(f"toolchain: {problem}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("\ntoolchain: stopped; what is finished is kept, the same command goes on from there\n")
        return _INTERRUPTED

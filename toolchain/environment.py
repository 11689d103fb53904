"""The environment that Pulumi runs in: our programs, and either a site's own settings or the demo's.

What a person has set for a site (backend, token, login, passphrase) stays as it is, and nothing of the demo's is added
to it. Where nothing is set, and in the demo itself, state and secrets are the demo's own: a folder of the clone and a
published passphrase, for the lab's stack and no other (`ownership.py`).
"""

import json
import os
import sys
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from urllib.parse import urlsplit

from podwright.toolchain import crds, engine
from podwright.toolchain.keys import CLONE, INSTALLED
from podwright.toolchain.view import View, current

# Published on purpose: it protects only the lab's secrets, which are made anew at every `lab up`.
DEMO_PASSPHRASE = "podwright-demo"  # noqa: S105 -- see above
STACK = "lab"
GARBAGE_PERCENT = "200"
"""How much a heap of a Go program grows before it is swept, in per cent of what lives in it (Go: 100).

The engine and the lab's API server live for minutes. Five drills of routes, with 100 and 200 side by side: 20.6 and
18.3 s of processor time, 0.6 and 0.9 GB in the API server. A site's own shell keeps Go's default.
"""
STATE = ".run/state"
LAB = ".run/lab"

# One of these makes a site of a shell: a backend or the right to one, or what its secrets are encrypted with.
_OF_A_SITE = (
    "PULUMI_BACKEND_URL", "PULUMI_ACCESS_TOKEN", "PULUMI_API", "PULUMI_CONFIG_PASSPHRASE",
    "PULUMI_CONFIG_PASSPHRASE_FILE",
)  # fmt: skip
# Would lead the demo or a test to a person's own state, secrets or organisation.
_FOREIGN = (*_OF_A_SITE, "PULUMI_ORG", "PULUMI_CREDENTIALS_PATH")
# Would put other packages before those of the clone.
_OF_ANOTHER_PYTHON = ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME")


class Whose(Enum):
    """Whose state and secrets a command works on."""

    SITE = "site"
    DEMO = "demo"


def backend_url(folder: Path) -> str:
    """The address of a backend of ours in a folder.

    Without metadata, none is written: a process that is killed can leave an empty `.attrs` beside a state, and then
    every command fails with "failed to load checkpoint: EOF".
    """
    return f"file://{folder.absolute()}?metadata=skip"


def demo_state(clone: Path = CLONE) -> Path:
    """Folder of the demo's backend."""
    return clone / STATE


def is_the_demos(environ: Mapping[str, str], clone: Path = CLONE) -> bool:
    """True if the backend that is set is the demo's of this clone."""
    url = urlsplit(environ.get("PULUMI_BACKEND_URL", ""))
    return url.scheme == "file" and Path(url.path).resolve() == demo_state(clone).resolve()


def whose(environ: Mapping[str, str], clone: Path = CLONE) -> Whose:
    """The site's if a person has set anything for one, a login by `pulumi login` included; else the demo's.

    The demo is the clone's: an installed package works for sites, unless it is told otherwise.
    """
    if is_the_demos(environ, clone):
        return Whose.DEMO
    if INSTALLED:
        return Whose.SITE
    return Whose.SITE if any(environ.get(name) for name in _OF_A_SITE) or _logged_in(environ) else Whose.DEMO


def _logged_in(environ: Mapping[str, str]) -> bool:
    try:
        return bool(json.loads((_credentials(environ) / "credentials.json").read_text()).get("current"))
    except (OSError, ValueError, AttributeError):
        return False


def _credentials(environ: Mapping[str, str]) -> Path:
    named = environ.get("PULUMI_CREDENTIALS_PATH")
    return Path(named) if named else engine.own_home(environ)


def environment(environ: Mapping[str, str], clone: Path = CLONE, state: Path | None = None) -> dict[str, str]:
    """`environ` with our programs on top, private: nothing of a person's own backend, login or secrets.

    `state` is the folder of the file backend (default: the demo's); it is made if absent. The secrets in it are
    encrypted with the demo's published passphrase.
    """
    view = current(environ)
    backend = state if state is not None else demo_state(clone)
    backend.mkdir(parents=True, exist_ok=True)
    env = {name: value for name, value in environ.items() if name not in (*_FOREIGN, "PULUMI_STACK")}
    return env | {
        **_programs(env, view),
        "PATH": _path(environ, view.bin, _scripts(clone)),
        "PULUMI_BACKEND_URL": backend_url(backend),
        "PULUMI_CONFIG_PASSPHRASE": DEMO_PASSPHRASE,
        "GOGC": environ.get("GOGC") or GARBAGE_PERCENT,
        # Beside the state it belongs to, and forgotten with it.
        "PODWRIGHT_STATE": str(backend.absolute() / "installations"),
    }


def shell(environ: Mapping[str, str], clone: Path = CLONE, owner: Whose | None = None) -> dict[str, str]:
    """The environment of `toolchain run` and `env`: a person's own settings, or the demo's where there are none.

    `owner` decides it by hand. The clone's `pulumi` leads PATH: it keeps the demo's backend to the lab's stack.
    """
    chosen = owner or whose(environ, clone)
    view = current(environ)
    if chosen is Whose.DEMO:
        env = environment(environ, clone) | _lab(environ, clone)
        env["PULUMI_STACK"] = environ.get("PULUMI_STACK") or STACK
    else:
        env = {name: value for name, value in environ.items() if name not in _OF_ANOTHER_PYTHON}
        env |= _programs(env, view) | {"PULUMI_CREDENTIALS_PATH": str(_credentials(environ))}
    return env | {"PATH": _path(environ, _scripts(clone), view.bin)}


def _scripts(clone: Path) -> Path:
    """Where the console scripts of this package are."""
    return Path(sys.executable).parent if INSTALLED else clone / ".venv" / "bin"


def _programs(env: dict[str, str], view: View) -> dict[str, str]:
    """Where our programs and plugins are; Pulumi neither fetches others nor takes what happens to be on PATH."""
    for name in _OF_ANOTHER_PYTHON:
        env.pop(name, None)
    # The executable that an installed package puts on PATH is its plugin; a clone names its own in Pulumi.yaml.
    ambient = {} if INSTALLED else {"PULUMI_IGNORE_AMBIENT_PLUGINS": "true"}
    return ambient | {
        "PULUMI_HOME": str(view.home),
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PODWRIGHT_BIN": str(view.bin),
        "PODWRIGHT_CRDS": str(crds.folder(view.store)),
    }


def _lab(environ: Mapping[str, str], clone: Path) -> dict[str, str]:
    """The way to the demo's lab, for commands typed after it; a reach file of one's own comes first."""
    reach = clone / LAB / "reach.json"
    return {"PODWRIGHT_REACH": str(reach)} if reach.is_file() and not environ.get("PODWRIGHT_REACH") else {}


def _path(environ: Mapping[str, str], *leading: Path) -> str:
    first = [str(folder) for folder in leading]
    rest = [part for part in environ.get("PATH", os.defpath).split(os.pathsep) if part and part not in first]
    return os.pathsep.join([*first, *rest])

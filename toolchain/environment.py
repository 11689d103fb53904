"""The environment that every Pulumi call of the demo, the tests and the lab runs in.

Private through and through: state, plugins, passphrase. Nothing of a person's own Pulumi
(login, backend, tokens) is read or touched.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from podwright.toolchain import crds, engine
from podwright.toolchain.keys import CLONE
from podwright.toolchain.view import current

# Published on purpose: it protects only the lab's secrets, which are made anew at every `lab up`.
DEMO_PASSPHRASE = "podwright-demo"  # noqa: S105 -- see above
STATE = ".run/state"
LAB = ".run/lab"

# What would lead Pulumi to a person's own state, secrets or organisation.
_FOREIGN = (
    "PULUMI_ACCESS_TOKEN", "PULUMI_API", "PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE", "PULUMI_ORG",
    "PULUMI_STACK", "PULUMI_CREDENTIALS_PATH", "VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME",
)  # fmt: skip


def environment(environ: Mapping[str, str], clone: Path = CLONE, state: Path | None = None) -> dict[str, str]:
    """`environ` with ours on top. `state` is the folder of the file backend; it is made if absent."""
    view = current(environ, engine.look(environ, probe=False))
    backend = state if state is not None else clone / STATE
    backend.mkdir(parents=True, exist_ok=True)
    env = {name: value for name, value in environ.items() if name not in _FOREIGN}
    path = [str(view.bin), str(clone / ".venv" / "bin"), *_rest(environ, view.bin, clone)]
    return env | {
        "PATH": os.pathsep.join(path),
        "PULUMI_HOME": str(view.home),
        "PULUMI_BACKEND_URL": f"file://{backend.absolute()}",
        "PULUMI_CONFIG_PASSPHRASE": DEMO_PASSPHRASE,
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_IGNORE_AMBIENT_PLUGINS": "true",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PODWRIGHT_BIN": str(view.bin),
        "PODWRIGHT_CRDS": str(crds.folder(view.store)),
        # Beside the state it belongs to, and forgotten with it.
        "PODWRIGHT_STATE": str(backend.absolute() / "installations"),
        **_lab(environ, clone),
    }


def _lab(environ: Mapping[str, str], clone: Path) -> dict[str, str]:
    """The way to the demo's lab, for commands typed after it; a reach file of one's own comes first."""
    reach = clone / LAB / "reach.json"
    return {"PODWRIGHT_REACH": str(reach)} if reach.is_file() and not environ.get("PODWRIGHT_REACH") else {}


def _rest(environ: Mapping[str, str], *ours: Path) -> list[str]:
    leading = {str(ours[0]), str(ours[1] / ".venv" / "bin")}
    return [part for part in environ.get("PATH", os.defpath).split(os.pathsep) if part and part not in leading]

"""`make preview STACK=name`: the plan of a stack, judged by the policy pack, with nothing at hand.

No device is dialled, no secret or login is needed and no tracked file is written: Pulumi would
add a salt to a stack file that has none and lay the file out anew, so it is given a copy, and a
state of its own that begins empty. What is shown is therefore the plan of a first `up`.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

CLONE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(CLONE))

from podwright.toolchain.environment import environment  # noqa: E402 -- run as a file, found by the line above

_OF_A_SITES_SECRETS = ("encryptionsalt", "encryptedkey", "secretsprovider")


def without_secrets(document: dict[str, Any]) -> dict[str, Any]:
    """A stack file's content less what only the site's passphrase or key could open."""
    rest = {name: value for name, value in document.items() if name not in _OF_A_SITES_SECRETS}
    config = rest.get("config") or {}
    rest["config"] = {key: value for key, value in config.items() if not _sealed(value)}
    return rest


def _sealed(value: object) -> bool:
    if isinstance(value, dict):
        return "secure" in value or any(_sealed(inner) for inner in value.values())
    return isinstance(value, list) and any(_sealed(inner) for inner in value)


def preview(stack: str, environ: dict[str, str], extra: list[str]) -> int:
    """Run the preview of Pulumi.<stack>.yaml; returns Pulumi's exit status."""
    source = CLONE / f"Pulumi.{stack}.yaml"
    if not source.exists():
        names = sorted(path.name.split(".")[1] for path in CLONE.glob("Pulumi.*.yaml"))
        print(f"there is no {source.name}; stacks of this tree: {', '.join(names)}", file=sys.stderr)
        return 2
    scratch = CLONE / ".run" / f"preview-{stack}"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    shutil.copy(CLONE / "Pulumi.yaml", scratch)
    copy = scratch / source.name
    copy.write_text(yaml.safe_dump(without_secrets(yaml.safe_load(source.read_text())), sort_keys=False))
    env = environment(environ, state=scratch / "state")
    made = subprocess.run(["pulumi", "-C", scratch, "stack", "init", stack], env=env, check=False)
    if made.returncode != 0:
        return made.returncode
    where: list[str | Path] = ["--stack", stack, "--config-file", copy, "--policy-pack", "policies"]
    return subprocess.run(["pulumi", "preview", *where, *extra], cwd=CLONE, env=env, check=False).returncode


if __name__ == "__main__":
    import os

    sys.exit(preview(sys.argv[1], dict(os.environ), sys.argv[2:]))

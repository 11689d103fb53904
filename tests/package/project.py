"""A Pulumi project of a stranger's: its own program, its own backend, our plugin as an executable in a folder."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from podwright.toolchain.bare import bare
from podwright.toolchain.environment import environment

ROOT = Path(__file__).resolve().parents[2]
SERVING_DOUBLES = """#!{python}
import asyncio, sys
sys.path.insert(0, {root!r})
from podwright.components.package import Served
from podwright.components.providers.protocol.server import serve
from tests.package.doubles import COMPONENTS
asyncio.run(serve(sys.argv[1:], Served(COMPONENTS)))
"""
PROJECT = """
name: racks
runtime: {runtime}
plugins:
  providers:
    - name: podwright
      path: {plugin}
config:
  pulumi:disable-default-providers:
    value: ["*"]
"""
PYTHON = f"{{name: python, options: {{virtualenv: {ROOT / '.venv'}}}}}"
HEAD = """
import pulumi

class Podwright(pulumi.ProviderResource):
    def __init__(self, name, **inputs):
        super().__init__("podwright", name, inputs)

class Remote(pulumi.ComponentResource):
    def __init__(self, token, name, inputs, outputs, *after):
        options = pulumi.ResourceOptions(providers=[site], depends_on=after)
        super().__init__("podwright:index:" + token, name, {**dict.fromkeys(outputs), **inputs}, options, remote=True)

site = Podwright("site")
"""
"""What an SDK would bring: a remote component by its token."""


@dataclass
class Project:
    """A folder with a program, and `pulumi` on it."""

    folder: Path
    extra_env: dict[str, str] = field(default_factory=dict)

    def lay_out(self, program: str, plugin: Path, runtime: str = PYTHON) -> Project:
        """The program, with the plugin in a folder."""
        (self.folder / "Pulumi.yaml").write_text(PROJECT.format(runtime=runtime, plugin=plugin))
        (self.folder / "__main__.py").write_text(program)
        return self

    def write(self, program: str, runtime: str = PYTHON) -> Project:
        """A program that uses the doubles, and a plugin that serves them."""
        plugin = self.folder / "plugin" / "pulumi-resource-podwright"
        plugin.parent.mkdir(parents=True, exist_ok=True)
        plugin.write_text(SERVING_DOUBLES.format(python=ROOT / ".venv" / "bin" / "python", root=str(ROOT)))
        plugin.chmod(0o755)
        return self.lay_out(HEAD + program, plugin.parent, runtime)

    def run(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """`pulumi …` here, in the project's own toolchain and a backend of its own."""
        return self.command("pulumi", *words, "--non-interactive", check=check)

    def command(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Any program in the same place."""
        env = {**environment(bare(os.environ), ROOT, self.folder / "backend"), **self.extra_env}
        done = subprocess.run(
            words, cwd=self.folder, env=env, text=True, capture_output=True,
            stdin=subprocess.DEVNULL, timeout=300, check=False,
        )  # fmt: skip
        assert not check or done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        return done

    def init(self) -> Project:
        """Make the stack."""
        self.run("stack", "init", "lab")
        return self

    def outputs(self) -> Any:
        """What the stack exports."""
        return json.loads(self.run("stack", "output", "--json", "--stack", "lab").stdout)

    def resources(self) -> dict[str, dict[str, Any]]:
        """The state's resources by name."""
        state = json.loads(self.run("stack", "export", "--stack", "lab").stdout)
        return {each["urn"].rsplit("::", 1)[-1]: each for each in state["deployment"].get("resources") or ()}

    def problems(self) -> list[str]:
        """What a preview that fails says of inputs, line by line."""
        done = self.run("preview", "--stack", "lab", check=False)
        assert done.returncode, done.stdout
        said = [line.strip() for line in (done.stdout + done.stderr).splitlines()]
        return [line for line in said if line.startswith(("- property ", "error: podwright:"))]

"""A project of a stranger's, made by `podwright new`, and its fabric on a lab."""

import json
import re
import subprocess
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from podwright.cli.split import fabric_file
from podwright.cli.world import text
from podwright.components import model
from tests.cli.test_new import ANSWERS
from tests.docs.commands import environ, project
from tests.e2e.site import ROOT

SECONDS = 600


class Project:
    """What `podwright new` writes, its stack pod-a cut down to the fabric and up on a lab, and a shell in it."""

    def __init__(self, folder: Path) -> None:
        self.env = environ(folder)
        self.clone = project(folder)
        self.site = self.clone / "pod-a"
        self.lab = folder / "lab"

    @property
    def file(self) -> Path:
        """The stack file."""
        return self.site / "Pulumi.pod-a.yaml"

    def type(self, *words: str, cwd: Path | None = None) -> str:
        """What a command says that must succeed."""
        done = self._run(words, cwd or self.site)
        assert done.returncode == 0, f"{words}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
        return done.stdout

    def refused(self, *words: str) -> str:
        """What a command says that must fail, its white space made one blank each."""
        done = self._run(words, self.site)
        assert done.returncode != 0, done.stdout[-4000:]
        return " ".join((done.stdout + done.stderr).split())

    def _run(self, words: tuple[str, ...], cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, cwd=cwd, env=dict(self.env), text=True, capture_output=True, check=False,
            stdin=subprocess.DEVNULL, timeout=SECONDS,
        )  # fmt: skip

    def up(self) -> None:
        """`podwright new`, the file less all that is no fabric's, a lab of its switches, the first `up`."""
        given = [each for answer in ANSWERS.items() for each in answer]
        self.type("podwright", "new", "pod-a", "--servers", "2", *given, cwd=self.clone)
        whole = self.file.read_text()
        world = self.lab.with_suffix(".yaml")
        world.write_text(text(model.load(self.file)))
        self.file.write_text(re.sub(" *moved_from: .*\n", "", fabric_file(whole, "", "a/b/c")))
        self.type(
            "python", "-m", "podwright.lab", "up", "--only", "nxos", "--dir", str(self.lab), "--world", str(world)
        )
        self.env = {**self.env, "PODWRIGHT_REACH": str(self.lab / "reach.json")}
        self.type("pulumi", "stack", "init", "pod-a")
        self.type("podwright", "up", "pod-a", "--", "--yes", "--skip-preview")

    def steps(self, stack: str) -> dict[str, str]:
        """What a preview does, by the name of the resource."""
        planned = json.loads(self.type("podwright", "preview", stack, "--", "--json", "--non-interactive"))
        return {each["urn"].rpartition("::")[2]: each["op"] for each in planned["steps"] if each["op"] != "same"}

    def resources(self, stack: str) -> list[Mapping[str, Any]]:
        state = json.loads(self.type("pulumi", "stack", "export", "--stack", stack))
        found: list[Mapping[str, Any]] = state["deployment"].get("resources") or []
        return found

    def shown(self, switch: str) -> str:
        """The running configuration at a switch's console."""
        url = json.loads((self.lab / "world.json").read_text())["url"]
        fault = {"kind": "cli", "switch": switch, "lines": ["show running-config"]}
        request = urllib.request.Request(f"{url}/fault", json.dumps(fault).encode(), method="POST")
        with urllib.request.urlopen(request, timeout=60) as reply:
            output: str = json.load(reply)["output"]
        return output

    def console(self, switch: str) -> list[str]:
        """The running configuration of a switch without its header, by the name of its place in the rack."""
        shown = self.shown(switch)
        return shown[shown.index("hostname ") :].splitlines()


@contextmanager
def running_project(folder: Path) -> Iterator[Project]:
    """One that is up; its lab is stopped at the end."""
    made = Project(folder)
    try:
        made.up()
        yield made
    finally:
        down = [str(ROOT / ".venv/bin/python"), "-m", "podwright.lab", "down", "--dir", str(made.lab)]
        subprocess.run(down, env=dict(made.env), check=False, capture_output=True)

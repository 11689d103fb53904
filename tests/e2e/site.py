"""A site of its own for a test: project folder, stack file, lab, backend. Nothing tracked is touched."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from podwright.toolchain.bare import bare
from podwright.toolchain.environment import environment

ROOT = Path(__file__).resolve().parents[2]
LOG_LINES = 25
LOUD = re.compile(r"^\S+ \S+ \S+ (ERROR|CRITICAL) |^Exception \w+ ")
"""An error in the lab's log (format: lab/command.py), and what Python says of threads and handlers that failed."""
LINKED = ("Pulumi.yaml", "__main__.py", "components", "policies", "cli", "toolchain", ".venv")


@dataclass(frozen=True)
class Change:
    """One step of a preview: what happens to which resource, and the property paths that differ."""

    op: str
    urn: str
    paths: tuple[str, ...] = ()

    @property
    def type(self) -> str:
        """The resource's type token without its parents."""
        return self.urn.split("::")[2].split("$")[-1]

    @property
    def name(self) -> str:
        """The resource's name."""
        return self.urn.split("::")[3]


@dataclass
class Site:
    """A stack, the rack it is for, and the commands a person would type."""

    folder: Path
    stack: str = "lab"
    extra_env: dict[str, str] = field(default_factory=dict)

    @property
    def lab(self) -> Path:
        """The lab's folder."""
        return self.folder / "lab"

    @property
    def stack_file(self) -> Path:
        """The stack file of this site."""
        return self.folder / f"Pulumi.{self.stack}.yaml"

    def lay_out(self, stack_text: str, program: Path = ROOT) -> None:
        """Make the project folder: the program by link, the stack file for real; `program` may be another project."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in LINKED:
            (self.folder / name).symlink_to(ROOT / name)
        for file in program.iterdir() if program != ROOT else ():
            (self.folder / file.name).unlink(missing_ok=True)
            (self.folder / file.name).symlink_to(file)
        self.stack_file.write_text(stack_text)

    def edit(self, change: Mapping[str, Any] | None = None, **replace: str) -> None:
        """Change the stack file: by replacing text, or by dotted paths below the cluster."""
        text = self.stack_file.read_text()
        for old, new in replace.items():
            assert old in text, f"{old} does not stand in the stack file"
            text = text.replace(old, new)
        if change:
            loaded = yaml.safe_load(text)
            for path, value in change.items():
                node = loaded["config"]["podwright:cluster"]
                *parents, leaf = path.split("/")
                for parent in parents:
                    node = node.setdefault(parent, {})
                if value is None:
                    node.pop(leaf, None)
                else:
                    node[leaf] = value
            text = yaml.safe_dump(loaded, sort_keys=False, width=200)
        self.stack_file.write_text(text)

    @property
    def environ(self) -> dict[str, str]:
        """Environment of every command: a bare shell, a private home, backend and passphrase, the lab's reach."""
        return {
            **environment(bare(os.environ), ROOT, self.folder / "backend"),
            "PODWRIGHT_REACH": str(self.lab / "reach.json"),
            "PODWRIGHT_STATE": str(self.folder / "state"),
            **self.extra_env,
        }

    def lab_up(self, world: Path) -> None:
        """Start the lab for this world and wait until it answers."""
        self.run([sys.executable, "-m", "podwright.lab", "up", "--dir", str(self.lab), "--world", str(world)], cwd=ROOT)

    def lab_down(self) -> None:
        """Stop the lab."""
        self.run([sys.executable, "-m", "podwright.lab", "down", "--dir", str(self.lab)], cwd=ROOT, check=False)

    def lab_errors(self) -> list[str]:
        """Where the lab's log tells of a bug of the lab: a controller that failed is kept alive, and is loud there."""
        lines = (self.lab / "lab.log").read_text(errors="replace").splitlines()
        loud = [number for number, line in enumerate(lines) if LOUD.search(line)]
        return ["\n".join(lines[number : number + LOG_LINES]) for number in loud]

    def run(
        self, command: list[str], *, cwd: Path | None = None, check: bool = True, timeout: float = 900
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the site's environment; its output is in the failure."""
        done = subprocess.run(
            command,
            cwd=cwd or self.folder,
            env=self.environ,
            text=True,
            capture_output=True,
            timeout=timeout,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(f"{' '.join(command)}: exit {done.returncode}\n{_telling(done.stdout, done.stderr)}")
        return done

    def pulumi(self, *words: str, check: bool = True, timeout: float = 900) -> subprocess.CompletedProcess[str]:
        """`pulumi …` from the project's own toolchain, on this stack."""
        return self.run(["pulumi", *words, "--stack", self.stack, "--non-interactive"], check=check, timeout=timeout)

    def init(self) -> None:
        """Make the stack in the private backend."""
        self.run(["pulumi", "stack", "init", self.stack, "--non-interactive"])

    def up(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """`pulumi up` with the policy pack."""
        return self.pulumi("up", "--yes", "--skip-preview", "--policy-pack", "policies", *words, check=check)

    def refresh(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """`pulumi refresh` with the program, so that rotated keys and moved endpoints are followed."""
        return self.pulumi("refresh", "--yes", "--run-program", *words, check=check)

    def destroy(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """`pulumi destroy` with the program."""
        return self.pulumi("destroy", "--yes", "--run-program", *words, check=check)

    def preview(self, *words: str) -> list[Change]:
        """What `pulumi preview` would change: nothing that stays the same is listed."""
        done = self.pulumi("preview", "--json", *words)
        return list(_changes(json.loads(done.stdout)))

    def export(self) -> Any:
        """The stack's state, secrets in the clear."""
        return json.loads(self.pulumi("stack", "export", "--show-secrets").stdout)

    def outputs(self) -> dict[str, Any]:
        """The stack's outputs, secrets in the clear."""
        done = self.pulumi("stack", "output", "--json", "--show-secrets")
        loaded: dict[str, Any] = json.loads(done.stdout)
        return loaded

    def world(self, method: str, path: str, body: Any = None) -> Any:
        """The lab's control interface: faults, counters, state."""
        import urllib.request

        url = json.loads((self.lab / "world.json").read_text())["url"]
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{url}{path}", data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)

    def writes(self) -> dict[str, int]:
        """Configuration-changing requests the lab has taken, by kind."""
        counted: dict[str, int] = self.world("GET", "/counters/writes")
        return counted

    def remove(self) -> None:
        """Take the site away, lab included."""
        self.lab_down()
        shutil.rmtree(self.folder, ignore_errors=True)


def _telling(stdout: str, stderr: str) -> str:
    """Both streams; of the engine's verbose log, thousands of lines that hide the sentence, only the end."""
    lines = [*stdout.splitlines(), *stderr.splitlines()]
    log = [line for line in lines if line.startswith('{"time":')]
    said = [line for line in lines if not line.startswith('{"time":')]
    return "\n".join([*said, *log[-LOG_LINES:]])


def _changes(digest: Mapping[str, Any]) -> Iterator[Change]:
    for step in digest.get("steps", ()):
        if step["op"] not in {"same", "read"}:
            yield Change(step["op"], step["urn"], tuple(sorted(step.get("detailedDiff") or ())))

"""Ansible playbooks against the lab: Cisco's collection unmodified, in the environment that the toolchain makes."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from podwright.toolchain.ansible import Ansible
from podwright.toolchain.keys import cache_root

ROOT = Path(__file__).resolve().parents[1]
_RECAP = re.compile(r"^(\S+)\s+: (ok=.*)$", re.M)


@dataclass(frozen=True)
class Played:
    """What a playbook came to: the sums over all hosts of `ok`, `changed`, `failed` … and all that was printed."""

    status: int
    text: str

    @property
    def sums(self) -> Mapping[str, int]:
        """The last lines of a run, added up."""
        found: dict[str, int] = {}
        for _, counts in _RECAP.findall(self.text):
            for each in counts.split():
                name, _, number = each.partition("=")
                found[name] = found.get(name, 0) + int(number)
        return found


@dataclass(frozen=True)
class Playbooks:
    """Runs playbooks; what Ansible writes goes below `folder`, and nothing of a person's own settings counts."""

    ansible: Ansible
    folder: Path
    account: Mapping[str, str]
    """Address, id and file of the key, as the collection's modules take them from the environment."""

    def run(self, book: Path, variables: Mapping[str, Any], forks: int = 5, inventory: Path | None = None) -> Played:
        """Run a playbook to its end; without an inventory, on this machine alone."""
        given = self.folder / "variables.yml"
        given.write_text(yaml.safe_dump(dict(variables)))
        command = [str(self.ansible.playbook), "-f", str(forks), "-e", f"@{given}", str(book)]
        command += ["-i", str(inventory)] if inventory else []
        done = subprocess.run(
            command, cwd=self.folder, env=self._environment(), capture_output=True, text=True, check=False
        )
        return Played(done.returncode, done.stdout + done.stderr)

    def _environment(self) -> dict[str, str]:
        return {
            **self.account,
            "PATH": f"{self.ansible.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "ANSIBLE_HOME": str(self.folder / "ansible"),
            "ANSIBLE_COLLECTIONS_PATH": str(self.ansible.collections),
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
            "ANSIBLE_NOCOLOR": "true",
            "ANSIBLE_PIPELINING": "true",  # one process a module instead of several that copy files
        }


def prepared() -> Ansible:
    """Ansible, made ready where it is not yet."""
    subprocess.run([sys.executable, "-m", "podwright.toolchain", "setup", "ansible"], cwd=ROOT, check=True)
    return Ansible(cache_root(os.environ), os.environ)


def playbooks(folder: Path, address: str, key_id: str, key: Path) -> Playbooks:
    """Runs playbooks below `folder` against the account at an address."""
    folder.mkdir(parents=True, exist_ok=True)
    account = {
        "INTERSIGHT_API_URI": f"{address}/api/v1",
        "INTERSIGHT_API_KEY_ID": key_id,
        "INTERSIGHT_API_PRIVATE_KEY": str(key),
    }
    return Playbooks(prepared(), folder, account)

"""Locks of Python packages: each file names the command that makes it anew."""

from pathlib import Path

import pytest

from podwright.toolchain import ansible, keys, pytorch, relock, schemas

LOCKS = {
    "lock": (relock.relock, (keys.REQUIREMENTS, keys.CHECK_REQUIREMENTS)),
    "lock --ansible": (relock.relock_ansible, (ansible.REQUIREMENTS,)),
    "lock --schemas": (relock.relock_schemas, (schemas.REQUIREMENTS,)),
    "lock --torch": (relock.relock_torch, (pytorch.REQUIREMENTS,)),
}


@pytest.mark.parametrize("command", LOCKS)
def test_a_lock_names_the_command_that_makes_it(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """Nothing is resolved here, and no file of the clone changes."""
    written: dict[Path, str] = {}
    monkeypatch.setattr(relock, "_resolve", lambda *_given: "package==1 \\\n    --hash=sha256:0\n")
    monkeypatch.setattr(relock, "_here", lambda *_given: "package==1 \\\n    --hash=sha256:0\n")
    monkeypatch.setattr(Path, "write_text", lambda self, text: written.update({self: text}))
    make, files = LOCKS[command]
    make(Path("python"), {})
    assert set(written) == set(files)
    for path, text in written.items():
        assert text.startswith(f"# Made by `python3 -m toolchain {command}` from ")
        assert path.read_text().splitlines()[0] == text.splitlines()[0], "as the clone has it"

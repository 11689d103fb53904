"""`python -m podwright.lab record ADDRESS`: what a real switch answers to the lab's own commands, kept in a folder.

Asks, with netmiko, every `show` of the command table that needs no argument, as text and `| json`; writes nothing on
the switch. Secrets are taken out before anything is written down.
"""

from __future__ import annotations

import argparse
import getpass
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import netmiko
import paramiko
import yaml

from podwright.lab.nxos.table import table

MANIFEST = "commands.yaml"
"""In the folder: which file answers which command."""
REMOVED = "removed"
"""Stands where a secret stood; a word that NX-OS takes there."""
REMOVED_KEY = "0x0"
"""Stands where a hexadecimal key stood: another word would be refused there."""
PASSWORD = "PODWRIGHT_RECORD_PASSWORD"  # noqa: S105  (the variable's name)
_PATIENCE = 120.0
"""Seconds for one answer: a running configuration of 64 ports takes some."""
_OPTIONAL = re.compile(r"\s*\[[^\[\]]*\]")
_SECRETS = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        r"^(\s*username \S+ (?:password|passphrase)(?: \d)? )\S+",
        r"^(\s*username \S+ sshkey ).+",
        r"^(\s*(?:tacacs-server|radius-server|ldap-server)\b.* key(?: \d)? )(?:\"[^\"]*\"|\S+)",
        r"^(\s*snmp-server (?:community|host \S+ (?:(?:traps|informs) )?version (?:1|2c)) )\S+",
        r"(\b(?:auth|priv)(?: (?:md5|sha\S*|aes-128|des))* )(?!md5\b|sha|aes-128\b|des\b)\S+",
        r"^(\s*(?:neighbor \S+ )?password(?: \d)? )(?!strength-check)\S+",
        r"^(\s*ntp authentication-key \d+ md5 )\S+",
        r"^(\s*ip ospf authentication-key(?: \d)? )\S+",
        r"(\b(?:md5|key-string|octet-string|text)(?: \d)? )(?!key-string\b)\S+",
        r"^(\s*feature-key |\s*license .* key )\S+",
    )
)
_BLOCK = re.compile(r"-----BEGIN [^-]+-----.*?-----END [^-]+-----", re.DOTALL)


def without_secrets(text: str) -> str:
    """The same with passwords, keys, communities and PEM blocks taken out, hashed ones too."""
    text = _BLOCK.sub(REMOVED, text)
    for pattern in _SECRETS:
        text = pattern.sub(_hidden, text)
    return text


def _hidden(found: re.Match[str]) -> str:
    secret = found[0].removeprefix(found[1])
    return found[1] + (REMOVED_KEY if secret.lower().startswith("0x") else REMOVED)


def commands() -> Iterator[str]:
    """Every `show` of the command table that needs no argument, then its `| json` where it has one."""
    for row in table().rows["exec"]:
        words = row.text
        while (shorter := _OPTIONAL.sub("", words)) != words:
            words = shorter
        if words.startswith("show ") and not re.search(r"[<({|]", words):
            yield words
            if row.json:
                yield f"{words} | json"


def record(login: dict[str, object], folder: Path) -> int:
    """Ask a switch, with netmiko's own arguments for the log-in; returns the number of answers kept."""
    folder.mkdir(parents=True, exist_ok=True)
    manifest: dict[str, str] = {}
    with netmiko.ConnectHandler(device_type="cisco_nxos", **login) as client:
        for command in dict.fromkeys(commands()):
            name = re.sub(r"\W+", "-", command) + ".txt"
            answer = str(client.send_command(command, read_timeout=_PATIENCE))
            (folder / name).write_text(without_secrets(answer) + "\n", encoding="utf-8")
            manifest[name] = command
    (folder / MANIFEST).write_text(yaml.safe_dump(manifest, sort_keys=False), encoding="utf-8")
    return len(manifest)


def main(argv: list[str]) -> int:
    """The verb; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m podwright.lab record", description=__doc__)
    parser.add_argument("address", help="management address of a Nexus 9000; nothing is written on it")
    parser.add_argument("--user", required=True, help=f"its password comes from {PASSWORD}, or is asked for")
    parser.add_argument(
        "--known-hosts", type=Path, required=True, help="file with the switch's host key; it is checked"
    )
    parser.add_argument("--port", type=int, default=22)
    parser.add_argument("--out", type=Path, required=True, help="folder for the answers, without secrets")
    options = parser.parse_args(argv)
    if options.out.is_dir() and any(options.out.iterdir()):
        parser.error(f"{options.out} is not empty; name a new folder")
    if not options.known_hosts.is_file():
        parser.error(f"there is no file {options.known_hosts}; write the switch's host key into it after checking it")
    login: dict[str, object] = {
        "host": options.address,
        "port": options.port,
        "username": options.user,
        "password": os.environ.get(PASSWORD) or getpass.getpass(f"password of {options.user}: "),
        "ssh_strict": True,
        "alt_host_keys": True,
        "alt_key_file": str(options.known_hosts),
    }
    try:
        count = record(login, options.out)
    except (netmiko.NetmikoBaseException, paramiko.SSHException, OSError) as error:
        print(f"{options.address}: {' '.join(' '.join(str(error).split()).split()[:40])}", file=sys.stderr)
        return 1
    print(f"{count} answers of {options.address} in {options.out}; read them before you pass them on")
    print(f"next: python -m podwright.lab replay {options.out}")
    return 0

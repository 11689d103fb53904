"""What a switch keeps of passwords: hashes of users, localized keys of SNMP, obfuscated passwords of BGP."""

from __future__ import annotations

import hashlib
import re

from passlib.hash import cisco_type7

from podwright.lab.nxos.change import Change
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.links import mac
from podwright.lab.nxos.passwords import hashed, localized, second_version
from podwright.lab.nxos.refusal import RefusedError
from podwright.lab.nxos.table import table
from podwright.lab.nxos.tree import Node

_CISCO = "80000009" + "03"
"""Engine ids: Cisco's enterprise number with the first bit set, then format 3, a MAC address (RFC 3411)."""
_SNMP = re.compile(
    r"^(?:(?P<role>(?!auth\b)\S+) )?auth (?P<auth>md5|sha) (?P<key>\S+)"
    r"(?: priv (?P<aes>aes-128 )?(?P<priv>\S+))?(?P<made> localized(?:V2)?key)?(?: engineID \S+)?$"
)
_LEAST = 8


def engine_id(device: Device) -> str:
    """Of the switch's SNMP agent, in hexadecimal digits."""
    return (_CISCO + mac(device).replace(".", "")).upper()


def username(change: Change) -> list[Node]:
    """The password is kept as a hash and shown as one; one in clear makes an SNMP user of the same name too."""
    user, secret, node = change.values["user"], change.values.get("secret"), change.existing
    root = change.device.root
    if change.negate:
        change.drop()
        root.children.pop(f"snmp-server user {user}", None)
        return []
    kept = node.line.split(" password 5 ")[1].split()[0] if node else "!"
    clear = secret is not None and not secret.startswith("$")
    if secret is not None:
        kept = hashed(secret) if clear else secret
    role = change.values.get("role") or (node.values.get("role") if node else None) or "network-operator"
    change.store(f"username {user} password 5 {kept} role {role}").values["role"] = role
    if clear and secret is not None and len(secret) >= _LEAST:
        keys = localized("md5", secret, engine_id(change.device))
        _keep_snmp(change.device, user, f"{role} auth md5 {keys} priv {keys} localizedkey")
    return []


def snmp_user(change: Change) -> list[Node]:
    """Passphrases are kept as keys of this switch alone; one in clear makes a local user of the same name too."""
    user, device = change.values["user"], change.device
    if change.negate:
        device.root.children.pop(f"snmp-server user {user}", None)
        device.root.children.pop(f"username {user}", None)
        return []
    found = _SNMP.match(change.values["rest"])
    if found is None:
        change.store()
        return []
    role, made = found["role"] or "network-operator", found["made"] or ""
    keys = [each for each in (found["key"], found["priv"]) if each]
    if not made:
        if any(len(each) < _LEAST for each in keys):
            raise RefusedError(f"ERROR: passphrase is too short, it has at least {_LEAST} characters")
        _keep_user(device, user, keys[0], role)
        keys, made = [localized(found["auth"], each, engine_id(device)) for each in keys], " localizedkey"
    elif not all(re.fullmatch(r"(0x)?[0-9A-Fa-f]+", each) for each in keys):
        raise RefusedError("ERROR: a localized key is a hexadecimal number")
    if made == " localizedkey" and device.form("snmp-keys") == "v2":
        keys, made = [second_version(each) for each in keys], " localizedV2key"
    hidden = f" priv {found['aes'] or ''}{keys[1]}" if len(keys) > 1 else ""
    _keep_snmp(device, user, f"{role} auth {found['auth']} {keys[0]}{hidden}{made}")
    return []


def _keep_snmp(device: Device, user: str, rest: str) -> None:
    row = next(r for r in table().rows["config"] if r.effect == "snmp_user")
    setting = f"snmp-server user {user}"
    device.root.children[setting] = Node(f"{setting} {rest}", row, {"user": user, "rest": rest})


def _keep_user(device: Device, user: str, password: str, role: str) -> None:
    row = next(r for r in table().rows["config"] if r.effect == "username")
    line = f"username {user} password 5 {hashed(password)} role {role}"
    device.root.children[f"username {user}"] = Node(line, row, {"user": user, "role": role})


def bgp_password(change: Change) -> list[Node]:
    """In clear it is shown as type 3; types 3 and 7 as they were typed."""
    if change.negate:
        change.drop()
        return []
    kind, _, text = change.values["secret"].rpartition(" ")
    if kind not in ("", "0", "3", "7"):
        raise RefusedError("ERROR: unknown type of password")
    if kind == "7" and not cisco_type7.identify(text):
        raise RefusedError("ERROR: a password of type 7 is made by a switch")
    line = f"password {kind} {text}" if kind in ("3", "7") else f"password 3 {_type_3(text)}"
    clear = cisco_type7.decode(text) if kind == "7" else text
    change.store(line).values["compared"] = text if kind == "3" else _type_3(clear)
    return []


def _type_3(clear: str) -> str:
    """Stands for 3DES under a key that is every switch's: the same for the same password, and no way back."""
    return hashlib.sha256(clear.encode()).hexdigest()[:16]


EFFECTS = {effect.__name__: effect for effect in (username, snmp_user, bgp_password)}

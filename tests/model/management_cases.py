"""What can never work in `intersight.management`: the change, its place, a word of the sentence."""

from collections.abc import Callable
from typing import Any

from tests.model.changes import PROD, Said, both, drop, put

HERE, POOL = "intersight/management", "intersight/management/addresses"
PERSON = {"authentication": "a", "privacy": "p"}
LDAP: dict[str, Any] = {
    "servers": [{"host": "ldap.example.com"}],
    "base_dn": "DC=example,DC=com",
    "domain": "example.com",
    "groups": {"ops": {"dn": "CN=ops,DC=example,DC=com"}},
}


def _range(text: str, **more: object) -> Callable[[Said], None]:
    return put(POOL, {"range": text, **more})


CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (PROD, drop(HERE), "intersight", "cp-01, cp-02, cp-03 and 3 more: a server behind Fabric Interconnects has no"),
    (PROD, _range("203.0.113.64-66/24"), f"{POOL}/range", "3 addresses for 6 servers"),
    (PROD, _range("203.0.113.64-60/24"), f"{POOL}/range", "stands before"),
    (PROD, _range("203.0.113.64-114.1/24"), f"{POOL}/range", "203.0.114.1 is no host of 203.0.113.0/24"),
    (PROD, _range("10.9.0.2-15.255/20"), f"{POOL}/range", "10.9.15.255 is no host"),
    (PROD, _range("10.9.0.2-9.254/20"), f"{POOL}/range", "a pool has at most 1024"),
    (PROD, _range("203.0.113.64-95/24", gateway="203.0.113.70"), f"{POOL}/range", "holds the gateway 203.0.113.70"),
    (PROD, _range("203.0.113.64-95/24", gateway="192.0.2.1"), f"{POOL}/gateway", "192.0.2.1 is no host"),
    (PROD, _range("203.0.113.64-101/24"), f"{POOL}/range", "203.0.113.101, which is that of servers.gpu-01.bmc"),
    (PROD, _range("203.0.113.12-18/24"), f"{POOL}/range", "203.0.113.12, which is that of fabric.leaves.leaf-02"),
    (PROD, _range("203.0.113.64-95/24", vlan=99), f"{POOL}/vlan", "VLAN 99 is none of the frontend"),
    (PROD, put(f"{HERE}/users", {"prod-ops": {"password": "p"}}), f"{HERE}/users/prod-ops", "begin with prod-"),
    (PROD, put(f"{HERE}/snmp", {"users": {"admin": PERSON}}), f"{HERE}/snmp/users/admin", "keeps the SNMP user admin"),
    (
        PROD,
        put(f"{HERE}/snmp", {"users": {"monitor": PERSON}, "traps": [{"host": "192.0.2.9", "user": "monitr"}]}),
        f"{HERE}/snmp/traps[0]/user",
        'no SNMP user "monitr"',
    ),
    (PROD, put(f"{HERE}/ldap", {**LDAP, "bind_dn": "CN=r,DC=example"}), f"{HERE}/ldap/bind_dn", "has no password"),
    (PROD, put(f"{HERE}/ldap", {**LDAP, "bind_password": "r"}), f"{HERE}/ldap/bind_password", "password of nobody"),
]
CASES = [
    (base, both(put(POOL, {"range": "203.0.113.64-95/24"}), change), loc.replace("/", "."), words)
    for base, change, loc, words in CASES
]

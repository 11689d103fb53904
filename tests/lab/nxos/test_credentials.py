"""What a switch makes of passwords that it is given: hashes, keys of its own, and users that come and go in pairs."""

import ipaddress

import pytest
from passlib.hash import cisco_type7, sha256_crypt

from tests.lab.rack import Rack, racks

rack = pytest.fixture(racks)
KEYS = "0x69bd684bda3d02ae3dda522eb44447ea989c783d priv aes-128 0x4624066a373a770fad0dc716bb023ed6fd829cb9"


def shown(rack: Rack, name: str) -> list[str]:
    """Lines of a user."""
    lines = rack.show("leaf-01", "show running-config").splitlines()
    return [line for line in lines if line.split()[:2] == ["username", name] or line.split()[1:3] == ["user", name]]


def test_users_whose_passwords_come_in_clear_are_users_of_snmp_too_and_the_other_way_round(rack: Rack) -> None:
    rack.type("leaf-01", "username ops password Secret-123 role network-operator")
    user, snmp = shown(rack, "ops")
    assert sha256_crypt.verify("Secret-123", user.split()[4])
    assert snmp.startswith("snmp-server user ops network-operator auth md5 0x")
    rack.type("leaf-01", "no snmp-server user ops")
    assert shown(rack, "ops") == []
    rack.type("leaf-01", "snmp-server user mon network-operator auth sha Sign-1234 priv aes-128 Cipher-1234")
    assert rack.devices["leaf-01"].check_password("mon", "Sign-1234")
    rack.type("leaf-01", "no username mon")
    assert shown(rack, "mon") == []


def test_a_hash_and_localized_keys_make_one_user_each_and_are_shown_as_typed(rack: Rack) -> None:
    lines = [
        f"username ops password 5 {sha256_crypt.using(rounds=5000).hash('Secret-123')} role network-admin",
        f"snmp-server user mon network-operator auth sha {KEYS} localizedkey",
    ]
    rack.type("leaf-01", *lines)
    assert [*shown(rack, "ops"), *shown(rack, "mon")] == lines


def test_keys_are_those_of_one_switch(rack: Rack) -> None:
    line = "snmp-server user mon network-operator auth sha Sign-1234 priv aes-128 Cipher-1234"
    for name in ("leaf-01", "spine-01"):
        rack.type(name, line)
    one, other = (rack.show(name, "show running-config snmp") for name in ("leaf-01", "spine-01"))
    assert one != other
    assert "[Hex] 8000000903" in rack.show("leaf-01", "show snmp engineID")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("snmp-server user mon network-operator auth sha short", "passphrase is too short"),
        ("snmp-server user mon network-operator auth sha Sign-1234 localizedkey", "hexadecimal"),
    ],
)
def test_what_is_no_key_is_refused(rack: Rack, line: str, answer: str) -> None:
    assert answer in rack.console("leaf-01", line)


def test_a_session_stands_where_both_ends_have_the_same_password_in_whatever_form(rack: Rack) -> None:
    def state() -> str:
        return rack.show("leaf-01", "show ip bgp summary").splitlines()[-1].split()[-1]

    lines = rack.show("leaf-01", "show running-config").splitlines()
    far = [line.split()[1] for line in lines if line.startswith("  neighbor ")][-1]
    near = str(ipaddress.ip_address(int(ipaddress.ip_address(far)) ^ 1))  # the other address of a /31
    spine = next(line for line in rack.show("spine-01", "show running-config").splitlines() if "router bgp" in line)
    assert state().isdigit()
    rack.type("leaf-01", "router bgp 64601", f"neighbor {far}", "password Secret-123")
    assert not state().isdigit()
    (kept,) = [each for each in rack.show("leaf-01", "show running-config").splitlines() if "password 3 " in each]
    for line in (f"password 7 {cisco_type7.hash('Secret-123')}", kept.strip(), "password 0 Secret-123"):
        rack.type("spine-01", spine, f"neighbor {near}", line)
        assert state().isdigit(), line
    rack.type("spine-01", spine, f"neighbor {near}", f"password 7 {cisco_type7.hash('Secret-124')}")
    assert not state().isdigit()
    assert "password 7 " in rack.show("spine-01", "show running-config")
    rack.type("spine-01", spine, f"neighbor {near}", "no password")
    rack.type("leaf-01", "router bgp 64601", f"neighbor {far}", "no password")
    assert state().isdigit()

"""Users and keys on a switch: named in all we show, typed as the switch keeps them, compared by what made them."""

from __future__ import annotations

import json

import pytest
from passlib.hash import cisco_type7, sha256_crypt

from podwright.components.providers.nxos.read.blocks import parse
from podwright.components.providers.nxos.read.spelling import tidy_config
from podwright.components.providers.nxos.secret_forms import localized
from podwright.components.providers.nxos.secret_lines import SecretLines
from podwright.components.providers.nxos.session import Session
from podwright.components.providers.protocol.kind import ProviderError, Read
from podwright.components.providers.protocol.values import plain
from tests.providers.nxos.rack import CONFIG, Rack, inputs

OPS = "username ops password {{secret:switch-ops#1}} role network-operator"
AGAIN = OPS.replace("#1", "#2")
MONITOR = "snmp-server user monitor network-operator auth sha {{secret:snmp-a#1}} priv aes-128 {{secret:snmp-p#1}}"
USERS = {OPS: "", MONITOR: ""}
SECRETS = {"switch-ops": "Ops-canary-1", "snmp-a": "Sign-canary-2", "snmp-p": "Cipher-canary-3"}


@pytest.fixture
def switch(lab: Rack) -> Rack:
    for name, value in SECRETS.items():
        give(lab, name, value)
    return lab


def give(lab: Rack, name: str, value: str) -> None:
    assert lab.reach.secrets is not None
    (lab.reach.secrets / name).write_text(value + "\n")


def users(lab: Rack) -> list[str]:
    return [line for line in lab.running().splitlines() if line.startswith(("username ", "snmp-server user "))]


def test_a_key_is_localized_as_the_standard_shows() -> None:
    """RFC 3414, A.3.2."""
    engine = bytes.fromhex("000000000000000000000002")
    assert localized("maplesyrup", engine).hex() == "6695febc9288e36282235fc7151f128497b38f3f"


async def test_users_are_made_with_what_is_named_and_are_the_same_when_read_back(switch: Rack) -> None:
    before = users(switch)
    made = await switch.up(inputs(USERS))
    added = [line for line in users(switch) if line not in before]
    assert len(added) == 2, "the switch makes no second user of either"
    assert sha256_crypt.verify(SECRETS["switch-ops"], added[0].split()[4])
    assert switch.leaf.check_password("ops", SECRETS["switch-ops"])
    live = await switch.kind.read("leaf-01", inputs(USERS), made.outputs, switch.context())
    assert isinstance(live, Read)
    assert live.inputs == inputs(USERS)
    writes = switch.side.writes
    await switch.kind.update("leaf-01", inputs(USERS), inputs(USERS), made.outputs, switch.context())
    assert switch.side.writes == writes


async def test_no_secret_and_nothing_made_of_one_leaves(switch: Rack) -> None:
    heard: list[str] = []
    hidden: list[str] = []
    context = switch.context(log=heard.append, warn=heard.append, resolved=hidden.append)
    made = await switch.kind.create(inputs(USERS), context)
    switch.edit(f"username ops password {SECRETS['switch-ops']}-other")
    live = await switch.kind.read("leaf-01", inputs(USERS), made.outputs, context)
    assert live is not None
    kept = [word for line in users(switch) if "admin" not in line for word in line.split() if word[:2] in ("$5", "0x")]
    said = json.dumps([plain(made.outputs), plain(live.inputs), plain(live.outputs), heard])
    assert [each for each in (*SECRETS.values(), *kept) if each in said] == []
    assert set(SECRETS.values()) <= set(hidden)
    switch.leaf.faults.deny = ["username ops"]  # its sentence repeats the line
    with pytest.raises(ProviderError) as refused:
        await switch.kind.update("leaf-01", inputs(USERS), live.inputs, live.outputs, context)
    assert "$5$" not in str(refused.value)
    assert "{{secret:switch-ops#1}}" in str(refused.value)


async def test_another_password_is_drift_and_the_next_update_puts_ours_back(switch: Rack) -> None:
    made = await switch.up(inputs(USERS))
    switch.edit("username ops password Somebody-elses", "no snmp-server user monitor")
    with pytest.raises(ProviderError, match="was edited since"):
        changed = inputs({**USERS, "feature lldp": ""})
        await switch.kind.update("leaf-01", changed, inputs(USERS), made.outputs, switch.context())
    live = await switch.kind.read("leaf-01", inputs(USERS), made.outputs, switch.context())
    assert live is not None
    found = switch.kind.diff(live.inputs, inputs(USERS), live.outputs).changes
    assert found == {("spec", "config", OPS): "add", ("spec", "config", MONITOR): "add"}
    await switch.kind.update("leaf-01", inputs(USERS), live.inputs, live.outputs, switch.context())
    assert switch.leaf.check_password("ops", SECRETS["switch-ops"])


async def test_a_rotation_is_a_change_and_what_fails_puts_the_former_password_back(
    switch: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await switch.up(inputs(USERS))
    stood = users(switch)
    give(switch, "switch-ops", "Rotated-canary")
    rotated = inputs({AGAIN: "", MONITOR: "", "vlan 7": "name never"})
    assert switch.kind.diff(inputs(USERS), rotated, made.outputs).changes
    real = Session._type

    async def refusing(self: Session, line: str, limit: float) -> str:
        return "% Invalid command\n" if line == "name never" else await real(self, line, limit)

    monkeypatch.setattr(Session, "_type", refusing)
    with pytest.raises(ProviderError, match="the switch is as it was before"):
        await switch.kind.update("leaf-01", rotated, inputs(USERS), made.outputs, switch.context())
    assert users(switch) == stood
    monkeypatch.undo()
    await switch.kind.update("leaf-01", rotated, inputs(USERS), made.outputs, switch.context())
    assert switch.leaf.check_password("ops", "Rotated-canary")


async def test_a_user_that_is_no_longer_named_goes_also_when_its_secret_is_gone(switch: Rack) -> None:
    before = users(switch)
    made = await switch.up(inputs({**CONFIG, **USERS}))
    assert switch.reach.secrets is not None
    for name in SECRETS:
        (switch.reach.secrets / name).unlink()
    after = await switch.kind.update(
        "leaf-01", inputs(), inputs({**CONFIG, **USERS}), made.outputs,
        switch.context(),
    )  # fmt: skip
    assert users(switch) == before
    await switch.kind.delete("leaf-01", inputs(), after, switch.context())


async def test_a_user_that_stood_there_is_adopted_and_its_password_is_in_no_state(switch: Rack) -> None:
    switch.edit("username ops password 5 $5$abcdefgh$KZ4Rt0fQKnVbYzlDJk6B0yWnDj4oEYIFq5NgqKOeTI9 role network-operator")
    with pytest.raises(ProviderError, match="already holds username ops"):
        await switch.up(inputs(USERS))
    made = await switch.up(inputs(USERS, adopt=True))
    assert switch.leaf.check_password("ops", SECRETS["switch-ops"])
    assert made.outputs["found"] == {}
    await switch.kind.delete("leaf-01", inputs(USERS, adopt=True), made.outputs, switch.context())
    assert not [line for line in users(switch) if "ops" in line]


def guarded(generation: int) -> dict[str, str]:
    """CONFIG with a password for its neighbour."""
    text = CONFIG["router bgp 64601"].replace("  bfd", f"  bfd\n  password {{{{secret:fabric-bgp#{generation}}}}}")
    return {**CONFIG, "router bgp 64601": text}


def password(lab: Rack) -> str:
    (line,) = [line.strip() for line in lab.running().splitlines() if line.startswith("    password ")]
    return line


async def test_a_bgp_password_comes_is_rotated_and_goes_without_the_session_s_other_lines(
    switch: Rack, typed: list[str]
) -> None:
    give(switch, "fabric-bgp", "Peers-canary")
    made = await switch.up(inputs())
    added = await switch.kind.update("leaf-01", inputs(guarded(1)), inputs(), made.outputs, switch.context())
    assert cisco_type7.decode(password(switch).split()[-1]) == "Peers-canary"
    live = await switch.kind.read("leaf-01", inputs(guarded(1)), added, switch.context())
    assert live is not None
    assert live.inputs == inputs(guarded(1))

    switch.edit("router bgp 64601", "neighbor 10.2.0.1", "password Somebody-elses")
    foreign = await switch.kind.read("leaf-01", inputs(guarded(1)), added, switch.context())
    assert foreign is not None
    assert plain(foreign.inputs) == inputs(guarded(1)), "type 3 cannot be compared"
    switch.edit("router bgp 64601", "neighbor 10.2.0.1", f"password 7 {cisco_type7.hash('Somebody-elses')}")
    foreign = await switch.kind.read("leaf-01", inputs(guarded(1)), added, switch.context())
    assert foreign is not None
    assert "password {{unknown#" in str(foreign.inputs), "shown, for nothing of it is there"

    give(switch, "fabric-bgp", "Rotated-canary")
    typed.clear()
    turned = await switch.kind.update("leaf-01", inputs(guarded(2)), foreign.inputs, added, switch.context())
    assert cisco_type7.decode(password(switch).split()[-1]) == "Rotated-canary"
    assert [line for line in typed if "password" in line] == ["password {{secret:fabric-bgp#2}}"]
    typed.clear()
    await switch.kind.update("leaf-01", inputs(), inputs(guarded(2)), turned, switch.context())
    assert [line for line in typed if "password" in line] == ["no password {{secret:fabric-bgp#2}}"]
    assert "    password " not in switch.running()


async def test_a_password_that_is_refused_half_way_leaves_the_former_one(switch: Rack) -> None:
    give(switch, "fabric-bgp", "Peers-canary")
    made = await switch.up(inputs(guarded(1)))
    stood = password(switch)
    give(switch, "fabric-bgp", "Rotated-canary")
    switch.leaf.faults.deny = ["name never"]
    with pytest.raises(ProviderError, match="the switch is as it was before"):
        changed = inputs({**guarded(2), "vlan 7": "name never"})
        await switch.kind.update("leaf-01", changed, inputs(guarded(1)), made.outputs, switch.context())
    assert password(switch) == stood


@pytest.mark.parametrize(
    "line",
    [
        "username admin password {{secret:switch-ops#1}} role network-operator",
        "snmp-server user admin network-operator auth sha {{secret:snmp-a#1}} priv aes-128 {{secret:snmp-p#1}}",
    ],
)
async def test_the_user_that_we_log_in_as_is_never_written(switch: Rack, line: str) -> None:
    with pytest.raises(ProviderError, match="podwright logs in as admin and never writes a line of that user"):
        await switch.up(inputs({line: ""}, adopt=True))
    assert switch.leaf.check_password("admin", switch.reach.secret("switch-admin"))


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("snmp-a", "short", "a passphrase of SNMPv3 has 8 to 64 printable ASCII characters"),
        ("switch-ops", "pässword-long", "the password of a user has 1 to 127 printable ASCII characters"),
    ],
)
async def test_a_value_that_the_line_does_not_take_is_refused_without_being_shown(
    switch: Rack, name: str, value: str, sentence: str
) -> None:
    give(switch, name, value)
    writes = switch.side.writes
    with pytest.raises(ProviderError, match=sentence) as refused:
        await switch.up(inputs(CONFIG | USERS))
    assert value not in str(refused.value)
    assert switch.side.writes == writes


async def test_a_secret_that_nobody_gave_is_missed_before_the_first_line(switch: Rack) -> None:
    assert switch.reach.secrets is not None
    (switch.reach.secrets / "snmp-p").unlink()
    writes = switch.side.writes
    with pytest.raises(ProviderError, match="the secret 'snmp-p' is nowhere to be found"):
        await switch.up(inputs(CONFIG | USERS))
    assert switch.side.writes == writes


@pytest.mark.parametrize(
    ("line", "text", "sentence"),
    [
        ("username ops password {{secret:switch-ops}} role network-operator", "", "in another way than"),
        ("hostname {{secret:switch-ops#1}}", "", "has no place for a secret"),
        ("interface Ethernet1/1", "password {{secret:switch-ops#1}}", "has no place for a secret"),
    ],
)
def test_a_name_where_no_secret_belongs_is_refused_before_any_switch_is_asked(
    lab: Rack, line: str, text: str, sentence: str
) -> None:
    (failure,) = lab.kind.check(inputs({line: text}), lab.context())  # type: ignore[arg-type]
    assert sentence in failure.message


def named(shown: str, want: str, old: str = "", **secrets: str) -> list[str]:
    lines = SecretLines(tidy_config(parse(want)), tidy_config(parse(old)), {**SECRETS, **secrets}.__getitem__)
    return list(lines.masked(tidy_config(parse(shown))))


def test_keys_in_a_form_that_cannot_be_compared_count_as_typed_last() -> None:
    """As published running configurations of 10.x show them."""
    shown = (
        "snmp-server user monitor network-operator auth sha 3772B6814E2F5118AC2A4E7168119A482CAF priv aes-128 "
        "480BFF9262537174D84867393908B07C2FB5 localizedV2key"
    )
    assert named(shown, MONITOR, MONITOR) == [MONITOR]
    assert named(shown, MONITOR.replace("#1", "#2"), MONITOR) == [MONITOR]
    assert "{{unknown#" in named(shown, MONITOR)[0]
    assert "{{unknown#" in named(shown.replace("auth sha", "auth md5"), MONITOR, MONITOR)[0]


@pytest.mark.parametrize(
    ("shown", "same"),
    [
        ("5 $5$HIMIJM$qT5AXQEfCx.kdpdUF8dRHjlsjyL3TdgR9BhmK9uAYx7 ", False),
        ("5 ! ", False),
        ("9 $nx-scrypt$x$y", True),
        ("5 " + sha256_crypt.using(rounds=5000, salt="HIMIJM").hash(SECRETS["switch-ops"]) + " ", True),
    ],
)
def test_hashes_as_switches_show_them(shown: str, same: bool) -> None:
    (found,) = named(f"username ops password {shown} role network-operator", OPS, OPS)
    assert (found == OPS) is same


def test_what_type_7_hides_is_what_cisco_s_own_tests_hold() -> None:
    assert cisco_type7.decode("046E1803362E595C260E0B240619050A2D") == "UseYourOwnString"

"""Rows of a switch beside its configuration, and of what looks at switches."""

from __future__ import annotations

from typing import Final

from podwright.components.changes.row import ChangeClass, Row

_PROGRAM, _LIVE = ChangeClass.PROGRAM_ONLY, ChangeClass.LIVE

SWITCH: Final = (
    Row("schema", _PROGRAM, "the number of the spec's shape"),
    Row(
        "hostname",
        _LIVE,
        "with `renamed_from` the switch takes its hostname and mark; without it a switch of another name is refused",
    ),
    Row("management", _PROGRAM, "where the switch is reached; its own address of mgmt0 is not written"),
    Row("model", _PROGRAM, "what the design assumes; a push refuses a switch of another model"),
    Row("release", _PROGRAM, "what the design assumes; a push warns of another release and upgrades nothing"),
    Row("role", _PROGRAM, "what policies check it by; the configuration that follows is classed line by line"),
    Row("serial", _PROGRAM, "a push refuses a chassis with another number"),
    Row("archive", _PROGRAM, "how many earlier configurations the switch keeps from the next push on"),
    Row("adopt", _PROGRAM, "what may be taken over at the next push"),
    Row("moved_from", _PROGRAM, "whose mark may be replaced at the next push"),
    Row("credential", _PROGRAM, "the name of the secret that the login uses"),
    Row("generation", _PROGRAM, "says that the login's secret was rotated"),
    Row("links", _PROGRAM, "what is cabled, for messages and policies; the ports are classed by their lines"),
    Row("lossless", _PROGRAM, "what policies check; the lines that make it are classed by themselves"),
)

_READS = "only read: what is looked at, and how long"
SOAK: Final = tuple(Row(name, _PROGRAM, _READS) for name in ("schema", "wave", "seconds", "switches"))
VERIFICATION: Final = tuple(
    Row(name, _PROGRAM, _READS)
    for name in (
        "schema",
        "stage",
        "hostname",
        "management",
        "credential",
        "generation",
        "settle_seconds",
        "defaults",
        "interfaces",
        "digests",
    )
)

SWITCH_GONE: Final = Row(
    "",
    ChangeClass.DISRUPTIVE,
    "every owned block is removed, and what runs over its ports goes with them",
    scope="switch",
    verb="lose their configuration",
    lasts="for good",
    named=True,
    warning="its configuration is removed; what runs over it stops: {touched}",
)

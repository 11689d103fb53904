"""What is defined about the switches themselves: log-in, control plane, forwarding tables, load balancing, day 0."""

from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from podwright.components.model.types import DottedQuad, SecretName, Spec, Words

Group = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,62}$"), Words("a name such as TACACS")]
"""Name of an AAA server group."""
Region = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{1,30}$"), Words("a TCAM region such as ing-racl")]
"""Region of the ternary tables as `show hardware access-list tcam region` names it."""
ImageFile = Annotated[
    str,
    StringConstraints(pattern=r"^nxos[A-Za-z0-9.-]{4,60}\.bin$"),
    Words("an image file such as nxos64-cs.10.4.5.M.bin"),
]
"""File name of an NX-OS image in bootflash."""


BannerText = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9(][A-Za-z0-9 .,:!()/@&+_-]{1,198}[A-Za-z0-9.!)]$"),
    Words("one line of 3 to 200 letters, digits, spaces and .,:!()/@&+_-"),
]
"""Text of a banner: the switch takes it between two `^`."""


UserName = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z]([a-z0-9-]{0,26}[a-z0-9])?$"),
    Words("a name of at most 28 lower-case letters, digits and hyphens that begins with a letter, such as ops"),
]
"""Name of a user of a switch."""
Role = Literal["network-operator", "network-admin"]
"""network-operator reads; network-admin may do everything."""
Rotation = Annotated[int, Field(ge=1, le=1_000_000)]
"""Number of a secret's value: raised when the value behind the name was rotated."""


class LocalUser(Spec):
    """A user of the switches themselves, for the console and for the day on which no AAA server answers.

    What is typed is a SHA-256 hash (type 5): a switch makes no SNMP user of it, and no log holds the password. A hash
    that was made from another password shows as drift.
    """

    password: SecretName
    """Secret that holds the password."""
    role: Role = "network-operator"
    """What the user may do."""
    generation: Rotation = 1
    """Raise it when the secret was rotated."""


class SnmpUser(Spec):
    """An SNMPv3 user that proves itself and speaks encrypted: SHA and AES-128.

    What is typed are keys localized to each switch (RFC 3414): the switch makes no local user of it. Keys that were
    made from other passphrases show as drift where the switch shows them as `localizedkey`; what it shows as
    `localizedV2key` nobody can compare: the user then counts as it was typed last.
    """

    authentication: SecretName
    """Secret that holds the passphrase of 8 to 64 characters that messages are signed with."""
    privacy: SecretName
    """Secret that holds the passphrase of 8 to 64 characters that messages are encrypted with."""
    role: Role = "network-operator"
    """What the user may read or set."""
    generation: Rotation = 1
    """Raise it when one of the secrets was rotated."""


class BgpPassword(Spec):
    """One password of every BGP session between switches (TCP MD5, RFC 2385): who has it not does not get in.

    Both ends of a session must have it, and a switch holds one at a time: giving it, rotating it and taking it away are
    changes of two ends. What is typed is type 7, which NX-OS shows as it was typed, so that another one shows as drift;
    a switch that shows type 3 or 6 cannot be compared, and its password counts as typed last.
    """

    secret: SecretName
    """Secret that holds the password."""
    generation: Rotation = 1
    """Raise it when the secret was rotated."""


class Archive(Spec):
    """Earlier configurations of each switch, on the switch itself: what a push found is kept before the first line is
    typed, as a file `podwright-<UTC>.cfg` in its boot flash.

    `rollback running-config file bootflash:<file>` on the switch goes back to one; what then differs from the plan is
    found by `podwright refresh` and put right by the next update, like any other edit.
    """

    kept: Annotated[int, Field(ge=1, le=100)] = 10
    """Files that stay on each switch, the newest."""


class Aaa(Spec):
    """Log-in and accounting by TACACS+, local users where no server answers (NX-OS's own fallback).

    The servers' shared key is in no file of ours and no state: `tacacs-server key` is typed once on each switch, by a
    person, and left alone by every push. `fabric.user` must be known to the servers with the role network-admin, or the
    next push cannot log in. Command authorisation is left out: NX-OS asks back before it takes it, and it would stand
    between a push and its own undo.
    """

    servers: Annotated[tuple[DottedQuad, ...], Field(min_length=1, max_length=4)]
    """TACACS+ servers in the order they are asked, reached through mgmt0."""
    group: Group = "TACACS"
    """Name of the server group."""


class TimeZone(Spec):
    """The zone in which switches show the time, without summer time: logs of one site compare."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Z]{1,8}$"), Words("a name in capitals such as UTC")] = "UTC"
    """What the switch calls it."""
    hours: Annotated[int, Field(ge=-23, le=23)] = 0
    """Hours ahead of UTC."""
    minutes: Annotated[int, Field(ge=0, le=59)] = 0
    """Minutes ahead of that."""


class Telemetry(Spec):
    """Counters and states that switches send to collectors by themselves, through mgmt0, by gRPC in GPB.

    Not encrypted: NX-OS needs a certificate on each switch for that, which a person installs. What is sent is the
    release's.
    """

    collectors: Annotated[tuple[DottedQuad, ...], Field(min_length=1, max_length=5)]
    """Addresses that everything is sent to (NX-OS takes five in a group)."""
    port: Annotated[int, Field(ge=1, le=65535)] = 57000
    """TCP port of every collector."""
    seconds: Annotated[int, Field(ge=10, le=3600)] = 60
    """Time between two samples in seconds."""


class Baseline(Spec):
    """Settings of every switch that someone must own. Null or empty: left as the first boot set them.

    A stack file may write the release alone: `baseline: "2026.11"`.
    """

    release: str | None = None
    """Release of the set of settings that every switch gets (docs/reference/baseline.md): "2026.11". What a release
    sets never changes. Null: none."""
    timezone: TimeZone = TimeZone()
    """Time zone of every switch, where there is a release."""
    banner: BannerText | None = None
    """Text shown before log-in, one line. Null: the release's."""
    management: Annotated[tuple[IPv4Network, ...], Field(max_length=16)] = ()
    """Networks that switches may be logged in to from, the one podwright comes from among them: a push that would lock
    podwright out is refused by what the switch itself sees of it. Empty: no access list."""
    users: Annotated[dict[UserName, LocalUser], Field(max_length=32)] = {}
    """Local users by name, beside `fabric.user`, which no push ever changes."""
    snmp_users: Annotated[dict[UserName, SnmpUser], Field(max_length=32)] = {}
    """SNMPv3 users by name; a name is not that of a local user."""
    bgp_password: BgpPassword | None = None
    """Password of BGP sessions between switches. Null: none."""
    archive: Archive | None = None
    """Earlier configurations, kept on each switch. Null: none."""
    telemetry: Telemetry | None = None
    """Streaming of counters and states. Null: none."""
    aaa: Aaa | None = None
    """Log-in by TACACS+."""
    copp: Literal["strict", "moderate", "lenient", "dense"] | None = None
    """Control-plane policing profile (the first boot asks, and offers strict). Null: the release's."""
    tcam: dict[Region, Annotated[int, Field(ge=0, le=4096, multiple_of=256)]] = {}
    """Sizes of TCAM regions; each takes effect with the next reload only."""


class Dlb(Spec):
    """Dynamic load balancing over the links between leaves and spines, by load instead of by hash.

    From NX-OS 10.5(1)F on models whose silicon has it; takes effect with the next reload. Output policies of the ports
    do not apply to flows it moves (Cisco's unicast routing guide): ports with queues of their own are refused with it.
    """

    mode: Literal["flowlet", "per-packet"] = "flowlet"
    """flowlet: a flow moves in its pauses and stays in order. per-packet: only where every NIC takes reordering."""
    flowlet_aging_us: Annotated[int, Field(ge=1, le=2_000_000)] | None = None
    """Pause after which a flow may move, in microseconds. Null: the switch's own."""


class Day0(Spec):
    """What a new switch gets before anything is pushed: name, mgmt0, image; the text has no secret in it."""

    network: IPv4Network
    """Network of all mgmt0 ports."""
    gateway: IPv4Address
    """Its gateway, for VRF management."""
    image: ImageFile
    """Image to boot, in bootflash; its name has the release in it."""

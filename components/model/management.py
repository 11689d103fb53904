"""What is defined about the management controllers of servers in Intersight: addresses, users, services."""

from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from podwright.components.model.types import Alone, Host, SecretName, Spec, Words

UserName = Annotated[
    str,
    Field(pattern=r"^[a-z][a-z0-9_.-]{0,15}$"),
    Words("a name of at most 16 lower-case letters, digits and _.- that begins with a letter, such as ops"),
]
"""Name of a user of management controllers."""
Generation = Annotated[int, Field(ge=1, le=1_000_000)]
"""Number of a secret's value: raised when the value behind the name was rotated."""
TcpPort = Annotated[int, Field(ge=1, le=65535)]
"""TCP or UDP port."""
PlainText = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 .,:@_-]{0,62}[A-Za-z0-9.]$"),
    Words("2 to 64 letters, digits, spaces and .,:@_-"),
]
"""Text that people read, such as a contact."""
DistinguishedName = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9]+=[A-Za-z0-9=,. _-]{1,120}$"),
    Words("a distinguished name such as CN=ops,DC=example,DC=com"),
]
"""Name of an entry of a directory."""
Email = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9._+-]{1,64}@([A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,63}$"),
    Words("an address such as ops@example.com"),
]
"""Address of mail."""
ConsoleRole = Literal["read-only", "user", "admin"]
"""read-only looks; user may switch power too and use the console; admin may do everything."""
Security = Literal["SHA", "SHA-224", "SHA-256", "SHA-384", "SHA-512"]
"""Hash that SNMPv3 messages are signed with."""


_BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
AddressRange = Annotated[
    str,
    StringConstraints(pattern=rf"^{_BYTE}(\.{_BYTE}){{3}}-{_BYTE}(\.{_BYTE}){{0,3}}/(1[6-9]|2[0-9]|30)$"),
    Words("first and last address and the length of the prefix, such as 203.0.113.64-95/24"),
]
"""Addresses of one network that follow each other."""


class Addresses(Spec):
    """Addresses that Intersight gives to the management controllers of servers behind Fabric Interconnects.

    Virtual media, KVM, syslog and SNMP of such a server work only with one: until then nothing but Intersight reaches
    it, through its interconnect. Standalone servers have addresses of their own and take none of these.
    """

    range: AddressRange
    """First and last address that are given out, and the length of their network's prefix: 203.0.113.64-95/24. At most
    1024 (Intersight API, ippool.IpV4Block.Size)."""
    gateway: IPv4Address | None = None
    """Gateway of their network. Null: the network's first address."""
    vlan: Annotated[int, Field(ge=2, le=4093)] | None = None
    """VLAN of the frontend that carries them, in band: the uplinks of the interconnects must bring it. Null: out of
    band, through the management ports of the interconnects."""

    @property
    def first(self) -> IPv4Address:
        """First address that is given out."""
        return IPv4Address(self.range.partition("-")[0])

    @property
    def last(self) -> IPv4Address:
        """Last address that is given out, which may be written by what follows the dots it shares with the first."""
        end = self.range.partition("-")[2].partition("/")[0].split(".")
        return IPv4Address(".".join([*str(self.first).split(".")[: 4 - len(end)], *end]))

    @property
    def network(self) -> IPv4Network:
        """Network of the first address."""
        return IPv4Network(f"{self.first}/{self.range.partition('/')[2]}", strict=False)


class ConsoleUser(Spec):
    """A user of the management controllers themselves, for the day on which Intersight cannot be reached.

    Nobody can read a password back: one that somebody changed on a controller is not seen; one that was taken away is
    drift.
    """

    password: SecretName
    """Secret that holds the password: 8 to 127 characters (Intersight API, iam.EndPointUserRole.Password)."""
    role: ConsoleRole = "read-only"
    """What the user may do."""
    generation: Generation = 1
    """Raise it when the secret was rotated."""


class Shell(Spec):
    """SSH to management controllers of standalone servers."""

    enabled: bool = True
    """False: the controllers answer no SSH."""
    port: TcpPort = 22
    """TCP port."""
    timeout_seconds: Annotated[int, Field(ge=60, le=10800)] = 1800
    """A session that is idle for so long ends."""


class SerialConsole(Spec):
    """The host's serial port over the network (serial over LAN)."""

    enabled: bool = True
    """False: it is not offered."""
    baud: Literal[9600, 19200, 38400, 57600, 115200] = 115200
    """Speed in bits per second; the host's kernel must use the same."""
    com_port: Literal["com0", "com1"] = "com0"
    """Serial port; com1 is there on few models."""
    ssh_port: Annotated[int, Field(ge=1024, le=65535)] = 2400
    """TCP port on which SSH leads to it directly."""


class Ipmi(Spec):
    """IPMI over LAN: off unless somebody needs it. Its passwords leave a controller as a hash that can be guessed
    offline (IPMI 2.0, RAKP)."""

    enabled: bool = False
    """True: the controllers answer IPMI."""
    privilege: Literal["read-only", "user", "admin"] = "read-only"
    """The most that a session may do."""
    key: SecretName | None = None
    """Secret that holds the encryption key: up to 40 hexadecimal digits. Null: none."""
    generation: Generation = 1
    """Raise it when the secret was rotated."""


class ConsoleSnmpUser(Spec):
    """An SNMPv3 user that proves itself and speaks encrypted with AES."""

    authentication: SecretName
    """Secret that holds the passphrase that messages are signed with."""
    privacy: SecretName
    """Secret that holds the passphrase that messages are encrypted with."""
    hash: Security = "SHA"
    """What they are signed with; every release of a controller knows SHA."""
    generation: Generation = 1
    """Raise it when one of the secrets was rotated."""


class Trap(Spec):
    """Where SNMPv3 messages go when something happens."""

    host: Host
    """Receiver."""
    user: UserName
    """User of `users` that signs."""
    port: TcpPort = 162
    """UDP port."""
    confirmed: bool = False
    """True: informs, which the receiver confirms, in place of traps."""


class ConsoleSnmp(Spec):
    """SNMPv3 of management controllers, and of interconnects where `interconnects` has it. No communities."""

    users: Annotated[dict[UserName, ConsoleSnmpUser], Field(min_length=1, max_length=15)]
    """Users by name; Intersight keeps `admin` for itself."""
    traps: Annotated[tuple[Trap, ...], Field(max_length=15)] = ()
    """Receivers."""
    contact: PlainText | None = None
    """Who is asked about a machine. Null: nobody."""
    location: PlainText | None = None
    """Where the machines stand. Null: not given."""
    port: TcpPort = 161
    """UDP port."""


class DirectoryServer(Spec):
    """A server of the directory."""

    host: Host
    """Host name or address."""
    port: TcpPort = 636
    """TCP port."""
    vendor: Literal["OpenLDAP", "MSAD"] = "OpenLDAP"
    """Kind of directory: MSAD is Microsoft's."""


class DirectoryGroup(Spec):
    """Members of a group of the directory, and what they may do."""

    dn: DistinguishedName
    """The group."""
    role: ConsoleRole = "read-only"
    """What its members may do."""


class Directory(Spec):
    """Log-in to management controllers of standalone servers by LDAP."""

    servers: Annotated[tuple[DirectoryServer, ...], Field(min_length=1, max_length=6)]
    """Servers in the order they are asked."""
    base_dn: DistinguishedName
    """Where users are searched."""
    domain: Host
    """DNS name of the domain."""
    filter: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,63}$"), Words("an attribute such as uid")] = "uid"
    """Attribute of a user that the log-in name is compared with; `sAMAccountName` in Microsoft's directory."""
    group_attribute: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,63}$"), Words("an attribute such as memberOf")] = (
        "memberOf"
    )
    """Attribute of a user that names groups."""
    groups: Annotated[dict[UserName, DirectoryGroup], Field(min_length=1, max_length=28)]
    """Who may log in, by a name of your own."""
    encrypted: bool = True
    """False: passwords of people go over the network as they are."""
    bind_dn: DistinguishedName | None = None
    """Entry that searches. Null: the one who logs in."""
    bind_password: SecretName | None = None
    """Secret that holds the password of `bind_dn`."""
    generation: Generation = 1
    """Raise it when the secret was rotated."""
    timeout_seconds: Annotated[int, Field(ge=1, le=180)] = 60
    """How long an answer may take."""


class Mail(Spec):
    """Mail about faults, from management controllers of standalone servers."""

    server: Host
    """Mail server."""
    port: TcpPort = 25
    """TCP port."""
    sender: Email
    """Who it comes from."""
    recipients: Annotated[tuple[Email, ...], Field(min_length=1, max_length=4)]
    """Who gets it."""
    severity: Literal["critical", "major", "minor", "warning", "condition"] = "critical"
    """The least fault that is worth a mail."""


class InterconnectServices(Spec):
    """What the Fabric Interconnects have of this section and of the site, in their domain's profile."""

    syslog: bool = True
    """Logs go to `site.syslog`, where there is one."""
    snmp: bool = True
    """They answer SNMP as `snmp` defines it, where it is there."""


class ServerManagement(Spec):
    """Management controllers of servers that Intersight looks after. Null or empty: left as they are.

    Each part becomes a policy, and only profiles of servers that take the policy get it
    (docs/reference/hardware.md): a standalone server has no `addresses`, a blade no `ssh`, `ldap`, `smtp`.
    """

    addresses: Annotated[Addresses | None, Alone("range")] = None
    """Addresses for controllers of servers behind Fabric Interconnects, which need them. A stack file may write the
    range alone: `addresses: 203.0.113.64-95/24`."""
    users: Annotated[dict[UserName, ConsoleUser], Field(max_length=15)] = {}
    """Local users by name. With any, a controller has these and `admin`, and loses others that Intersight made."""
    ssh: Shell | None = None
    """SSH."""
    serial_console: SerialConsole | None = None
    """Serial over LAN."""
    ipmi: Ipmi | None = None
    """IPMI over LAN. An empty section switches it off."""
    snmp: ConsoleSnmp | None = None
    """SNMPv3."""
    ldap: Directory | None = None
    """Log-in by a directory."""
    smtp: Mail | None = None
    """Mail about faults."""
    lockout: bool | None = None
    """True: a standalone server is changed through Intersight alone, not on its controller's own pages."""
    interconnects: InterconnectServices | None = None
    """Logs and SNMP of the Fabric Interconnects. Null: neither."""

"""What manages the switch: time servers, SNMP, users, AAA, SSH, logging: as configured, no server answers."""

from __future__ import annotations

from collections.abc import Callable

from podwright.lab.nxos.credentials import engine_id
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.table import Found


def show_ntp_peers(session: Session, _: Found) -> Output:
    """The time servers that are configured."""
    servers = [node.values["host"] for node in session.device.root.begin("ntp server")]
    rule = "-" * 50 + "\n"
    text = f"{rule}  Peer IP Address               Serv/Peer\n{rule}"
    text += "".join(f"  {host:<29} Server (configured)\n" for host in servers)
    return Output(text, rows("peers", [{"PeerIPAddress": host, "serv_peer": "Server"} for host in servers]))


def show_ntp_status(session: Session, _: Found) -> Output:
    """The same with what is heard of them: nothing, no time server is modelled."""
    servers = list(session.device.root.begin("ntp server"))
    text = f"Total peers : {len(servers)}\n* - selected for sync, + -  peer mode(active),\n"
    text += "- - peer mode(passive), = - polled in client mode\n"
    text += "    remote                                 local                                   st   poll   reach"
    text += f" delay   vrf\n{'-' * 119}\n"
    for node in servers:
        vrf = node.values.get("vrf", "default")
        text += f"={node.values['host']:<38} {'0.0.0.0':<39} 16   64       0   0.00000 {vrf}\n"
    return Output(text)


def _traps(device: Device) -> list[tuple[str, str]]:
    return [(node.values["host"], node.values["rest"]) for node in device.root.begin("snmp-server host")]


def show_snmp_community(session: Session, _: Found) -> Output:
    """Communities with their rights."""
    text = "Community            Group / Access      context    acl_filter\n"
    text += "---------            --------------      -------    ----------\n"
    for node in session.device.root.begin("snmp-server community"):
        group = node.values.get("group", "network-admin" if node.line.endswith("rw") else "network-operator")
        text += f"{node.values['name']:<20} {group}\n"
    return Output(text)


def show_snmp_user(session: Session, _: Found) -> Output:
    """SNMPv3 users, with how they prove themselves."""
    rule = "_" * 78
    text = f"{rule}\n                  SNMP USERS\n{rule}\n\n"
    text += "User                          Auth            Priv(enforce)   Groups              acl_filter\n"
    text += "____                          ____            _____________   ______              __________\n"
    for node in session.device.root.begin("snmp-server user"):
        words = node.values["rest"].split()
        kind = words[words.index("auth") + 1] if "auth" in words else "no"
        hidden = f"{words[words.index('priv') + 1]}(no)" if "priv" in words else "no"
        text += f"{node.values['user']:<29} {kind:<15} {hidden:<15} {words[0] if words else ''}\n"
    return Output(text)


def show_snmp_engine(session: Session, _: Found) -> Output:
    """What SNMPv3 keys are made with."""
    digits = engine_id(session.device)
    parts = ":".join(f"{int(digits[at : at + 2], 16):03}" for at in range(0, len(digits), 2))
    return Output(f"Local SNMP engineID: [Hex] {digits}\n                     [Dec] {parts}\n")


def show_snmp_host(session: Session, _: Found) -> Output:
    """Who gets traps."""
    rule = "-" * 67 + "\n"
    text = f"{rule}Host                            Port Version  Level  Type   SecName\n{rule}"
    for host, rest in _traps(session.device):
        words = rest.split()
        version = f"v{words[words.index('version') + 1]}" if "version" in words else "v1"
        kind = "inform" if "informs" in words else "trap"
        text += f"{host:<31} 162  {version:<8} noauth {kind:<6} {words[-1]}\n{rule}"
    return Output(text)


def show_user_account(session: Session, _: Found) -> Output:
    """The users of the switch with their roles."""
    device, text = session.device, ""
    for node in device.root.begin("username"):
        if " sshkey " in node.line:
            continue
        name = node.values["user"]
        text += f"user:{name}\n        this user account has no expiry date\n        roles:"
        text += f"{node.values.get('role', 'network-operator')}\n"
        if device.root.get(f"username {name} sshkey") is not None:
            text += "        ssh public key: configured\n"
    return Output(text)


def show_role(_: Session, __: Found) -> Output:
    """The two roles that the lab knows."""
    text = ""
    for name, what, rights in (
        ("network-admin", "Predefined network admin role has access to all commands\n  on the switch", "read-write"),
        (
            "network-operator",
            "Predefined network operator role has access to all read\n  commands on the switch",
            "read",
        ),
    ):
        text += f"Role: {name}\n  Description: {what}\n  {'-' * 67}\n"
        text += "  Rule    Perm    Type        Scope               Entity\n"
        text += f"  {'-' * 67}\n  1       permit  {rights}\n\n"
    return Output(text)


def show_aaa(session: Session, found: Found) -> Output:
    """Methods of one of the three kinds."""
    kind, text = found.match.words[2], ""
    for what in {"authentication": ("login default", "login console"), "accounting": ("default",),
                 "authorization": ("config-commands default", "commands default")}[kind]:  # fmt: skip
        node = session.device.root.get(f"aaa {kind} {what}")
        method = node.line.removeprefix(f"aaa {kind} {what} ") if node else "local"
        text += f"{'default' if what == 'login default' else what.removeprefix('login ')}: {method}\n"
    return Output(f"         {text}".replace("\n", "\n         ").rstrip(" "))


def show_tacacs(session: Session, _: Found) -> Output:
    """TACACS+ servers."""
    servers = list(session.device.root.begin("tacacs-server host"))
    text = f"timeout value:{session.device.root.value('tacacs-server timeout', 's', '5')}\ndeadtime value:0\n"
    text += f"total number of servers:{len(servers)}\n\nfollowing TACACS+ servers are configured:\n"
    for node in servers:
        text += f"        {node.values['host']}:\n                available on port:{node.values.get('port', '49')}\n"
    return Output(text)


def show_ssh(_: Session, __: Found) -> Output:
    """The SSH server."""
    return Output("ssh version 2 is enabled\n")


def show_ssh_key(_: Session, __: Found) -> Output:
    """The host key's kind; the key itself is what a client is shown."""
    return Output("**************************************\ned25519 Keys generated\n\nbitcount:256\n"
                  "**************************************\n")  # fmt: skip


def show_banner(session: Session, _: Found) -> Output:
    """The banner."""
    node = session.device.root.get("banner motd")
    return Output((node.line.removeprefix("banner motd ").strip("^").strip("\n") if node else "") + "\n")


def show_logging_server(session: Session, _: Found) -> Output:
    """Where the log goes."""
    servers = list(session.device.root.begin("logging server"))
    text = f"Logging server:                 {'enabled' if servers else 'disabled'}\n"
    for node in servers:
        text += f"{{{node.values['host']}}}\n        server severity:        {node.values.get('level', '5')}\n"
        text += f"        server facility:        {node.values.get('facility', 'local7')}\n"
        text += f"        server VRF:             {node.values.get('vrf', 'default')}\n"
        text += f"        server port:            {node.values.get('port', '514')}\n"
    return Output(text)


SHOWS: dict[str, Callable[[Session, Found], Output]] = {
    f.__name__: f
    for f in (
        show_ntp_peers, show_ntp_status, show_snmp_community, show_snmp_user, show_snmp_engine, show_snmp_host,
        show_user_account, show_role, show_aaa, show_tacacs, show_ssh, show_ssh_key, show_banner, show_logging_server,
    )
}  # fmt: skip

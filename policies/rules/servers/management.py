"""How a server is reached and watched beside its operating system: console, media, users, time, logs, power."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from ..resource import Resource
from ..rule import Rule
from .asked import all_hold, any_of, asked, each_of, holds, members, sifted
from .inventory import POLICY, Object, alone, of, part

_HARDENING: Final = "https://www.cisco.com/c/en/us/products/collateral/cloud-systems-management/intersight/compute-intersight-hardening-guide-wp.html"
_POLICIES: Final = (
    "https://www.cisco.com/c/en/us/products/collateral/cloud-systems-management/intersight/intersight-policies-so.html"
)
_NTP: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/policies/ntp/"
_POWER: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/policies/power/"
_STORAGE: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/policies/storage/"
_SNMP: Final = "https://www.cisco.com/c/en/us/support/docs/ip/simple-network-management-protocol-snmp/20370-snmpsecurity-20370.html"

_UTC: Final = ("Etc/GMT", "Etc/UTC", "Etc/UCT", "Etc/Zulu", "Etc/Universal", "Etc/Greenwich", "UTC", "GMT")
_SILENT: Final = ("emergency", "alert", "critical")
"""Least severities that keep back what announces a failure: corrected errors, links and fans are `error` or less."""
_KEEPING: Final = {"UnusedDisksState": "NoChange", "UseJbodForVdCreation": False}
_DESTROYING: Final = ("JBOD", "UnconfiguredGood")


def _asks(resource: Resource, values: Object) -> Iterator[str]:
    off = any_of((lambda: not values.get("Enabled"), lambda: not values.get("NtpServers")))
    if off:
        yield f"{resource.name} asks no time server"


def _zone(resource: Resource, values: Object) -> Iterator[str]:
    zone = values.get("Timezone") or "Pacific/Niue, Intersight's default"
    if zone not in _UTC:
        yield f"{resource.name} has the time zone {zone}"


def _console(resource: Resource, values: Object) -> Iterator[str]:
    if not values.get("Enabled"):
        yield f"{resource.name} has no console: a server that does not boot cannot be looked at"


def _video(resource: Resource, values: Object) -> Iterator[str]:
    if not values.get("EnableVideoEncryption"):
        yield f"{resource.name} shows the console without encryption"


def _media(resource: Resource, values: Object) -> Iterator[str]:
    if not values.get("Enabled"):
        yield f"{resource.name} has virtual media off: no image can be mounted for an installation"


def _encrypted(resource: Resource, values: Object) -> Iterator[str]:
    if not values.get("Encryption"):
        yield f"{resource.name} mounts media without encryption"


def _mounted(resource: Resource, values: Object) -> Iterator[str]:
    def name(image: Object) -> str:
        return str(image.get("VolumeName") or image.get("RemoteFile") or "an image")

    return each_of(lambda each: f"{resource.name} leaves {name(each)} mounted", members(values.get("Mappings")))


def _ipmi(resource: Resource, values: Object) -> Iterator[str]:
    if values.get("Enabled", True):
        yield f"{resource.name} has IPMI over LAN on"


def _strong(resource: Resource, values: Object) -> Iterator[str]:
    if not part(values, "PasswordProperties").get("EnforceStrongPassword"):
        yield f"{resource.name} accepts weak passwords"


def _notice(resource: Resource, values: Object) -> Iterator[str]:
    rules = part(values, "PasswordProperties")
    if rules.get("EnablePasswordExpiry") and not rules.get("NotificationPeriod"):
        yield f"{resource.name} has passwords that expire without notice"


def _power(resource: Resource, values: Object) -> Iterator[str]:
    state = values.get("PowerRestoreState") or "AlwaysOff, Intersight's default"
    if state not in ("LastState", "AlwaysOn"):
        yield f"{resource.name} leaves servers off when power returns: {state}"


def _remote(values: Object) -> Iterator[Object]:
    return sifted(_receives, members(values.get("RemoteClients")))


def _receives(client: Object) -> bool:
    return all_hold(partial(client.get, key) for key in ("Enabled", "Hostname"))


def _sent(resource: Resource, values: Object) -> Iterator[str]:
    if not holds(lambda _: True, _remote(values)):
        yield f"{resource.name} sends logs nowhere: what a server wrote is gone with it"


def _kept(resource: Resource, values: Object) -> Iterator[str]:
    clients = asked(lambda ask: ask(values), (lambda each: members(each.get("LocalClients")), _remote))
    silent = sifted(lambda each: str(each.get("MinSeverity")) in _SILENT, clients)
    return each_of(lambda each: f"{resource.name} keeps back everything below {each['MinSeverity']}", silent)


def _answers(values: Object) -> bool:
    return values.get("Enabled", True) is not False


def _communities(resource: Resource, values: Object) -> Iterator[str]:
    known = sifted(lambda key: _is_known(values.get(key)), ("AccessCommunityString", "TrapCommunity"))
    for key in known if _answers(values) else ():
        yield f"{resource.name} has the {key} {values[key]}, which everybody tries first"


def _traps(resource: Resource, values: Object) -> Iterator[str]:
    known = sifted(lambda each: _is_known(each.get("Community")), members(values.get("SnmpTraps")))
    for each in known if _answers(values) else ():
        yield f"{resource.name} sends traps with the community {each['Community']}"


def _is_known(community: object) -> bool:
    return str(community or "").lower() in ("public", "private")


def _drives(resource: Resource, values: Object) -> Iterator[str]:
    for key in sifted(lambda key: values.get(key) != _KEEPING[key], _KEEPING):
        yield f"{resource.name} has {key} {values.get(key, 'unset')}, not {_KEEPING[key]}"


def _mode(resource: Resource, values: Object) -> Iterator[str]:
    if values.get("DefaultDriveMode") in _DESTROYING:
        yield f"{resource.name} sets the mode of drives to {values['DefaultDriveMode']}"


MANAGEMENT: tuple[Rule, ...] = (
    Rule(
        id="compute-time-is-utc",
        title="Servers and interconnects ask a time server and log in UTC",
        why="Intersight's default zone is Pacific/Niue, eleven hours off: logs of server and node do not match.",
        fix="Set Enabled, NtpServers and Timezone (Etc/GMT) in the NTP policy.",
        reference=_NTP,
        severity="medium",
        types=of(POLICY),
        check=alone("ntp.Policy", _asks, _zone),
    ),
    Rule(
        id="compute-console-encrypted",
        title="The console is on and encrypted",
        why="Whoever reads the console's traffic reads passwords typed there; without one nobody sees a boot fail.",
        fix="Set Enabled and EnableVideoEncryption in the virtual KVM policy.",
        reference=_HARDENING,
        severity="high",
        types=of(POLICY),
        check=alone("kvm.Policy", _console, _video),
    ),
    Rule(
        id="compute-media-encrypted-and-empty",
        title="Virtual media are encrypted, and mounted only while a server installs",
        why="An image that stays mounted is booted again by mistake; without encryption it can be altered on the way.",
        fix="Set Enabled and Encryption in the virtual media policy and leave Mappings out of it.",
        reference=_HARDENING,
        severity="high",
        types=of(POLICY),
        check=alone("vmedia.Policy", _media, _encrypted, _mounted),
    ),
    Rule(
        id="compute-ipmi-off",
        title="IPMI over LAN is off",
        why="IPMI 2.0 hands a password hash to anybody who names a user, before any login; Redfish does all it is for.",
        fix="Set Enabled to false in the IPMI over LAN policy, or leave the policy out.",
        reference=_HARDENING,
        severity="high",
        types=of(POLICY),
        check=alone("ipmioverlan.Policy", _ipmi),
    ),
    Rule(
        id="compute-users-have-password-rules",
        title="Local users have strong passwords",
        why="A server's own users open its console and its power switch to whoever guesses one password.",
        fix="Set PasswordProperties with EnforceStrongPassword in the local user policy.",
        reference=_HARDENING,
        severity="high",
        types=of(POLICY),
        check=alone("iam.EndPointUserPolicy", _strong, _notice),
    ),
    Rule(
        id="compute-power-returns",
        title="Servers come back when power does",
        why="Intersight's default leaves servers off after a feed fails: somebody starts each of them by hand.",
        fix="Set PowerRestoreState to LastState in the power policy (a server that was shut for repair stays off).",
        reference=_POWER,
        severity="high",
        types=of(POLICY),
        check=alone("power.Policy", _power),
    ),
    Rule(
        id="compute-logs-leave-the-server",
        title="Servers send their logs to a receiver",
        why="A server's own log is small and dies with it; what announced the failure has to be somewhere else.",
        fix="Name site.syslog, or a RemoteClients entry that is enabled and takes errors and warnings.",
        reference=_POLICIES,
        severity="medium",
        types=of(POLICY),
        check=alone("syslog.Policy", _sent, _kept),
    ),
    Rule(
        id="compute-snmp-not-public",
        title="SNMP has no well-known community",
        why="A community is a password sent in plain text; public and private are the first two that scanners try.",
        fix="Use SNMP version 3 users, or at least a community of your own.",
        reference=_SNMP,
        severity="high",
        types=of(POLICY),
        check=alone("snmp.Policy", _communities, _traps),
    ),
    Rule(
        id="compute-disks-left-alone",
        title="A server profile does not change disks",
        why="Changing the state of unused disks, or of the default mode, takes data from a node that runs on them.",
        fix="Set UnusedDisksState to NoChange and UseJbodForVdCreation to false; leave DefaultDriveMode out.",
        reference=_STORAGE,
        severity="critical",
        types=of(POLICY),
        check=alone("storage.StoragePolicy", _drives, _mode),
    ),
)

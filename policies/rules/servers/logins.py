"""Who may log in to what a management controller opens."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ..resource import Resource
from ..rule import Finding, StackRule
from .asked import asked, holds, sifted
from .inventory import POLICY, PROFILE, attached, objects, of, properties
from .profiles import server_profiles

_HARDENING: Final = "https://www.cisco.com/c/en/us/products/collateral/cloud-systems-management/intersight/compute-intersight-hardening-guide-wp.html"
_USERS: Final = ("iam.EndPointUserPolicy", "iam.LdapPolicy")


def _open(resources: Sequence[Resource]) -> Iterator[Finding]:
    known = objects(resources)
    opened = sifted(lambda each: "ssh.Policy" in attached(each, known), server_profiles(resources))
    yield from asked(lambda each: _answers(each, attached(each, known)), opened, "no server has an SSH policy")


def _answers(profile: Resource, own: Mapping[str, Resource]) -> Iterator[Finding]:
    shell = own["ssh.Policy"]
    if properties(shell).get("Enabled", True) and not holds(own.__contains__, _USERS):
        yield Finding(f"{profile.name} opens SSH by {shell.name} and names nobody who may log in", profile.urn)


LOGINS: tuple[StackRule, ...] = (
    StackRule(
        id="compute-ssh-has-users",
        title="A controller that answers SSH has users of its own or a directory",
        why="Without either, whoever logs in is the factory's admin, with a password that everybody shares or guesses.",
        fix="Define users or ldap in intersight.management, or set Enabled to false in the SSH policy.",
        reference=_HARDENING,
        severity="high",
        excused_by=of(POLICY),
        types=of(PROFILE, POLICY),
        compare=_open,
    ),
)

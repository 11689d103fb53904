"""The status screen's line of certificates: which of the file's end soon or have ended, who shows another one."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from podwright.components import model
from podwright.components.providers.status.certificates import Certificate, parsed
from podwright.components.providers.status.live import Live

SOON = timedelta(days=60)
"""Before the end of a certificate: Cisco's devices report it from then on
(https://mibs.observium.org/mib/CISCO-PKI-MIB, ciscoPkiCertExpiryAlert)."""
PART = 1 / 3
"""Of the life of one that lives for less than six months, for which 60 days would be most of it: renewed in its last
third (https://letsencrypt.org/docs/integration-guide/)."""


@dataclass(frozen=True)
class Certificates:
    """Those of the file, by server, and what is wrong with each at a time."""

    known: Mapping[str, Certificate]
    now: datetime
    unreadable: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    """Whose controller shows another one."""
    unknown: tuple[str, ...] = ()
    """Whose controller showed none, or is reached by Intersight alone."""

    @property
    def ended(self) -> tuple[str, ...]:
        """Whose time is over."""
        return tuple(name for name, each in self.known.items() if each.ends <= self.now)

    @property
    def early(self) -> tuple[str, ...]:
        """Whose time has not begun."""
        return tuple(name for name, each in self.known.items() if self.now < each.begins)

    @property
    def soon(self) -> tuple[str, ...]:
        """Whose time is over soon."""
        left = {name: each.ends - self.now for name, each in self.known.items() if each.begins <= self.now < each.ends}
        lives = {name: each.ends - each.begins for name, each in self.known.items()}
        return tuple(name for name, each in left.items() if each <= min(SOON, lives[name] * PART))

    @property
    def wrong(self) -> bool:
        """Whether clients refuse one now, or one that nobody planned is shown."""
        return bool(self.unreadable or self.ended or self.early or self.other)

    @property
    def line(self) -> str:
        """Everything in one line; empty where the file has none."""
        if not self.known and not self.unreadable:
            return ""
        parts = [f"{name}'s ended on {self.known[name].ends:%Y-%m-%d}" for name in self.ended]
        parts += [f"{name}'s begins on {self.known[name].begins:%Y-%m-%d} only" for name in self.early]
        parts += [f"{name}'s ends on {self.known[name].ends:%Y-%m-%d}, in {self._days(name)}" for name in self.soon]
        parts += [f"{name}'s cannot be read" for name in self.unreadable]
        parts += [f"{name} shows another one" for name in self.other]
        if not self.wrong and not self.soon:
            first = min(each.ends for each in self.known.values())
            parts.append(f"{len(self.known)} valid, the first ends on {first:%Y-%m-%d}")
        parts += [f"what {', '.join(self.unknown)} shows is not checked"] if self.unknown else []
        return "; ".join(parts)

    def _days(self, name: str) -> str:
        days = (self.known[name].ends - self.now).days
        return "less than a day" if days < 1 else f"{days} day{'s' if days > 1 else ''}"


def certificates(cluster: model.Cluster, live: Live, now: datetime | None = None) -> Certificates:
    """The file's certificates beside the clock and what controllers show."""
    read = {name: parsed(each.certificate.certificate) for name, each in cluster.servers.items() if each.certificate}
    known = {name: each for name, each in read.items() if each}
    seen = {name: live.servers[name].certificate if name in live.servers else None for name in known}
    return Certificates(
        known,
        now or datetime.now(UTC),
        unreadable=tuple(name for name in read if name not in known),
        other=tuple(name for name, each in seen.items() if each and each.fingerprint != known[name].fingerprint),
        unknown=tuple(name for name, each in seen.items() if each is None),
    )

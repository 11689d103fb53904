"""How much a change may disturb, and what is approved beyond that, until when."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import StringConstraints

from podwright.components.model.types import Spec, Words

Moment = Annotated[
    str,
    StringConstraints(pattern=r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})$"),
    Words('a time with its zone, in quotes, such as "2026-11-23T06:00:00Z"'),
]
"""Date and time with zone (RFC 3339)."""


OfServers = Literal["flap", "reboot", "wipe"]
"""What a change of settings does to a server, in the words of a preview."""


class ServerApproval(Spec):
    """What may happen to a server although a check or the server's own answer would stop it."""

    what: OfServers
    """flap: links are down for a moment. reboot: it restarts where the plan held that it need not; its pool's roll-out
    restarts it without any approval. wipe: data on its disks is lost, which never passes without one."""
    until: Moment
    """End of the approval. A server that was begun is finished then, no other one is begun."""
    reason: str = ""
    """Why, for those who read the file later."""


class Approval(Spec):
    """Changes of one class that may pass although they are above the limit."""

    what: Literal["disruptive", "two-ended", "replaced", "flap", "reboot", "wipe"]
    """The class that passes; or, of servers alone, what happens to them."""
    on: tuple[str, ...] = ()
    """Switches, servers, pools or clusters that it holds for; none: for all."""
    until: Moment
    """End of the approval. A device that was begun is finished then, no other one is begun."""
    reason: str = ""
    """Why, for those who read the file later."""


class Changes(Spec):
    """How much a change may disturb. Nothing here changes a device by itself."""

    limit: Literal["live", "disruptive", "two-ended", "replaced"] = "disruptive"
    """The worst class of change that passes without an approval (docs/reference/changes.md)."""
    approve: tuple[Approval, ...] = ()
    """What passes beyond the limit, and until when. While two-ended changes are approved all switches change together,
    not in waves: the ends of a link differ for as short as can be."""

    @property
    def together(self) -> bool:
        """Whether both ends of a link change in one wave."""
        return any(each.what == "two-ended" for each in self.approve)

    def in_force(self, now: datetime) -> "Changes":
        """The same without approvals that have ended: an old one left in the file must not undo the waves."""
        left = tuple(each for each in self.approve if now < datetime.fromisoformat(each.until))
        return self.model_copy(update={"approve": left})

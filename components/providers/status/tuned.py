"""Tuned profiles of nodes, as the Node Tuning Operator's daemons report them."""

from collections.abc import Iterator, Sequence

from podwright.components.providers.openshift.conditions import conditions
from podwright.components.providers.status.snapshot import Snapshot


def untuned(snapshot: Snapshot, nodes: Sequence[str], profile: str) -> Iterator[str]:
    """A phrase for each of `nodes` that does not run `profile`."""
    for node in nodes:
        live = snapshot.named("TunedProfile", node)
        if live is None:
            if not snapshot.unseen("TunedProfile"):
                yield f"{node} reports no Tuned profile"
            continue
        chosen = live["spec"]["config"]["tunedProfile"]
        rows = conditions(live)
        applied, degraded = rows.get("Applied", {}), rows.get("Degraded", {})
        if chosen != profile:
            yield f"{node} is given the Tuned profile {chosen}, not {profile}"
        elif applied.get("status") != "True" or degraded.get("status") == "True":
            reason = degraded.get("message") or applied.get("message") or "not reported as applied yet"
            yield f"{node} has not applied the Tuned profile {profile}: {reason}"
        elif degraded.get("reason") in ("TunedWarning", "TunedSysctlOverride"):
            yield f"{node} has applied the Tuned profile {profile} in part: {degraded.get('message')}"

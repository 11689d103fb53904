"""The status screen's line of firmware: what the file plans, what runs it, what the compatibility list has."""

from collections import Counter
from dataclasses import dataclass

from podwright.components import model
from podwright.components.model.catalogue import SERVERS
from podwright.components.model.firmware import bundle_of, plain_bundle
from podwright.components.providers.status.live import Live

NOT_CHECKED = "not checked"
GOOD = "Validated"
UNJUDGED = ("", "Incomplete", "Not-Evaluated", "Not-Applicable", "Not-Found")
"""HCL statuses that say nothing of the hardware."""


@dataclass(frozen=True)
class Planned:
    """What a server is to run: the family or model, the bundle or release, and the components that are compared where
    its own controller is asked."""

    of: str
    version: str
    components: dict[str, str] | None = None


def planned(cluster: model.Cluster) -> dict[str, Planned]:
    """By server, the firmware that the file plans; servers without a version keep what they run."""
    found = {name: _planned(cluster, name, server) for name, server in cluster.servers.items()}
    return {name: each for name, each in found.items() if each}


def _planned(cluster: model.Cluster, name: str, server: model.Server) -> Planned | None:
    known = SERVERS[server.model]
    if known.family is None:
        release = cluster.bmc.firmware.approval(server.model) if cluster.bmc else None
        return Planned(server.model, release.version, dict(release.components)) if release else None
    version = cluster.intersight.firmware.versions.get(known.family, "") if cluster.intersight else ""
    for each in model.effective(name, server, cluster.compute.roles).settings.policies.values():
        if each.type == "firmware.Policy":
            said = bundle_of(each.properties, known.family)
            version = plain_bundle(said[1]) if said else ""
    return Planned(known.family, version) if version else None


@dataclass(frozen=True)
class Judged:
    """How far the servers are: what each other one runs, which are not checked, and what HCL says, by status."""

    plan: dict[str, Planned]
    other: dict[str, str]
    unknown: tuple[str, ...]
    listed: Counter[str]

    @property
    def line(self) -> str:
        """Everything in one line; empty without a plan."""
        if not self.plan:
            return ""
        wanted = ", ".join(sorted({f"{each.of} {each.version}" for each in self.plan.values()}))
        runs = len(self.plan) - len(self.other) - len(self.unknown)
        parts = [f"{wanted}: {runs} of {len(self.plan)} servers run it"]
        parts += (
            ["not " + ", ".join(f"{name} ({version})" for name, version in self.other.items())] if self.other else []
        )
        parts += [f"{', '.join(self.unknown)} {NOT_CHECKED}"] if self.unknown else []
        parts.append("HCL " + ", ".join(f"{count} {status}" for status, count in sorted(self.listed.items())))
        return "; ".join(parts)


def judged(cluster: model.Cluster, live: Live) -> Judged:
    """The plan beside what answered. What nobody tells is not checked, and stops nothing."""
    plan = planned(cluster)
    other: dict[str, str] = {}
    unknown: list[str] = []
    listed: Counter[str] = Counter()
    for name, each in plan.items():
        serial = cluster.servers[name].serial
        if each.components is not None:
            seen = live.servers.get(name)
            running = dict(seen.firmware) if seen else {}
            differs = [f"{key} {version}" for key, version in running.items() if each.components[key] != version]
            if differs:
                other[name] = ", ".join(differs)
            elif set(each.components) - set(running):
                unknown.append(name)
            listed[NOT_CHECKED] += 1
            continue
        runs, status = live.firmware.runs.get(serial, ""), live.firmware.listed.get(serial, "")
        if not runs:
            unknown.append(name)
        elif runs != each.version:
            other[name] = runs
        listed[NOT_CHECKED if status in UNJUDGED else "validated" if status == GOOD else status] += 1
    return Judged(plan, other, tuple(unknown), listed)

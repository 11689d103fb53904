"""Reads a switch's blocks the way the switch does: members inherit from their port-channel, ranges are spelled out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .rule import NotApplicable, Resource

SWITCH = "podwright:nxos:Switch"


@dataclass(frozen=True)
class Port:
    """One cabled port of the lossless class: its lines, its own and those inherited from its port-channel."""

    name: str
    device: str
    peer: str
    lines: frozenset[str]

    def value(self, keyword: str) -> str | None:
        """What follows `keyword` on this port, or None where no such line stands."""
        return next((line[len(keyword) + 1 :] for line in self.lines if line.startswith(f"{keyword} ")), None)


@dataclass(frozen=True)
class SwitchText:
    """A switch's configuration as blocks, and the lossless class it says it carries."""

    hostname: str
    config: Mapping[str, str]
    dscp: int
    priority: int
    mtu: int
    ports: tuple[Port, ...]

    def children(self, line: str) -> tuple[str, ...]:
        """Child lines of a top-level line, stripped; empty where the block is absent."""
        return tuple(child.strip() for child in self.config.get(line, "").splitlines())

    def blocks(self, prefix: str) -> Iterator[tuple[str, str]]:
        """Blocks whose top-level line starts with `prefix`."""
        return ((line, text) for line, text in self.config.items() if line.startswith(prefix))

    def subclass(self, policy_map: str, suffix: str) -> tuple[str, ...]:
        """Lines of the class ending in `suffix` inside a policy-map block."""
        lines: list[str] = []
        inside = False
        for raw in self.config.get(policy_map, "").splitlines():
            if not raw.startswith(" "):
                inside = raw.endswith(suffix)
            elif inside:
                lines.append(raw.strip())
        return tuple(lines)

    def attached(self, kind: str) -> str | None:
        """Top-level line of the policy-map of this kind that `system qos` attaches, or None."""
        words = "queuing output" if kind == "queuing" else kind
        for line in self.children("system qos"):
            if line.startswith(f"service-policy type {words} "):
                return f"policy-map type {kind} {line.split()[-1]}"
        return None


def switch(resource: Resource) -> SwitchText:
    """The switch behind a resource.

    Raises NotApplicable for other resources, and for switches that carry no lossless class.
    """
    if resource.type != SWITCH:
        raise NotApplicable("only switches are judged")
    spec = resource.props.get("spec") or {}
    lossless = spec.get("lossless")
    if not lossless:
        raise NotApplicable("the switch carries no lossless class")
    config = {str(line): str(text) for line, text in spec["config"].items()}
    ports = tuple(
        Port(name, str(link["device"]), str(link["port"]), frozenset(_lines(config, name)))
        for name, link in spec.get("links", {}).items()
        if link["role"] in {"host", "fabric"}
    )
    return SwitchText(
        str(spec["hostname"]), config, int(lossless["dscp"]), int(lossless["priority"]), int(lossless["mtu"]), ports
    )


def _lines(config: Mapping[str, str], port: str) -> Iterator[str]:
    for line in config.get(f"interface {port}", "").splitlines():
        words = line.split()
        yield line.strip()
        if words[:1] == ["channel-group"]:
            yield from _lines(config, f"port-channel{words[1]}")

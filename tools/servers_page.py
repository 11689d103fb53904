"""The servers of the catalogue as a part of docs/reference/hardware.md."""

from collections.abc import Iterable

from podwright.components.model.catalogue import CHASSIS, INTERCONNECTS, SERVERS, PowerSupplies

UNKNOWN = "not confirmed"


def section() -> list[str]:
    """Lines of the tables of servers, their NICs and supplies, Fabric Interconnects and chassis."""
    return [
        "## Servers",
        "",
        "Draw, cores and memory are estimates of a common fit; `site.watts`, `cores`, `memory_gib` take their place.",
        "A rack server that may be `FIAttached` is so where `servers.<name>.domain` names its Fabric Interconnects.",
        "",
        *_models(),
        "",
        "### What manages a server",
        "",
        *(f"- **{', '.join(names)}**: {why}." for why, names in _reasons().items()),
        "",
        "### NICs",
        "",
        *_nics(),
        "",
        "## Fabric Interconnects and chassis",
        "",
        *_interconnects(),
    ]


def _models() -> list[str]:
    head = ("model", "platform", "through", "cores", "GiB", "W", "supplies", "slots", "GPUs", "rails", "source")
    rows = [
        (
            each.name,
            " or ".join(each.attachments),
            each.manager,
            f"{each.sockets} x {each.cores}",
            each.memory_gib,
            each.watts,
            "the chassis's" if each.slots else _supplies(each.supplies),
            each.slots or "none",
            "; ".join(f"{'/'.join(map(str, fit.counts))} x {name}" for name, fit in each.gpus.items()) or "none",
            len(each.rails) or each.rails_unknown or "none",
            each.source,
        )
        for each in SERVERS.values()
    ]
    return _table(head, rows)


def _reasons() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in SERVERS.values():
        found.setdefault(each.managed, []).append(each.name)
    return found


def _nics() -> list[str]:
    rows: list[tuple[object, ...]] = []
    for each in SERVERS.values():
        rows += [
            (each.name, f"rail {nic.rail}", nic.pci, nic.numa, f"1 x {nic.gbps}G", each.source) for nic in each.rails
        ]
        rows += [
            (
                each.name,
                nic.product,
                nic.slot or UNKNOWN,
                UNKNOWN if nic.numa is None else nic.numa,
                f"{nic.ports} x {nic.gbps}G",
                nic.source,
            )
            for nic in each.adapters
        ]
    return _table(("model", "NIC", "slot or PCI address", "NUMA node", "ports", "source"), rows)


def _interconnects() -> list[str]:
    rows: list[tuple[object, ...]] = [
        (each.name, each.described, _supplies(each.supplies), each.source) for each in INTERCONNECTS.values()
    ]
    rows += [
        (each.name, f"{each.slots} slots for blades and PCIe nodes", _supplies(each.supplies), each.source)
        for each in CHASSIS.values()
    ]
    return _table(("model", "what it has", "supplies", "source"), rows)


def _supplies(fitted: PowerSupplies | None) -> str:
    if fitted is None:
        return UNKNOWN
    return f"{fitted.fitted} x {f'{fitted.watts} W' if fitted.watts else 'a rating of the order'}"


def _table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return lines + [f"| {' | '.join(map(str, row))} |" for row in rows]

"""Writes docs/reference/ from models, catalogue and rules: `python -m tools.docs [--check]`."""

import sys
from collections.abc import Iterator
from pathlib import Path

from podwright.components.model import Cluster, Rates, describe
from podwright.components.model.catalogue import CABLES, CAGES, GPUS, OPTICS, REFUSED_SWITCHES, SWITCHES
from podwright.components.model.catalogue.switches import printed_tbps
from podwright.components.model.documentation import docstrings
from podwright.components.model.outputs import Outputs
from podwright.components.model.types import Spec
from tools import (
    alerts_page,
    baseline_page,
    changes_page,
    lint_page,
    mistakes,
    policies_page,
    releases_page,
    servers_page,
    unsupported_page,
)
from tools.generated import ROOT, main


def models(root: type[Spec] = Cluster) -> list[type[Spec]]:
    """Every mapping of a file, from the root down, each once."""
    found: list[type[Spec]] = []
    waiting: list[type[Spec]] = [root]
    while waiting:
        model = waiting.pop(0)
        if model not in found:
            found.append(model)
            waiting += [each for annotation in describe.hints(model).values() for each in _within(annotation)]
    return found


def _within(annotation: object) -> Iterator[type[Spec]]:
    shape = describe.shape(annotation)
    if shape.variants:
        yield from shape.variants
    elif describe.is_model(shape):
        yield shape.kind
    elif shape.kind in (dict, tuple):
        yield from _within(shape.arguments[-1 if shape.kind is dict else 0])


def _row(model: type[Spec], name: str, annotation: object) -> str:
    info = model.model_fields[name]
    derived = describe.derived(model, name)
    default = derived or ("**required**" if info.is_required() else _default(info.default))
    text = " ".join(docstrings(model).get(name, "").split()).replace("|", "\\|")
    return f"| `{name}` | {_type(annotation)} | {default} | {text} |"


def _type(annotation: object) -> str:
    inner = list(_within(annotation))
    shape = describe.shape(annotation)
    if not inner:
        return describe.words(annotation).replace("|", "\\|")
    link = ", ".join(f"[{each.__name__}](#{each.__name__.lower()})" for each in inner)
    if shape.variants:
        return f"one of {link}, distinguished by `kind`"
    return f"{link} by name" if shape.kind is dict else link


def _default(value: object) -> str:
    if isinstance(value, Spec):
        return "its defaults"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"`[{', '.join(str(each) for each in value)}]`"
    return f"`{value}`" if value != {} else "none"


ENTRIES = """\
## Many entries at once

What entries have alike is written once, and what follows from the number in an entry's own name need not be written:

| key | stands for |
|---|---|
| `gpu-[01-16]`, `gpu-[01-04,09]` | these entries; each exists without a line of its own |
| `fi-[a-b]` | `fi-a` and `fi-b`, which count as 1 and 2 |
| `cp-[01-03], inf-[01-03]` | the entries of both ranges |
| `gpu-*` | every entry whose name is `gpu-` and a number |
| `*` (quoted) | every entry |

| value in such an entry | for the number in each name |
|---|---|
| `203.0.113.10+n` | 203.0.113.17 for `leaf-07`: added to an address, a MAC, or the digits a text ends in |
| `64600+n`, `+n` | a number: 64607, 7 |
| `g+n/2` | two entries share one: `g4` for `gpu-07` and `gpu-08` |
| `[feed-a, feed-b]` where one value belongs | in turn: `feed-a` for 1, 3, 5; `feed-b` for 2, 4, 6 |
| `feed-[a-b]` | the list `[feed-a, feed-b]` |

| number alone | stands for |
|---|---|
| `port: 7`, `peer_link: [35, 36]` | the switch port `Ethernet1/7`; so do sums, `port: 16+n` |
| `bond_mac: 1` | the MAC address after `boot_mac`, as adapters with two ports have them; up to 255 |
| `address: 101`, `api_vip: 5`, `gateway: 1` | that address of the machine network, such as 198.51.100.101 |

An entry's own values win over a range's, a range's over a wildcard's. A serial number alone may stand for an entry:
`gpu-07: WZP26220007`. Only the number in the name counts, never the place in the file or how many entries there are:
an entry that comes or goes changes no value of another. A key that a whole name in flow style `{}` holds is quoted.
""".splitlines()
"""How patterns are written; `components/model/pattern.py` works them out."""


BASES = """
## Files that a stack is based on

`podwright:base`, beside `podwright:cluster`, names a file or a list of files, by their paths from the file that names
them. Each is written as a stack file is, with nothing but `podwright:cluster` and a `podwright:base` of its own.

- A file comes over those that it is based on, and later files of a list over earlier ones. A file that is named twice
  is read once, where it is first.
- Mappings are joined key by key. Everything else is replaced whole: lists, and an entry's short form too.
- `null` takes out a key that a file below has.
- Ranges and wildcards are keys like any other, and are worked out when all files are one: an entry's own value wins
  over a wildcard's, whichever file has it.
- Secrets, `encryptionsalt` and settings of other programs stand in the stack's own file, where Pulumi reads them.
- At most 32 files; none is based on itself.

`podwright explain values FILE [PATH]` prints which file and line sets each value, what it replaced, and what is a
default. An editor checks such files by `podwright schema --part`.
""".splitlines()


def stack() -> str:
    """The reference of the stack file."""
    lines = ["# The stack file", "", "Made by `python -m tools.docs` from `components/model`; do not edit.", ""]
    lines += ["Everything stands under `config: podwright:cluster:`. Unknown keys are errors.", "", *ENTRIES, *BASES]
    return "\n".join([*lines, *_keys(Cluster)])


PRICES = """\
# yaml-language-server: $schema=prices.schema.json
as_of: 2026-10-01
good_for_days: 60
currency: EUR
source: an invented quote, to show the form
items:
  N9K-C9364D-GX2A: {price: 50000, lead_days: 60, watts: 1700}
  QDD-400G-DR4-S: {price: 1000, lead_days: 20, watts: 12}
  QDD-400-CU3M: {price: 150}
"""
"""The example of a price file; a test loads it."""


def prices() -> str:
    """The reference of a site's prices."""
    lines = [
        "# Prices, lead times and power",
        "",
        "Made by `python -m tools.docs` from `components/model/rates.py`; do not edit.",
    ]
    lines += [
        "",
        "A file of the site's own for `podwright bill FILE --rates PRICES` and `podwright size --rates PRICES`. No",
    ]
    lines += ["figure of it is part of a stack, and none has a default: what it leaves out is printed as not checked."]
    lines += ["Product ids are those of the bill.", "", "```yaml", PRICES.rstrip(), "```", ""]
    return "\n".join([*lines, *_keys(Rates)])


def _keys(root: type[Spec]) -> Iterator[str]:
    """A table of keys for each mapping below a root."""
    for model in models(root):
        yield from (f"## {model.__name__}", "", " ".join((model.__doc__ or "").split()), "")
        yield from ("| key | what | default | meaning |", "|---|---|---|---|")
        yield from (_row(model, name, annotation) for name, annotation in describe.hints(model).items())
        yield ""


def _table(*rows: tuple[object, ...]) -> list[str]:
    """Rows of a table, the first one its head."""
    head, *body = ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return [head, "|" + "---|" * len(rows[0]), *body]


def _switches() -> list[str]:
    rows: list[tuple[object, ...]] = [
        ("model", "ports", "one way", "buffer MB", "DLB from", "400G copper from", "supply W", "RU", "W at most")
    ]
    for switch in SWITCHES.values():
        one_way = f"{switch.one_way_gbps / 1000:g} Tb/s"
        if switch.both_ways:
            one_way += f" (data sheet: {printed_tbps(switch):g}, both ways)"
        known = [
            each or "unknown"
            for each in (switch.buffer_mb, switch.dlb_since or "none", switch.copper_400g or "none", switch.psu_watts)
        ]
        rows.append((switch.name, switch.described(), one_way, *known, switch.rack_units, switch.watts))
    lines = ["## Switches", "", *_table(*rows), ""]
    lines += ["Not offered: " + "; ".join(f"{name} {why}" for name, why in REFUSED_SWITCHES.items()) + ".", ""]
    cages: list[tuple[object, ...]] = [("port", "Gb/s", "broken out into", "takes", "error correction by Gb/s")]
    for cage in CAGES.values():
        parts = ", ".join(f"{each.count} x {each.gbps}G ({each.word or 'not offered'})" for each in cage.breakouts)
        fec = "; ".join(f"{gbps}: {', '.join(kinds)}" for gbps, kinds in cage.fec.items())
        cages.append((cage.name, ", ".join(map(str, cage.speeds)), parts or "none", ", ".join(cage.takes), fec))
    together = [
        f"{switch.name}: of Ethernet1/{gang.first} to 1/{gang.last} every {gang.size} neighbours break out together"
        + (f", all of them into {', '.join(gang.whole)}" if gang.whole else "")
        + ("." if len(gang.whole) > 1 else "; other maps break the odd ones out, and the even ones are gone meanwhile.")
        for switch in SWITCHES.values()
        for gang in switch.gangs
    ]
    return [*lines, *_table(*cages), "", *(f"- {each}" for each in together)]


def _pluggables() -> list[str]:
    optics: list[tuple[object, ...]] = [("product", "form", "line", "fibre", "connector", "reach m", "FEC", "source")]
    optics += [
        (each.name, each.form, each.line, each.fibre, each.connector, each.reach_m, each.fec, each.source)
        for each in OPTICS.values()
    ]
    cables: list[tuple[object, ...]] = [("product", "kind", "form", "Gb/s", "lengths m", "FEC", "source")]
    for cable in CABLES.values():
        lengths = ", ".join(f"{each:g}" for each in cable.lengths_m)
        cells = (cable.name, cable.kind, cable.form, cable.gbps, lengths, cable.fec or "not checked", cable.source)
        cables.append(cells)
    return ["## Transceivers", "", *_table(*optics), "", "## Cables with fixed ends", "", *_table(*cables)]


def hardware() -> str:
    """The reference of the catalogue."""
    lines = ["# Hardware", "", "Made by `python -m tools.docs` from `components/model/catalogue`; do not edit.", ""]
    lines += [*_switches(), "", *_pluggables(), ""]
    lines += servers_page.section()
    lines += [
        "",
        "## GPUs",
        "",
        "| product | GB | MiB | compute capability | by NVLink | W | MIG profiles, most per GPU |",
    ]
    lines += ["|---|---|---|---|---|---|---|"]
    for gpu in GPUS.values():
        mig = ", ".join(f"{name} x{profile.largest}" for name, profile in gpu.mig.items()) or "none"
        capability = ".".join(map(str, gpu.capability))
        linked = gpu.together if gpu.together > 1 else "none"
        cells = (gpu.name, gpu.memory_gb, gpu.mib, capability, linked, gpu.watts, mig)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*lines, ""])


def outputs() -> str:
    """The reference of what a stack exports."""
    lines = [
        "# What a stack exports",
        "",
        "Made by `python -m tools.docs` from `components/model/outputs.py`; do not edit.",
        "",
        "Another stack of the same backend reads it by its name, and each key by `require_output`:",
        "",
        "```python",
        'fabric = pulumi.StackReference("organization/pod-a/fabric")',
        'pulumi.export("leaves", fabric.require_output("fabric")["switches"])',
        "```",
        "",
        "`pulumi stack output --json` prints it. Further keys may come; CHANGELOG names each that changes or goes.",
        "A secret stays one in the stack that reads it.",
    ]
    return "\n".join([*lines, *_keys(Outputs)])


def files() -> dict[Path, str]:
    """Reference pages and their text."""
    folder = ROOT / "docs/reference"
    pages = {"stack.md": stack(), "hardware.md": hardware(), "policies.md": policies_page.page(), "prices.md": prices()}
    pages |= {"outputs.md": outputs()}
    pages |= {"lint.md": lint_page.page(), "changes.md": changes_page.page(), "baseline.md": baseline_page.page()}
    pages |= {"release-sets.md": releases_page.page(), "kubernetes-mistakes.md": mistakes.page()}
    pages |= {"alerts.md": alerts_page.page()}
    pages |= {"unsupported.md": unsupported_page.page()}
    return {folder / name: text for name, text in pages.items()}


if __name__ == "__main__":
    sys.exit(main("tools.docs", files()))

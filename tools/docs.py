"""Writes docs/reference/ from models, catalogue and rules: `python -m tools.docs [--check]`."""

import sys
from collections.abc import Iterator
from pathlib import Path

from components.spec import Cluster, describe
from components.spec.catalogue import GPUS, REFUSED_SWITCHES, SERVERS, SWITCHES
from components.spec.types import Spec
from policies.rules import RULES
from tools.generated import ROOT, main


def models() -> list[type[Spec]]:
    """Every mapping of a stack file, from the root down, each once."""
    found: list[type[Spec]] = []
    waiting: list[type[Spec]] = [Cluster]
    while waiting:
        model = waiting.pop(0)
        if model not in found:
            found.append(model)
            waiting += [each for annotation in describe.hints(model).values() for each in _within(annotation)]
    return found


def _within(annotation: object) -> Iterator[type[Spec]]:
    shape = describe.shape(annotation)
    if describe.is_model(shape):
        yield shape.kind
    elif shape.kind in (dict, tuple):
        yield from _within(shape.arguments[-1 if shape.kind is dict else 0])


def _row(model: type[Spec], name: str, annotation: object) -> str:
    info = model.model_fields[name]
    default = "**required**" if info.is_required() else _default(info.default)
    text = " ".join((info.description or "").split()).replace("|", "\\|")
    return f"| `{name}` | {_type(annotation)} | {default} | {text} |"


def _type(annotation: object) -> str:
    inner = list(_within(annotation))
    shape = describe.shape(annotation)
    if not inner:
        return describe.words(annotation).replace("|", "\\|")
    link = f"[{inner[0].__name__}](#{inner[0].__name__.lower()})"
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


def stack() -> str:
    """The reference of the stack file."""
    lines = ["# The stack file", "", "Made by `python -m tools.docs` from `components/spec`; do not edit.", ""]
    lines += ["Everything stands under `config: podwright:cluster:`. Unknown keys are errors.", ""]
    for model in models():
        lines += [f"## {model.__name__}", "", " ".join((model.__doc__ or "").split()), ""]
        lines += ["| key | what | default | meaning |", "|---|---|---|---|"]
        lines += [_row(model, name, annotation) for name, annotation in describe.hints(model).items()]
        lines.append("")
    return "\n".join(lines)


def hardware() -> str:
    """The reference of the catalogue."""
    lines = ["# Hardware", "", "Made by `python -m tools.docs` from `components/spec/catalogue`; do not edit.", ""]
    lines += ["## Switches", "", "| model | ports | DLB | RU | W |", "|---|---|---|---|---|"]
    for switch in SWITCHES.values():
        ports = ", ".join(f"{group.last - group.first + 1} x {group.gbps}G" for group in switch.groups)
        lines.append(
            f"| {switch.name} | {ports} | {'yes' if switch.dlb else 'no'} | {switch.rack_units} | {switch.watts} |"
        )
    lines += ["", "Not offered: " + "; ".join(f"{name} {why}" for name, why in REFUSED_SWITCHES.items()) + ".", ""]
    lines += [
        "## Servers",
        "",
        "| model | platform | through | cores | GiB | GPUs | rails |",
        "|---|---|---|---|---|---|---|",
    ]
    for server in SERVERS.values():
        gpus = "; ".join(f"{'/'.join(map(str, fit.counts))} x {name}" for name, fit in server.gpus.items()) or "none"
        cells = (
            server.name,
            server.platform,
            server.manager,
            f"{server.sockets} x {server.cores}",
            str(server.memory_gib),
            gpus,
            str(len(server.rails) or "none"),
        )
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "## GPUs", "", "| product | GB | W | MIG profiles, most per GPU |", "|---|---|---|---|"]
    for gpu in GPUS.values():
        mig = ", ".join(f"{name} x{profile.largest}" for name, profile in gpu.mig.items()) or "none"
        lines.append(f"| {gpu.name} | {gpu.memory_gb} | {gpu.watts} | {mig} |")
    return "\n".join([*lines, ""])


def rules() -> str:
    """The reference of the policy pack."""
    lines = ["# Policies", "", "Made by `python -m tools.docs` from `policies/rules`; do not edit.", ""]
    lines += ["| rule | what must hold | severity | stops a preview |", "|---|---|---|---|"]
    for rule in RULES:
        stops = "yes" if rule.mandatory else "no, it advises"
        lines.append(f"| [`{rule.id}`](#{rule.id}) | {rule.title} | {rule.severity} | {stops} |")
    for rule in RULES:
        lines += ["", f"## {rule.id}", "", f"**{rule.title}.** {rule.why}", "", f"Fix: {rule.fix}"]
        if rule.reference.startswith("http"):
            lines += ["", f"Reference: <{rule.reference}>"]
    return "\n".join([*lines, ""])


def files() -> dict[Path, str]:
    """Reference pages and their text."""
    folder = ROOT / "docs/reference"
    return {folder / "stack.md": stack(), folder / "hardware.md": hardware(), folder / "policies.md": rules()}


if __name__ == "__main__":
    sys.exit(main("tools.docs", files()))

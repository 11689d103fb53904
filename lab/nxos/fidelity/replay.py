"""`python -m podwright.lab replay FOLDER`: a recorded switch, built again in the lab, and where the lab is not like it.

Its running configuration is typed into a lab switch of the same model and release. Told are lines that the lab
refuses or does not show back, commands it does not know, and fields that the real switch fills and the lab does not:
those of ntc-templates where there is a template, else the keys of `| json`. Values are not compared, nor is anything
that takes a cable: the switch stands alone here.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from ntc_templates.parse import parse_output

from podwright.lab.nxos.factory import build
from podwright.lab.nxos.fidelity.record import MANIFEST, without_secrets
from podwright.lab.nxos.session import Session
from podwright.lab.variants import chosen
from podwright.lab.world.load import Inventory
from podwright.lab.world.model import Switch, World

RUNNING = "show running-config"
_REFUSED = re.compile(r"^\s*(\^\s*$|% |ERROR|Invalid)", re.MULTILINE)
_NO_LINE = re.compile(r"^\s*(!|$|version |Command: |Time: |Running configuration)")
_ALONE = (
    "lldp", "cdp", "bgp", "bfd", "ospf", "vpc", "lacp", "spanning-tree", "adjacency", "transceiver", "hsrp", "nve",
    "description",
)  # fmt: skip
"""Commands with one of these words tell of neighbours or a link's speed, which the switch does not have here."""


class RecordingError(ValueError):
    """A folder that holds no recording, or one of a switch that the lab does not know."""


def recording(folder: Path) -> dict[str, str]:
    """Answers by command. Raises RecordingError."""
    try:
        manifest = yaml.safe_load((folder / MANIFEST).read_text(encoding="utf-8"))
        found = {command: (folder / name).read_text(encoding="utf-8") for name, command in manifest.items()}
    except (OSError, yaml.YAMLError, AttributeError) as error:
        raise RecordingError(f"{folder} holds no recording of `python -m podwright.lab record`: {error}") from None
    if lacking := [command for command in ("show version", RUNNING) if command not in found]:
        raise RecordingError(f"{folder} lacks the answer to {' and '.join(lacking)}")
    return found


def racked(answers: dict[str, str]) -> Session:
    """A console of the same model and release. Raises RecordingError."""
    try:
        version = parse_output(platform="cisco_nxos", command="show version", data=answers["show version"])[0]
    except Exception:  # noqa: BLE001 - ntc-templates raises plain ones; and no row at all is no better
        raise RecordingError("the answer to `show version` is none of a Nexus 9000") from None
    switch = Switch(
        name=version.get("hostname") or "recorded",
        model=f"N9K-{version.get('platform', '')}",
        serial=version.get("serial") or "FDO00000001",
        release=version.get("os", ""),
        management="192.0.2.11",
    )
    # A port that says `switchport` stands where ports are routed by default.
    form = "routed-shut" if "  switchport" in answers.get(RUNNING, "").splitlines() else "layer2-up"
    world = World(Inventory("replay", {switch.name: switch}, {}, [], {}, {}, {}, chosen({"ports": form})))
    try:
        return Session(build(world, switch, "admin", "admin", "192.0.2.1"), quiet=True)
    except ValueError as error:
        raise RecordingError(str(error)) from None


def differences(answers: dict[str, str]) -> Iterator[str]:
    """One line for each way in which the lab is not like the switch. Raises RecordingError."""
    session = racked(answers)
    lines = [line.rstrip() for line in answers[RUNNING].splitlines()]
    yield from _typed(session, lines)
    displayed = {line.rstrip() for line in without_secrets(session.run(RUNNING)).splitlines()}
    for number, line in enumerate(lines, 1):
        if not _NO_LINE.match(line) and line not in displayed:
            yield f"configuration line {number} is not shown back: {line.strip()}"
    for command, real in answers.items():
        if command != RUNNING and not set(command.split()) & set(_ALONE):
            yield from _answer(command, real, session.run(command))


def _typed(session: Session, lines: list[str]) -> Iterator[str]:
    session.run("configure terminal")
    for number, line in enumerate(lines, 1):
        if not _NO_LINE.match(line) and _REFUSED.search(answer := session.run(line)):
            reason = next(each.strip() for each in answer.splitlines() if each.strip(" ^"))
            yield f"configuration line {number} is refused: {line.strip()}: {reason}"
    session.run("end")


def _answer(command: str, real: str, ours: str) -> Iterator[str]:
    if _REFUSED.match(real):
        if not _REFUSED.match(ours):
            yield f"`{command}` is answered; the switch says: {real.strip().splitlines()[-1].strip()}"
        return
    if _REFUSED.match(ours):
        yield f"`{command}` is refused; the switch answers it"
        return
    for name in sorted(_fields(command, real) - _fields(command, ours)):
        yield f"`{command}` lacks {name}"


def _fields(command: str, answer: str) -> set[str]:
    """Names of what an answer fills; empty where nothing can read it."""
    if command.endswith("| json"):
        try:
            return set(_keys(json.loads(answer), ""))
        except ValueError:
            return set()
    try:
        rows = parse_output(platform="cisco_nxos", command=command, data=answer)
    except Exception:  # noqa: BLE001 - no template, or one that raises a plain Exception for a line it does not know
        return set()
    return {name for row in rows for name, value in row.items() if value}


def _keys(value: Any, place: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, below in value.items():
            yield f"{place}{key}"
            yield from _keys(below, f"{place}{key}.")
    if isinstance(value, list):
        for each in value:
            yield from _keys(each, place)


def main(argv: list[str]) -> int:
    """The verb; exit status 0 where the lab is like the switch, 1 where not, 2 where nothing could be compared."""
    parser = argparse.ArgumentParser(prog="python -m podwright.lab replay", description=__doc__)
    parser.add_argument("folder", type=Path, help="what `python -m podwright.lab record` kept")
    try:
        answers = recording(parser.parse_args(argv).folder)
        found = list(differences(answers))
    except RecordingError as sentence:
        print(sentence, file=sys.stderr)
        return 2
    print("\n".join([*found, f"{len(found)} differences over {len(answers)} answers"]))
    return 1 if found else 0

"""Goldens to seed faults into, and which of their lines look alike."""

import re

from tools.generated import ROOT

EXAMPLES = ROOT / "tests/examples"
SAMPLES = (("lab", "leaf-01"), ("lab", "spine-01"), ("prod", "leaf-03"), ("prod", "front-01"), ("evpn", "leaf-01"))


def shape(lines: list[str], at: int) -> str:
    """A line with its block, port numbers and names left out."""
    header = next((lines[back] for back in range(at, -1, -1) if not lines[back].startswith(" ")), "")
    if header.startswith("interface "):
        block = [line for line in lines[lines.index(header) :][1:40]]
        body = next((index for index, line in enumerate(block) if not line.startswith(" ")), len(block))
        header = "interface " + " ".join(sorted(re.sub(r"\d+", "", line.split()[0]) for line in block[:body]))
    return f"{header} | {lines[at].strip()}" if header != lines[at] else header

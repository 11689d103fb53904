"""Writes refused.yaml: `python3 -m toolchain run --demo -- .venv/bin/python -m tests.leaves.refused`."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import yaml

from podwright.components import model
from tests.leaves.dropping import leaves, plan
from tests.leaves.gates import API, REFUSED, SCHEMA
from tests.leaves.verdicts import EXAMPLES
from tests.platforms.published import Published, publishing
from tests.platforms.served import Served, serving
from tools import goldens

_HEADER: Final = """\
# Who refuses -> the leaf without which an object is refused -> in which words, without the object's name.
# Made by `python3 -m toolchain run --demo -- .venv/bin/python -m tests.leaves.refused`.
"""
_QUOTED: Final = re.compile(r'^.*? "[^"]*" is invalid: |^failed to create typed patch object \([^)]*\): ')


def refusals(served: Served, published: Published) -> dict[str, dict[str, str]]:
    """Who refuses: place of the leaf: words. What the server refuses nobody else is asked about."""
    found: dict[str, dict[str, str]] = {API: {}, SCHEMA: {}}
    for example in EXAMPLES:
        planned = plan(example)
        assert served.refusals(planned) == []
        openshift = model.load(goldens.stack_file(example)).openshift
        assert openshift is not None
        for leaf in leaves(planned):
            changed = [leaf.dropped(planned)[leaf.at]]
            if words := served.refusals(changed):
                found[API][leaf.place] = _QUOTED.sub("", words[0].partition(": ")[2])[:100]
            elif words := published.refusals(changed, openshift.version):
                found[SCHEMA][leaf.place] = words[0].partition(", ")[2][:100]
    return found


def text(found: dict[str, dict[str, str]]) -> str:
    """The file's text."""
    return _HEADER + yaml.safe_dump(found, width=1000)


if __name__ == "__main__":
    with TemporaryDirectory() as folder, serving(Path(folder) / "rack") as asked, publishing() as schemas:
        REFUSED.write_text(text(refusals(asked, schemas)))

"""Who knows which kind of a plan's objects: `python -m tests.platforms.kinds` writes kinds.yaml from all examples.

The lab's API server serves them all, by the definitions of toolchain/crds.toml; a kind with no other judge is listed
with none.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml

from podwright.components import model
from tests.platforms.planned import Object, objects
from tests.platforms.published import Published, publishing
from tools import goldens

TABLE = Path(__file__).with_name("kinds.yaml")
_HEADER = """\
# Kind of object in plans -> whose published schema knows it beside the definitions that the lab's API server serves.
# Made from all examples by `python3 -m toolchain run -- .venv/bin/python -m tests.platforms.kinds`.
"""


@cache
def of_examples() -> tuple[tuple[str, list[Object]], ...]:
    """OpenShift's release and the objects of every example that installs it."""
    clusters = [model.load(goldens.stack_file(name)) for name in goldens.examples()]
    return tuple((each.openshift.version, objects(each)) for each in clusters if each.openshift is not None)


def known(published: Published) -> dict[str, list[str]]:
    """The table, worked out anew."""
    found: dict[str, list[str]] = {}
    for version, planned in of_examples():
        for each in planned:
            kind = f"{each['apiVersion']} {each['kind']}"
            if kind not in found:
                found[kind] = sorted(published.verdict(each, version))
    return dict(sorted(found.items()))


def text(table: dict[str, list[str]]) -> str:
    """The file's text."""
    return _HEADER + yaml.safe_dump(table, default_flow_style=None, width=120)


if __name__ == "__main__":
    with publishing() as asked:
        TABLE.write_text(text(known(asked)))

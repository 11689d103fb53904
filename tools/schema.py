"""Writes the schemas of stack files, price files and the Pulumi package: `python -m tools.schema [--check]`."""

import json
import sys
from pathlib import Path

from podwright.components.model import json_schema
from podwright.components.package import Served
from tools.generated import ROOT, main


def files() -> dict[Path, str]:
    """The schema files and their text."""
    folder = ROOT / "docs/reference"
    made = {"stack.schema.json": json_schema.document(), "prices.schema.json": json_schema.prices()}
    texts = {folder / name: json.dumps(document, indent=2) + "\n" for name, document in made.items()}
    return texts | {folder / "schema.json": Served().schema() + "\n"}


if __name__ == "__main__":
    sys.exit(main("tools.schema", files()))

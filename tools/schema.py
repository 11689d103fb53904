"""Writes docs/reference/stack.schema.json, which editors check stack files with: `python -m tools.schema [--check]`."""

import json
import sys
from pathlib import Path

from components.spec import json_schema
from tools.generated import ROOT, main


def files() -> dict[Path, str]:
    """The schema file and its text."""
    return {ROOT / "docs/reference/stack.schema.json": json.dumps(json_schema.document(), indent=2) + "\n"}


if __name__ == "__main__":
    sys.exit(main("tools.schema", files()))

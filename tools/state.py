"""Keeps an exported state for tests: `python -m tools.state EXPORTED.json tests/states/0.1.0/lab.json.gz`.

What tells of the machine it was made on is left out; secrets stay encrypted, under the demo's published passphrase.
"""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

_OF_THE_MACHINE = ("sourcePosition", "stackTrace")


def stored(state: dict[str, Any]) -> bytes:
    """The state as it is stored: the same bytes for the same state."""
    for resource in state["deployment"]["resources"]:
        for key in _OF_THE_MACHINE:
            resource.pop(key, None)
    return gzip.compress(json.dumps(state, sort_keys=True).encode(), mtime=0)


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(stored(json.loads(source.read_text())))

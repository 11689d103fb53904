"""The examples' switches as files, the way somebody hands in what was captured."""

from fnmatch import fnmatch
from pathlib import Path

from tools import goldens


def capture(example: str, folder: Path, switches: str = "*") -> Path:
    """Write each text to the folder, whose path is returned; `switches` is a pattern of hostnames."""
    for hostname, text in goldens.texts(example).items():
        if fnmatch(hostname, switches):
            (folder / f"{hostname}.cfg").write_text(text)
    return folder

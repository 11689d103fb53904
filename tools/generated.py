"""What every generator shares: write files, or with --check say which ones are stale and how to renew them."""

import argparse
import difflib
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def stale(files: Mapping[Path, str], folder: Path | None = None) -> list[str]:
    """Files that differ from what they should hold, relative to the project; in `folder` also those too many."""
    wrong = [path for path, text in files.items() if not path.is_file() or path.read_text("utf-8") != text]
    if folder is not None and folder.is_dir():
        wrong += [path for path in sorted(folder.rglob("*")) if path.is_file() and path not in files]
    return [str(path.relative_to(ROOT)) for path in wrong]


def changes(path: Path, text: str) -> str:
    """What differs between a file and what it should hold, as a unified diff; empty where nothing does."""
    now = path.read_text("utf-8").splitlines() if path.is_file() else []
    return "\n".join(difflib.unified_diff(now, text.splitlines(), str(path.relative_to(ROOT)), "new", lineterm="", n=2))


def main(command: str, files: Mapping[Path, str]) -> int:
    """Write `files`, or under --check return 1 when one is stale."""
    parser = argparse.ArgumentParser(prog=f"python -m {command}")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is stale")
    if parser.parse_args().check:
        wrong = stale(files)
        for path in wrong:
            print(changes(ROOT / path, files[ROOT / path]), file=sys.stderr)
            print(f"{path} is stale; renew it: python -m {command}", file=sys.stderr)
        return 1 if wrong else 0
    for target, text in files.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        print(target.relative_to(ROOT))
    return 0

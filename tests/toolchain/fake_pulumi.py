"""A stand-in for a person's own `pulumi`: its release, and whether it can download plugins.

FAKE_PULUMI_VERSION, FAKE_PULUMI_DOWNLOADS ("yes", else as on a machine with no way out),
FAKE_PULUMI_LOG (one line per call).
"""

import os
import sys
from pathlib import Path


def main(words: list[str]) -> int:
    with Path(os.environ["FAKE_PULUMI_LOG"]).open("a") as out:
        out.write(" ".join(words) + "\n")
    if words == ["version"]:
        print(os.environ["FAKE_PULUMI_VERSION"])
        return 0
    if words[:3] == ["plugin", "install", "resource"]:
        if os.environ.get("FAKE_PULUMI_DOWNLOADS") != "yes":
            print("error: 401 HTTP error fetching plugin", file=sys.stderr)
            return 255
        folder = Path(os.environ["PULUMI_HOME"]) / "plugins" / f"resource-{words[3]}-{words[4]}"
        folder.mkdir(parents=True)
        (folder / f"pulumi-resource-{words[3]}").write_text("downloaded")
        return 0
    print(f"error: unknown command {words!r}", file=sys.stderr)
    return 255


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

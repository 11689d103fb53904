"""A stand-in for `go` that keeps the real one's rules as far as the set-up relies on them.

It refuses: an environment that could write go.mod or fetch another Go, a module without go.sum,
a package the module does not know, an embed that is not there, a verb it does not have.
Behaviour is chosen by FAKE_GO_VERSION, FAKE_GO_SECONDS (per build), FAKE_GO_BROKEN (a package),
FAKE_GO_FLAKY (a package whose first build is cut off), FAKE_GO_MODULES (module folders),
FAKE_GO_LOG (one line at start and end of every build).
"""

import json
import os
import re
import sys
import time
from pathlib import Path

MODULES = Path(os.environ["FAKE_GO_MODULES"])


def fail(message: str) -> int:
    print(message, file=sys.stderr)
    return 1


def wrong_environment() -> str:
    if os.environ.get("GOTOOLCHAIN") != "local":
        return "go: downloading another toolchain"
    if "-mod=readonly" not in os.environ.get("GOFLAGS", ""):
        return "go: updates to go.mod needed"
    return "" if os.environ.get("CGO_ENABLED") == "0" else "go: a C compiler is needed"


def log(line: str) -> None:
    with Path(os.environ["FAKE_GO_LOG"]).open("a") as out:
        out.write(f"{line}\n")


def build(flags: list[str], package: str) -> int:
    if not Path("go.sum").exists():
        return fail("missing go.sum entry")
    if package != "." and package not in Path("go.mod").read_text():
        return fail(f"package {package} is not provided by module")
    for embed in re.findall(r"//go:embed (\S+)", Path("main.go").read_text()) if package == "." else []:
        if not Path(embed).exists():
            return fail(f"main.go: pattern {embed}: no matching files found")
    if package == os.environ.get("FAKE_GO_FLAKY") and package not in Path(os.environ["FAKE_GO_LOG"]).read_text():
        log(f"cut {package}")
        return fail("example.com/m@v1.0.0: read tcp 192.0.2.1: read: connection reset by peer")
    if package == os.environ.get("FAKE_GO_BROKEN"):
        return fail("x.go:1:1: syntax error: unexpected newline")
    log(f"start {package} {os.getpid()}")
    out = Path(flags[flags.index("-o") + 1])
    stamps = flags[flags.index("-ldflags") + 1]
    out.write_text("half")
    time.sleep(float(os.environ.get("FAKE_GO_SECONDS", "0")))
    out.write_text(f"#!/bin/sh\n# {package} {stamps}\nexit 0\n")
    out.chmod(0o755)
    log(f"end {package}")
    return 0


def main(words: list[str]) -> int:  # noqa: PLR0911 -- one verb, one return
    if words == ["version"]:
        print(f"go version go{os.environ.get('FAKE_GO_VERSION', '1.26.8')} linux/amd64")
        return 0
    if problem := wrong_environment():
        return fail(problem)
    if words[:2] == ["env", "GOCACHE"]:
        print(os.environ.get("GOCACHE", str(Path(os.environ["HOME"]) / ".cache" / "go-build")))
        return 0
    if words[0] == "build":
        return build(words[1:-1], words[-1])
    if words[:3] == ["mod", "download", "-json"]:
        if os.environ.get("GOSUMDB") != "off":
            return fail("verifying module: no checksum database")
        module = words[3].split("@")[0]
        print(json.dumps({"Dir": str(MODULES / module), "Sum": "h1:served="}))
        return 0
    if words[:2] == ["mod", "download"] or words[:4] == ["list", "-m", "-f", "{{.Dir}}"]:
        if not (MODULES / words[-1]).is_dir():
            return fail(f"module {words[-1]}: not a known dependency")
        if words[0] == "list":
            print(MODULES / words[-1])
        return 0
    return fail(f"go {' '.join(words)}: unknown command")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

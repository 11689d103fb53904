"""Reading the command line of a container that runs perftest: which servers and clients, and what it writes where.

Options as in linux-rdma/perftest (`ib_write_bw --help`); a shell script is read command by command.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from podwright.lab.openshift.api import Object

PROGRAM = "ib_write_bw"
DEFAULT_PORT = 18515
TERMINATION_LOG = "/dev/termination-log"
VALUED = {
    "-D": "seconds", "--duration": "seconds", "-q": "qps", "--qp": "qps", "-p": "port", "--port": "port",
    "--tclass": "tclass", "-m": "mtu", "--mtu": "mtu", "-s": "size", "--size": "size",
    "-x": "gid", "--gid-index": "gid", "--out_json_file": "file",
    "-d": "device", "--ib-dev": "device", "-n": "iterations", "--iters": "iterations", "-i": "ibport",
    "-l": "list", "-t": "depth", "-S": "sl", "--sl": "sl", "-u": "timeout", "-T": "tos", "--tos": "tos",
}  # fmt: skip
"""Options that take a value; only some of them matter here, the others must not be taken for the address."""
COUNTER = re.compile(r"cat\s+\S*/hw_counters/(\w+)\S*\s*>+\s*(\S+)")


@dataclass(frozen=True)
class Run:
    """One perftest process. `address` is empty for a server. `mtu` 0 means the port's own."""

    address: str = ""
    port: int = DEFAULT_PORT
    seconds: float = 5.0
    qps: int = 1
    tclass: int = 0
    mtu: int = 0
    size: int = 65536
    device: str = ""
    writes_json: bool = False


@dataclass(frozen=True)
class Program:
    """What a container does: counters read first, perftest processes, counters read last."""

    runs: tuple[Run, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def program(pod: Object) -> Program | None:
    """The program of the pod's container that runs perftest, or None when none does."""
    for container in pod["spec"]["containers"]:
        words = [*(container.get("command") or []), *(container.get("args") or [])]
        if any(PROGRAM in word for word in words):
            return parse(words)
    return None


def parse(words: list[str]) -> Program:
    """Read an argument list, or the script behind `sh -c`."""
    if words[0].rpartition("/")[2] == PROGRAM:
        return Program((_run(words[1:]),))
    script = words[-1]
    pieces = [piece.strip() for piece in re.split(r"&&|\|\||[;&\n]", script)]
    runs: list[Run] = []
    before: list[str] = []
    after: list[str] = []
    for piece in pieces:
        counter = COUNTER.search(piece)
        if counter and counter.group(2) == TERMINATION_LOG:
            (after if runs else before).append(counter.group(1))
        elif PROGRAM in piece.split():
            arguments = shlex.split(piece)
            runs.append(_run(arguments[arguments.index(PROGRAM) + 1 :]))
    return Program(tuple(runs), tuple(before), tuple(after))


def _run(arguments: list[str]) -> Run:
    found: dict[str, str] = {}
    address = ""
    words = iter(arguments)
    for word in words:
        option, equals, value = word.partition("=")
        if option in VALUED:
            found[VALUED[option]] = value if equals else next(words, "")
        elif not word.startswith("-") and word not in (">", ">>", "2>&1"):
            address = word
    return Run(
        address, int(found.get("port", DEFAULT_PORT)), float(found.get("seconds", 5)), int(found.get("qps", 1)),
        int(found.get("tclass", 0)), int(found.get("mtu", 0)), int(found.get("size", 65536)),
        found.get("device", ""), found.get("file") == TERMINATION_LOG,
    )  # fmt: skip

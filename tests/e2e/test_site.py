"""What a failing lab leaves in its log is found: the loops of its stand-ins outlive their own bugs."""

import subprocess
import sys
from pathlib import Path

from tests.e2e.site import ROOT, Site

BROKEN = """
import threading, time
from podwright.lab import command, daemon
from podwright.lab.intersight.clock import Clock

def run(*_):
    clock = Clock(threading.RLock())
    clock.after(0, lambda: {}["a step that fails"])
    time.sleep(0.3)
    clock.stop()  # behind it, so that the two do not write into each other's lines
    threading.Thread(target=lambda: [][0], name="a thread that dies").start()
    time.sleep(0.3)
    command.logging.getLogger("lab").warning("an ERROR in words is none")

daemon.run = run
command.main(["up", "--foreground", "--dir", "."])
"""


def test_a_lab_that_failed_inside_is_told(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.lab.mkdir()
    log = site.lab / "lab.log"
    with log.open("w") as file:
        subprocess.run([sys.executable, "-c", BROKEN], cwd=ROOT, stdout=file, stderr=file, check=True)
    first = sorted(error.splitlines()[0] for error in site.lab_errors())
    assert len(first) == 2, log.read_text()
    assert first[0].endswith("ERROR a scheduled step failed")
    assert first[1] == "Exception in thread a thread that dies:"

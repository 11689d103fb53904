"""The planned Deployment of a store at which members meet, as a process: started again whenever it ends, as kubelet
starts a container of a pod with restartPolicy Always."""

import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ADDRESS = "127.0.2.1"
"""Of the Service: the same, whichever process is behind it."""
AGAIN_SECONDS = 1.0
"""Before it is started again: ten seconds on a cluster, doubled each time that it ran for less than ten minutes."""


@dataclass
class Store:
    """The one replica."""

    deployment: Mapping[str, Any]
    folder: Path
    port: int
    programs: Path
    """Folder that PATH begins with."""
    starts: int = 0
    process: subprocess.Popen[bytes] | None = None
    _due: float = field(default_factory=time.monotonic)

    @property
    def name(self) -> str:
        """Of its Service too."""
        return str(self.deployment["metadata"]["name"])

    @property
    def log(self) -> str:
        """What it has printed."""
        return (self.folder / "store.log").read_text()

    def turn(self) -> None:
        """Look after it once."""
        if self.process is not None and self.process.poll() is not None:
            self.process, self._due = None, time.monotonic() + AGAIN_SECONDS
        if self.process is None and self._due <= time.monotonic():
            self._start()

    def stop(self) -> None:
        """For good."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def _start(self) -> None:
        self.starts += 1
        (box,) = self.deployment["spec"]["template"]["spec"]["containers"]
        (given,) = box["ports"]
        # Every cluster has this port; here another test may have it.
        words = [str(self.port) if word == str(given["containerPort"]) else word for word in box["command"]]
        outside = {"PATH": f"{self.programs}:/usr/bin:/bin", "HOME": str(self.folder)}
        with (self.folder / "store.log").open("ab") as log:
            # A PATH that is given to a child alone does not find its program.
            words[0] = str(self.programs / words[0])
            self.process = subprocess.Popen(words, env=outside, stdout=log, stderr=log, cwd=self.folder)

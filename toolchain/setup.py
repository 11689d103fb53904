"""Making ready what a step needs, and nothing else."""

import sys
from collections.abc import Mapping
from pathlib import Path

from podwright.toolchain import crds, gobuild, gosdk, overlay, view
from podwright.toolchain.ansible import Ansible
from podwright.toolchain.apart import Apart
from podwright.toolchain.archives import OFFICIAL, VARIABLE, Archives, archives
from podwright.toolchain.binaries import Binary, Step
from podwright.toolchain.keys import CLONE, INSTALLED, binary_key, cache_root
from podwright.toolchain.lock import locked
from podwright.toolchain.progress import Progress
from podwright.toolchain.python_env import SECONDS, PythonEnvironment
from podwright.toolchain.pytorch import Torch
from podwright.toolchain.schemas import Schemas
from podwright.toolchain.store import Store

_LABELS = {"check": "Python packages for the check", "full": "Python packages"}
_GO = "Go compiler"
_HINT = f"programs are built from source; where GitHub and dl.k8s.io answer, {VARIABLE}={OFFICIAL} is quicker\n"


class Setup:
    """One set-up run: what is missing, then each piece in turn."""

    def __init__(self, step: Step, environ: Mapping[str, str], *, wait: bool = True, clone: Path = CLONE) -> None:
        self.step = step
        self.environ = environ
        self.wait = wait
        self.clone = clone
        self.root = cache_root(environ)
        self.store = Store(self.root)
        self.python = PythonEnvironment(self.root, environ)
        self.apart = self._environment_apart()

    def ready(self) -> bool:
        """True if nothing is to be done. Starts no program: a few file checks."""
        if not self.python.has(self.step.python) or not self._laid() or self._needs_apart():
            return False
        if self.step.binaries:
            seen = view.current(self.environ)
            if seen.missing(self.step.binaries) or not seen.linked(self.step.binaries):
                return False
        return not self.step.crds or crds.whole(self.store)

    def check(self) -> None:
        """Read the programs that are there: one that is not what was built is made again, and the reason is said."""
        seen = view.current(self.environ)
        there = [(binary.name, binary_key(binary)) for binary in seen.ours(self.step.binaries)]
        there += [("crds", crds.key())] if self.step.crds else []
        for name, key in there:
            if self.store.whole(name, key) and not self.store.check(name, key):
                sys.stderr.write(f"the cached {name} is not what was built (its SHA-256 differs): it is made again\n")

    def _laid(self) -> bool:
        return INSTALLED or overlay.fits(self.clone, self.python.folder)

    def run(self) -> None:
        """Do what is missing. Interrupted, the next run goes on with what is not finished."""
        seen = view.current(self.environ, probe=bool(self.step.binaries))
        released = archives(self.environ, self.store)
        missing = seen.missing(self.step.binaries)
        for binary in seen.damaged(self.step.binaries):
            sys.stderr.write(f"the cached {binary.name} is not whole (a full disk?): it is made again\n")
        if self._cold(seen):
            gobuild.check_disk(self.root)
            if not released.source:
                sys.stderr.write(_HINT)
        progress = Progress(self._pieces(missing))
        self._install_python(progress)
        if missing or (self.step.crds and not crds.whole(self.store)):
            with locked(self.root / "programs.lock", wait=self.wait):
                self._from_archives(seen, released, progress)
                missing = seen.missing(self.step.binaries)
                seen.assemble(tuple(binary for binary in self.step.binaries if binary not in missing))
                if missing or (self.step.crds and not crds.whole(self.store)):
                    self._with_go(seen, progress)
        seen.assemble(self.step.binaries)
        if self.apart and self._needs_apart():
            self._install_apart(self.apart, progress)

    def _cold(self, seen: view.View) -> bool:
        """True if nothing of what is wanted has been built yet: what follows takes room."""
        missing = seen.missing(self.step.binaries)
        return bool(missing) and missing == seen.ours(self.step.binaries)

    def _levels(self) -> list[str]:
        wanted = ["check"] if self.step.python == "check" else ["check", "full"]
        return [level for level in wanted if not self.python.has(level)]

    def _pieces(self, missing: tuple[Binary, ...]) -> list[tuple[str, float]]:
        pieces: list[tuple[str, float]] = [(_LABELS[level], SECONDS[level]) for level in self._levels()]
        needs_crds = self.step.crds and not crds.whole(self.store)
        if (missing or needs_crds) and not self._go():
            pieces.append((_GO, 30))
        pieces += [(binary.name, binary.seconds) for binary in missing]
        if needs_crds:
            pieces.append((crds.LABEL, crds.SECONDS))
        if self.apart and self._needs_apart():
            pieces.append((self.apart.LABEL, self.apart.SECONDS))
        return pieces

    def _environment_apart(self) -> Apart | None:
        made = {"ansible": Ansible, "schemas": Schemas, "torch": Torch}.get(self.step.apart)
        return made(self.root, self.environ) if made else None

    def _needs_apart(self) -> bool:
        return self.apart is not None and not self.apart.whole()

    def _install_apart(self, apart: Apart, progress: Progress) -> None:
        with locked(self.root / "python.lock", wait=self.wait):
            if self._needs_apart():
                with progress.work(apart.LABEL):
                    apart.install()

    def _install_python(self, progress: Progress) -> None:
        if self._levels():
            with locked(self.root / "python.lock", wait=self.wait):
                for level in self._levels():
                    with progress.work(_LABELS[level]):
                        self.python.install(level)
        if not self._laid():
            with locked(self.root / "python.lock", wait=self.wait):
                overlay.lay(self.clone, self.python.folder, self.python.environ)

    def _go(self) -> gosdk.Go | None:
        return gosdk.on_path(self.environ, self.root) or gosdk.packaged(self.store, self.environ)

    def _from_archives(self, seen: view.View, released: Archives, progress: Progress) -> None:
        for binary in seen.missing(self.step.binaries):
            if released.provide(binary):
                progress.say(f"{binary.name}: its release, checked against the published checksum")

    def _with_go(self, seen: view.View, progress: Progress) -> None:
        self.store.sweep()
        missing = seen.missing(self.step.binaries)  # anew: another set-up may have been at work
        go = self._go()
        if go is None:
            with progress.work(_GO):
                go = gosdk.install(self.store, self.python.python, self.environ)
        if self._cold(seen):
            gobuild.check_disk(self.root, gosdk.build_folder(go))
        for binary in missing:
            with progress.work(binary.name):
                gobuild.build(binary, go, self.store)
            seen.assemble((binary,))
        if self.step.crds and not crds.whole(self.store):
            with progress.work(crds.LABEL):
                crds.assemble(self.store, go, self.python.python, self.environ)

"""The folder that programs are run from: bin/ for PATH, home/ as PULUMI_HOME.

It only holds links: to finished entries of the store, or to the Pulumi found on PATH. Programs
are hard links, because Pulumi looks for its Python host beside its own real file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from podwright.toolchain import engine, onpath
from podwright.toolchain.binaries import ENGINE, Binary
from podwright.toolchain.engine import Found, to_build
from podwright.toolchain.keys import binary_key, cache_root, pins_key
from podwright.toolchain.onpath import Programs
from podwright.toolchain.store import Store, link


@dataclass(frozen=True)
class View:
    """One assembled set of programs."""

    folder: Path
    store: Store
    found: Found | None
    own: Programs = field(default_factory=Programs)
    """The lab's programs that the person has already."""

    @property
    def bin(self) -> Path:
        """Goes first on PATH."""
        return self.folder / "bin"

    @property
    def home(self) -> Path:
        """PULUMI_HOME: plugins, and what Pulumi keeps about itself."""
        return self.folder / "home"

    def _plugin_place(self, name: str, release: str) -> Path:
        return self.home / "plugins" / f"resource-{name}-v{release}" / f"pulumi-resource-{name}"

    def _places(self, binary: Binary) -> dict[Path, Path]:
        """Place in the view → file in the store."""
        entry = self.store.entry(binary.name, binary_key(binary))
        if binary.plugin:
            return {self._plugin_place(*binary.plugin): entry / binary.name}
        names = [binary.name, *(companion.name for companion in binary.companions)]
        return {self.bin / name: entry / name for name in names}

    def _found_places(self, found: Found) -> dict[Path, Path]:
        places = {self.bin / "pulumi": found.pulumi}
        for file in found.plugins.values():
            place = self.home / "plugins" / Path(file).parent.name / Path(file).name
            places[place] = Path(file)
        return places

    def missing(self, wanted: tuple[Binary, ...]) -> tuple[Binary, ...]:
        """What of `wanted` has to be built."""
        return tuple(b for b in self.ours(wanted) if not self.store.whole(b.name, binary_key(b)))

    def ours(self, wanted: tuple[Binary, ...]) -> tuple[Binary, ...]:
        """What of `wanted` comes from the store: neither from a Pulumi on PATH nor of the person's own programs."""
        return self.own.without(to_build(wanted, self.found))

    def damaged(self, wanted: tuple[Binary, ...]) -> tuple[Binary, ...]:
        """What of `wanted` lies in the store and is not whole."""
        return tuple(b for b in self.missing(wanted) if self.store.damaged(b.name, binary_key(b)))

    def linked(self, wanted: tuple[Binary, ...]) -> bool:
        """True if every program of `wanted` is in its place."""
        try:
            return all(place.samefile(file) for place, file in self._wanted_places(wanted).items())
        except OSError:
            return False

    def assemble(self, wanted: tuple[Binary, ...]) -> None:
        """Put every program of `wanted` into its place."""
        symbolic = {self.bin / name for name in self.own.files}
        symbolic |= set(self._found_places(self.found)) if self.found else set()
        for place, file in self._wanted_places(wanted).items():
            if not (place.exists() and place.samefile(file)):
                link(file, place, symbolic=place in symbolic)

    def _wanted_places(self, wanted: tuple[Binary, ...]) -> dict[Path, Path]:
        places: dict[Path, Path] = {}
        if self.found and any(binary in ENGINE for binary in wanted):
            places |= self._found_places(self.found)
        names = {binary.name for binary in wanted}
        places |= {self.bin / name: file for name, file in self.own.files.items() if name in names}
        for binary in self.ours(wanted):
            places |= self._places(binary)
        return places


def current(environ: Mapping[str, str], *, probe: bool = False) -> View:
    """The view of these pins, and of the programs that the person has already where they fit.

    Without `probe` no program is started: only one that was looked at before counts.
    """
    root, found, own = cache_root(environ), engine.look(environ, probe=probe), onpath.look(environ, probe=probe)
    identities = (pins_key(), found.identity if found else "", own.identity)
    return View(root / "-".join(filter(None, identities)), Store(root), found, own)

"""One installed cluster per module: installing takes seconds, so every module gets its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab.openshift.rack import Rack


@pytest.fixture(scope="module")
def rack(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rack]:
    """A rack whose hosts are off."""
    built = Rack(tmp_path_factory.mktemp("rack"), **getattr(request.module, "SHAPE", {}))
    try:
        yield built
    finally:
        built.close()


@pytest.fixture(scope="module")
def cluster(rack: Rack) -> Rack:
    """The same rack with an installed cluster."""
    if rack.side.cluster.current is None:
        rack.install()
    return rack

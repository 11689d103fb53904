"""What judges platforms: a control plane without workers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from podwright.lab.openshift.api import Api
from tests.lab.openshift.rack import Rack


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """An API server with its controllers and scheduler, and no worker."""
    rack = Rack(Path(tmp_path_factory.mktemp("plane")) / "rack", workers=())
    try:
        rack.install()
        assert rack.side.cluster.api is not None
        yield rack.side.cluster.api
    finally:
        rack.close()

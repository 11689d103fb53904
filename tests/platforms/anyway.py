"""Objects of a stack file that `check` refuses, planned all the same: to see what would have become of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from podwright.components.contract import Component
from podwright.components.model import Cluster, expand
from tests.platforms.planned import Object, objects


def cluster(file: dict[str, Any]) -> Cluster | None:
    """What the file defines, whatever it contradicts; None where it has no shape."""
    try:
        return Cluster.model_validate(expand.expand(file).value)
    except ValueError:
        return None


def planned(defined: Cluster) -> list[Object]:
    """Its objects; raises what a derivation raises that cannot do without a coherent file."""
    with _unchecked():
        return objects(defined)


@contextmanager
def _unchecked() -> Iterator[None]:
    """Components that are built whatever is wrong with their arguments."""
    original = Component.__init__

    def init(self: Component, name: str, cluster: str, inputs: Any, opts: Any, problems: Any = ()) -> None:
        original(self, name, cluster, inputs, opts)

    with (
        mock.patch.object(Component, "__init__", init),
        # Queues ask before they are components.
        mock.patch("podwright.components.queues.shares_problems", return_value=[]),
    ):
        yield

"""The engine's answer to a difference."""

from __future__ import annotations

from typing import Any

from pulumi.runtime.proto import provider_pb2

from podwright.components.providers.protocol.difference import Difference, render

_KINDS = {"add": "ADD", "delete": "DELETE", "update": "UPDATE"}


def diff_response(difference: Difference) -> Any:
    """Both spellings of the answer: paths for people, top-level keys for engines that ignore the paths.

    `inputDiff` is set because old and new *inputs* were compared; the engine then prints old inputs, not
    outputs.
    """
    response = provider_pb2.DiffResponse(
        changes=provider_pb2.DiffResponse.DIFF_SOME if difference.changes else provider_pb2.DiffResponse.DIFF_NONE,
        hasDetailedDiff=True,
        deleteBeforeReplace=difference.delete_before_replace,
        diffs=sorted({str(path[0]) for path in difference.changes if path}),
        replaces=sorted({str(path[0]) for path in difference.replaces if path}),
    )
    for path, change in difference.changes.items():
        name = _KINDS[change] + ("_REPLACE" if path in difference.replaces else "")
        entry = provider_pb2.PropertyDiff(kind=provider_pb2.PropertyDiff.Kind.Value(name), inputDiff=True)
        response.detailedDiff[render(path)].CopyFrom(entry)
    return response

"""What a stack file defines and the last update that ended well did not: no device can show it yet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from podwright.components import model

_WIDTH = 40
"""Characters of a value that fit on the screen beside another one."""


def pending(defined: str, cluster: model.Cluster) -> tuple[str, ...]:
    """One phrase for each value of the file that is otherwise than in `defined`, the last update's definition as JSON.

    Nothing where no update is known to have ended well: what it left undone is then seen on the devices.
    """
    if not defined:
        return ()
    return tuple(_different(_made(json.loads(defined)), cluster.model_dump(mode="json", exclude=model.BESIDE)))


def _made(definition: Mapping[str, Any]) -> Mapping[str, Any]:
    """A definition with the defaults of fields that its release did not have."""
    try:
        return model.load(dict(definition)).model_dump(mode="json", exclude=model.BESIDE)
    except model.SpecErrors:
        # An earlier release took what this one refuses: the values themselves are what there is to compare.
        return {key: each for key, each in definition.items() if key not in model.BESIDE}


def _different(made: Any, wanted: Any, path: str = "") -> Iterator[str]:
    if isinstance(made, Mapping) and isinstance(wanted, Mapping):
        for key in {**made, **wanted}:
            where = f"{path}.{key}" if path else str(key)
            if key not in made:
                if wanted[key] is not None:
                    yield f"{where} is not made yet"
            elif key not in wanted:
                if made[key] is not None:
                    yield f"{where} is no longer in the file and still there"
            else:
                yield from _different(made[key], wanted[key], where)
    elif made != wanted:
        yield f"{path} is {_short(wanted)} in the file, was {_short(made)} at the last update"


def _short(value: Any) -> str:
    text = "not given" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"

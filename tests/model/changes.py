"""Stack files to begin with, and ways to change one place of them."""

import copy
from collections.abc import Callable
from typing import Any

import yaml

from tools.generated import ROOT

Said = dict[str, Any]


def stack(name: str) -> Said:
    loaded: Said = yaml.safe_load((ROOT / f"Pulumi.{name}.yaml").read_text())["config"]["podwright:cluster"]
    return loaded


LAB, PROD = stack("lab"), stack("prod")


def put(path: str, value: object) -> Callable[[Said], None]:
    """Set what stands at a slash-separated path; the mapping it stands in is there."""

    def change(said: Said) -> None:
        *way, last = path.split("/")
        here: Any = said
        for part in way:
            here = here[int(part)] if isinstance(here, list) else here.setdefault(part, {})
        if isinstance(here, list):
            here[int(last)] = copy.deepcopy(value)
        else:
            here[last] = copy.deepcopy(value)

    return change


def drop(path: str) -> Callable[[Said], None]:
    def change(said: Said) -> None:
        *way, last = path.split("/")
        here: Any = said
        for part in way:
            here = here[part]
        del here[last]

    return change


def both(*changes: Callable[[Said], None]) -> Callable[[Said], None]:
    def change(said: Said) -> None:
        for each in changes:
            each(said)

    return change

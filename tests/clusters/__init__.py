"""Twelve clusters of the sizes and kinds that users have, as stack files: `clusters.yaml` defines them."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]


@cache
def _defined() -> Mapping[str, Any]:
    defined: Mapping[str, Any] = yaml.safe_load((HERE / "clusters.yaml").read_text(encoding="utf-8"))
    return defined


def names() -> list[str]:
    """All of them, in the order of the file."""
    return list(_defined()["clusters"])


def applied() -> list[str]:
    """Those that a drill brings up."""
    return [name for name in names() if _defined()["clusters"][name].get("applied")]


def text(name: str) -> str:
    """One of them as the text of its stack file."""
    cluster = _defined()["clusters"][name]
    if "file" in cluster:
        return (ROOT / str(cluster["file"])).read_text(encoding="utf-8")
    whole = _merged({"name": name} | _defined()["base"], cluster["define"])
    dumped: str = yaml.safe_dump({"config": {"podwright:cluster": whole}}, sort_keys=False, width=200)
    return dumped


def _merged(base: Any, change: Any) -> Any:
    """Mappings key by key, all else replaced; a key that is changed to nothing goes."""
    if not isinstance(base, dict) or not isinstance(change, dict):
        return change
    both = {key: _merged(base[key], value) if key in base else value for key, value in change.items()}
    return {key: value for key, value in (base | both).items() if value is not None}

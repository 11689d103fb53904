"""The page of what a stack file does not have."""

from podwright.components.model.unsupported import UNSUPPORTED


def page() -> str:
    """Each with its reason, and what to use instead."""
    lines = [
        "# Not supported",
        "",
        "Made by `python -m tools.docs` from `components/model/unsupported.py`; do not edit.",
    ]
    lines += [
        "",
        "`podwright check` answers keys that ask for one of these with what to use instead. What is planned and",
    ]
    lines += ["not built yet stands in the rows of [coverage](../coverage.md).", ""]
    lines += ["| what | why not | instead | keys that ask for it |", "|---|---|---|---|"]
    for each in UNSUPPORTED:
        keys = ", ".join(f"`{key}`" for key in each.keys)
        lines.append(f"| {each.name} | {each.why} | {each.instead} | {keys} |".replace("<name>", "&lt;name&gt;"))
    return "\n".join([*lines, ""])

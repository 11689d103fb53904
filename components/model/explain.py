"""Pydantic's findings in the operator's words."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Literal

from pydantic_core import ErrorDetails

from podwright.components.model import describe
from podwright.components.model.cluster import Cluster
from podwright.components.model.documentation import sentence
from podwright.components.model.platform import Pool
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.teams import Team
from podwright.components.model.types import Spec
from podwright.components.model.unsupported import unsupported
from podwright.components.model.variables import SecretVariable
from podwright.components.model.workloads import Inference, Training

_IDENTITIES: Mapping[object, str] = {
    Pool: "a node pool",
    Team: "a Namespace",
    Training: "a training job",
    Inference: "an inference service",
}
"""Entries that are objects of a cluster, which knows them by name."""
_KINDS = {bool: "a boolean", int: "a number", float: "a number", str: "text", list: "a list", dict: "a mapping"}

_KEYS: Mapping[str, re.Pattern[str]] = {
    "this private key": re.compile(r"PRIVATE KEY-----"),
    "this API key": re.compile(r"nvapi-(?=[a-z0-9-]*[A-Z_])[A-Za-z0-9_-]{10,}|\bhf_[A-Za-z0-9]{20,}"),
}
"""What is called so, and repeated nowhere: private keys in PEM text, by their first line (RFC 7468), keys for
NVIDIA's catalogue, and tokens of Hugging Face's hub. A name of a Secret that begins like one has no capital letters."""


def follows(error: ErrorDetails) -> bool:
    """Whether it only says that a list is too short without its wrong entries, which have errors of their own."""
    return error["type"] == "too_short" and len(error["input"]) >= error["ctx"]["min_length"]


def problems(errors: Iterable[ErrorDetails], plain: Mapping[Loc, str], root: type[Spec] = Cluster) -> list[Problem]:
    """All findings about a `root`. A value that may be of several types and is of none is one, not one for each."""
    return list(dict.fromkeys(problem(each, plain, root) for each in errors))


def problem(error: ErrorDetails, plain: Mapping[Loc, str], root: type[Spec] = Cluster) -> Problem:
    """One finding as a problem of a `root`. `plain` holds the text of unquoted scalars by path."""
    found = _problem(error, plain, root)
    hidden = is_private(error["input"])
    if _refers(tuple(error["loc"]), root):
        hidden = True
        text = found.message if found.at_key else found.message.replace(show(error["input"]), "this value")
        found = replace(found, message=text)
    return replace(found, loc=describe.untagged(root, found.loc), confidential=hidden)


def _refers(loc: Loc, root: type[Spec]) -> bool:
    """Whether a place is at or in variables that refer to Secrets: what is wrong there may be a Secret's value."""
    for depth in range(1, len(loc) + 1):
        found = describe.shape(describe.at(root, loc[:depth]))
        if SecretVariable in (found.kind, *found.arguments):
            return True
    return False


def _problem(error: ErrorDetails, plain: Mapping[Loc, str], root: type[Spec]) -> Problem:
    loc: Loc = tuple(error["loc"])
    kind = error["type"]
    union = describe.union_above(root, loc)
    if union is not None and union != loc:
        return _of_no_type(union, loc, error, root)
    if kind in ("union_tag_not_found", "union_tag_invalid"):
        return _kind(loc, error, root)
    if kind == "extra_forbidden":
        return _unknown_key(loc, root)
    if kind == "missing":
        return _missing(loc, root)
    if loc and loc[-1] == "[key]":
        return _bad_key(loc[:-1], root)
    annotation = describe.at(root, loc)
    wanted = describe.words(annotation) if annotation is not None else "something else"
    return Problem(loc, _message(error, wanted), _hint(loc, annotation, error["input"], plain, root))


def _of_no_type(union: Loc, loc: Loc, error: ErrorDetails, root: type[Spec]) -> Problem:
    wanted = describe.words(describe.at(root, union)).removesuffix(", or null")
    whole = len(loc) == len(union) + 1  # behind the union stands the type that pydantic tried
    value = error["input"]
    inside = isinstance(value, list | dict) or not whole
    message = _message(error, wanted) if inside else f"{show(value)} is not {wanted}"
    return Problem(union, message, f"write {wanted}{_purpose(union, root)}")


def _unknown_key(loc: Loc, root: type[Spec]) -> Problem:
    known = _siblings(loc, root)
    if loc[-1] == "renamed_from" and (what := _identity(loc, root)):
        hint = (
            f"delete this line and give the entry its former name back; {what} of another name is a new object: add it "
        )
        return Problem(
            loc, f"the name of {what} cannot change", hint + "beside this one, then take this one out", at_key=True
        )
    if (found := unsupported(str(loc[-1]))) is not None:
        hint = f"{found.instead}; see docs/reference/unsupported.md"
        return Problem(loc, f"not supported: {found.name}", hint, at_key=True)
    return Problem(loc, "unknown key", suggest(str(loc[-1]), known) or f"known keys: {', '.join(known)}", at_key=True)


def _identity(loc: Loc, root: type[Spec]) -> str:
    """What an entry's name is the identity of in the cluster; empty for entries whose name is the stack's alone."""
    return _IDENTITIES.get(describe.shape(describe.at(root, loc[:-1])).kind, "")


def _siblings(loc: Loc, root: type[Spec]) -> tuple[str, ...]:
    annotation = describe.at(root, loc[:-1])
    found = describe.shape(annotation)
    return describe.fields(found.kind) if describe.is_model(found) else ()


def _missing(loc: Loc, root: type[Spec]) -> Problem:
    name = str(loc[-1])
    annotation = describe.at(root, loc)
    parent = describe.shape(describe.at(root, loc[:-1]))
    purpose = sentence(parent.kind, name) if describe.is_model(parent) else ""
    derived = describe.derived(parent.kind, name) if describe.is_model(parent) else ""
    otherwise = f" Without it it would be {derived}, of which there is none." if derived else ""
    hint = f"add `{name}:` with {describe.words(annotation)}. {purpose}".rstrip()
    return Problem(loc, "is missing", f"{hint}{otherwise}")


def _kind(loc: Loc, error: ErrorDetails, root: type[Spec]) -> Problem:
    """A choice by `kind` without one, or with a word that is none of them."""
    choices = tuple(describe.kinds(describe.shape(describe.at(root, loc))))
    wanted = f"write one of {', '.join(choices)}"
    if error["type"] == "union_tag_not_found":
        return Problem((*loc, "kind"), "is missing", f"add `kind:`; {wanted}")
    tag = str(error["ctx"]["tag"])
    return Problem((*loc, "kind"), f"{show(tag)} is not a choice", suggest(tag, choices) or wanted)


def _bad_key(loc: Loc, root: type[Spec]) -> Problem:
    parent = describe.shape(describe.at(root, loc[:-1]))
    wanted = describe.words(parent.arguments[0]) if parent.kind is dict else "another key"
    return Problem(loc, f"{show(loc[-1])} cannot be a key here", f"write {wanted}", at_key=True)


def _message(error: ErrorDetails, wanted: str) -> str:
    value, context = error["input"], error.get("ctx", {})
    match error["type"]:
        case "greater_than_equal" | "greater_than" | "less_than_equal" | "less_than":
            return f"{show(value)} is out of range"
        case "too_short":
            return f"holds {context['actual_length']} where at least {context['min_length']} are needed"
        case "too_long":
            return f"holds more than {context['max_length']}"
        case "string_too_short":
            return f"{show(value)} is too short: it needs {context['min_length']} characters" if value else "is empty"
        case "literal_error" | "multiple_of":
            return f"{show(value)} is not a choice"
        case "string_pattern_mismatch" | "ip_v4_address" | "ip_v4_network" | "date_parsing":
            return f"{show(value)} is not {wanted.removesuffix(', or null')}"
    if value is None:
        return "is empty"
    return f"{show(value)} is {_KINDS.get(type(value), 'something else')}, which does not belong here"


def _hint(loc: Loc, annotation: Any, value: object, plain: Mapping[Loc, str], root: type[Spec]) -> str:
    found = describe.shape(annotation)
    wanted = describe.words(annotation) if annotation is not None else "something else"
    place = describe.untagged(root, loc)
    if found.kind is Literal and not any(isinstance(each, str) for each in found.arguments):
        bare = isinstance(value, str) and value in map(str, found.arguments)
        return f"write {value}, without quotes" if bare else f"write {wanted}"
    if found.kind in (Literal, str) and not isinstance(value, str | list | dict) and place in plain:
        return _quote(plain[place], found, wanted, value)
    if found.kind is Literal and isinstance(value, str):
        close = suggest(value, tuple(str(each) for each in found.arguments))
        return close or f"write {wanted}"
    if found.kind in (int, float) and isinstance(value, str):
        return f"write {wanted}, without quotes"
    return f"write {wanted}{_purpose(loc, root)}"


def _quote(text: str, found: describe.Shape, wanted: str, value: object) -> str:
    """The traps of YAML 1.1: on is a boolean, 2026.10 a number, 12:30:00 a number in base 60."""
    if value is None:
        return f"write {wanted}"
    if found.kind is Literal and text not in found.arguments:
        return f"write {wanted}, with the quotes"
    reading = "a boolean" if isinstance(value, bool) else "a number"
    return f'quote it: "{text}". Unquoted, YAML reads {text} as {reading}'


def _purpose(loc: Loc, root: type[Spec]) -> str:
    parent = describe.shape(describe.at(root, loc[:-1])) if loc else None
    if parent is None or not describe.is_model(parent) or str(loc[-1]) not in describe.fields(parent.kind):
        return ""
    return f". {sentence(parent.kind, str(loc[-1]))}"


def suggest(wrong: str, known: tuple[str, ...]) -> str:
    """`did you mean …?`, or nothing when no known word is near."""
    near = get_close_matches(wrong.lower(), known, n=1, cutoff=0.6)
    return f"did you mean `{near[0]}`?" if near else ""


def is_private(value: object) -> bool:
    """Whether a value is or has a key, which is repeated nowhere."""
    return _key(value) is not None


def _key(value: object) -> str | None:
    """What a value is called that is a key or has one; None for every other one."""
    text = str(value) if isinstance(value, str | list | dict) else ""
    return next((name for name, pattern in _KEYS.items() if pattern.search(text)), None)


def show(value: object) -> str:
    """A value as it can stand in a sentence."""
    if isinstance(value, bool):
        return str(value).lower()
    if (key := _key(value)) is not None:
        return key
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

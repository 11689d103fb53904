"""Reads a stack file, or a site's prices: the model, or every problem at once with its place."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from podwright.components.model import coherence, expand, explain, wellformed
from podwright.components.model.based import KEY, document
from podwright.components.model.cluster import Cluster
from podwright.components.model.document import Builder, Document, UnreadableError, read
from podwright.components.model.problems import Loc, Position, Problem, Source, SpecErrors
from podwright.components.model.rates import Rates
from podwright.components.model.types import Spec

_Root = TypeVar("_Root", bound=Spec)


def stack_file(directory: Path, stack: str) -> Path:
    """Path of a stack's file in the project directory; `stack` may be organisation/project/stack."""
    return directory / f"Pulumi.{stack.rsplit('/', 1)[-1]}.yaml"


def load(source: str | Path | Mapping[str, object], key: str = KEY, *, text: str | None = None) -> Cluster:
    """The cluster a stack file defines, checked for its shape and its coherence; `text` in place of what it holds.

    Where no file exists (configuration given on the command line) `source` is the cluster's mapping itself; problems
    then carry the path alone. Raises SpecErrors with every problem of both kinds; what contradicts a malformed value
    is found once that value is right.
    """
    if isinstance(source, Mapping):
        return checked(Document(Source(key), dict(source)))
    return checked(document(Path(source), key, text))


def located(path: Path) -> tuple[Cluster, Callable[[Loc], Position | None]]:
    """The cluster of a stack file, and where each of its values stands. Raises SpecErrors as `load` does."""
    read_from = document(path)
    return checked(read_from), read_from.locate


def errors_in(path: Path, problems: Iterable[Problem]) -> SpecErrors:
    """Problems that a plan of the file has, with their places in it."""
    read_from = document(path)
    _expand(read_from)
    return SpecErrors((_placed(each, read_from) for each in problems), read_from.source)


def checked(document: Document) -> Cluster:
    """The cluster of a document, whose patterns are written out then. Raises SpecErrors as `load` does."""
    _expand(document)
    cluster, problems = _shaped(document, Cluster)
    if cluster is not None and not problems:
        problems = coherence.check(cluster)
    elif isinstance(document.value, dict):
        spoiled = _spoiled(document)
        problems += coherence.check(wellformed.readable(document.value, spoiled))
    if problems or cluster is None:
        raise SpecErrors((_placed(each, document) for each in problems), document.source)
    return cluster


def rates(path: Path) -> Rates:
    """Prices, lead times and power of a site's own file. Raises SpecErrors with every problem."""
    try:
        source, root = read(path)
    except UnreadableError as error:
        raise SpecErrors([error.problem], error.source) from None
    document = Document(source)
    if root is not None:
        document.value = Builder(document).build(root, ())
    found, problems = _shaped(document, Rates)
    if problems or found is None:
        raise SpecErrors((_placed(each, document) for each in problems), source)
    return found


def _expand(document: Document) -> None:
    """Write the document's patterns out, where it is a cluster at all."""
    if isinstance(document.value, dict):
        made = expand.expand(document.value)
        document.value, document.origin = made.value, made.origin
        document.problems += made.problems
        document.plain |= {
            loc: document.plain[source] for loc, source in made.origin.items() if source in document.plain
        }


def _spoiled(document: Document) -> set[Loc]:
    """Places that could not be read, and what would have come of them."""
    wrong = {each.loc for each in document.problems}
    return wrong | {loc for loc in document.origin if document.written(loc) in wrong}


def _shaped(document: Document, model: type[_Root]) -> tuple[_Root | None, list[Problem]]:
    """The models' verdict. Strict, through JSON: "5" is no number, true is no 1, while lists and addresses pass."""
    if not isinstance(document.value, dict):
        what = "the cluster" if model is Cluster else "the file"
        return None, document.problems or [Problem((), f"{what} is not a mapping", "write its keys below it")]
    problems = list(document.problems)
    spoiled = _spoiled(document)
    try:
        found = model.model_validate_json(json.dumps(document.value, default=_written), strict=True)
    except ValidationError as error:
        # A list of which an entry is wrong counts as shorter by it: that entry's problem says all there is to say.
        errors = (each for each in error.errors(include_url=False) if not explain.follows(each))
        explained = explain.problems(errors, document.plain, model)
        problems += [each for each in explained if each.loc not in spoiled]
        return None, problems
    return found, problems


def _placed(problem: Problem, document: Document) -> Problem:
    if problem.position is not None:
        return problem
    return replace(problem, position=document.locate(problem.loc, problem.at_key))


def render(problems: Iterable[Problem], source: Source) -> str:
    """Problems as text, for callers that gathered their own."""
    return SpecErrors(problems, source).render()


def _written(value: object) -> str:
    """A date of a mapping that YAML was read into, as a stack file writes it."""
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"a stack file holds no {type(value).__name__}: {value!r}")

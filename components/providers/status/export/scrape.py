"""One look at one switch: every command once, each answer on its own; nothing is written."""

import asyncio
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from podwright.components.providers.nxos.login import connect
from podwright.components.providers.nxos.read.answers import ANSWERS, MalformedError
from podwright.components.providers.nxos.read.metrics import BFD, BGP, Sample
from podwright.components.providers.nxos.session import Address, LostError, RefusedError, Session
from podwright.components.providers.protocol.kind import ProviderError
from podwright.components.providers.reach import Reach, SecretNotFoundError


@dataclass(frozen=True)
class Target:
    """A switch and what the plan knows of it."""

    name: str
    management: str
    commands: tuple[str, ...]
    """Those of ANSWERS that make sense with its features."""
    ports: Mapping[str, Mapping[str, str]]
    """Labels by planned port: server and rail; the port itself stands in `port`. Other ports have no series."""
    info: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Labels of `port_info` by planned port, beyond the port's own."""
    neighbors: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Labels by BGP neighbour, address or interface: `peer` and `port`."""


@dataclass(frozen=True)
class Look:
    """What came of it. With a `problem`, nothing is known of the switch."""

    samples: tuple[Sample, ...] = ()
    errors: Mapping[str, str] = field(default_factory=dict)
    """Why an answer gave no samples, by command; empty where it gave some."""
    problem: str = ""
    duration: float = 0.0
    ended: float = 0.0
    """On the monotonic clock."""


async def look(target: Target, access: tuple[str, str], reach: Reach, patience: float) -> Look:
    """Ask a switch as user and with the secret that `access` names.

    No failure is raised, and no more than `patience` seconds go by, a farewell aside.
    """
    started, name, host = time.monotonic(), target.name, target.management
    try:
        async with asyncio.timeout(patience):
            found = await _visit(target, *access, reach)
    except TimeoutError:
        found = Look(problem=f"{name}: no full answer from {host} within {patience:g} s")
    except (SecretNotFoundError, ProviderError) as sentence:
        found = Look(problem=str(sentence))
    except LostError as lost:
        found = Look(problem=f"{name}: {lost}")
    ended = time.monotonic()
    return replace(found, duration=ended - started, ended=ended)


async def _visit(target: Target, user: str, credential: str, reach: Reach) -> Look:
    session = await connect(Address(target.name, target.management, user, reach.secret(credential)), reach)
    try:
        return await _ask(session, target)
    finally:
        await session.close()


async def _ask(session: Session, target: Target) -> Look:
    samples: list[Sample] = []
    errors = {}
    for command in target.commands:
        try:
            samples += understood(command, await session.show(command), target)
            errors[command] = ""
        except RefusedError:
            errors[command] = "the switch refuses it"
        except MalformedError as wrong:
            errors[command] = str(wrong)
    return Look(tuple(samples), errors)


def understood(command: str, answer: str, target: Target) -> list[Sample]:
    """Samples of one answer under the plan's labels: all of them or, with MalformedError, none."""
    found = list(_labelled(ANSWERS[command](answer), target))
    # Of ports there is always something to say; sessions may all be gone.
    if not found and target.ports and command not in (BGP, BFD):
        raise MalformedError("it says nothing of what is planned")
    return found


def _labelled(samples: Iterator[Sample], target: Target) -> Iterator[Sample]:
    for each in samples:
        known: Mapping[str, str] = {}
        if "neighbor" in each.labels:
            known = target.neighbors.get(each.labels["neighbor"], {})
        elif "port" in each.labels:
            if each.labels["port"] not in target.ports:
                continue
            known = target.ports[each.labels["port"]]
        yield replace(each, labels={**known, **each.labels, "switch": target.name})

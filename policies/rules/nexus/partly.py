"""A switch of which a preview does not know everything: what is not known is asked for in vain, all else as ever."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from ipaddress import IPv4Interface
from typing import Any, TypeVar

from ..resource import UnknownValueError
from .device import Device, End, Lossless, enter, ships_routed
from .lines import Line
from .port import Port
from .qos import ClassMap, Policy, read

T = TypeVar("T", bound="Unread")


class Unread:
    """Mixed into what is known in part: reading an attribute that nobody knows yet raises what it came to."""

    def __getattribute__(self, name: str) -> Any:
        """An attribute, unless it is not known."""
        unread = object.__getattribute__(self, "__dict__").get("unread")
        if unread and name in unread:
            raise unread[name].with_traceback(None)
        return object.__getattribute__(self, name)

    @contextmanager
    def reading(self, *names: str) -> Iterator[None]:
        """These attributes are not known where what makes them comes to an unknown value."""
        try:
            yield
        except UnknownValueError as unknown:
            self.__dict__.setdefault("unread", {}).update(dict.fromkeys(names, unknown))

    @classmethod
    def made(cls: type[T], **parts: Callable[[], Any]) -> T:
        """One with these attributes, of which some may come to an unknown value."""
        made = cls.__new__(cls)
        for name, of in parts.items():
            with made.reading(name):
                made.__dict__[name] = of()
        return made


class PartlyKnownPort(Unread, Port):
    """A port of such a switch."""

    def enter(self, line: Line) -> None:
        """Enter a block; what any of its lines sets may be taken back by one that is not known."""
        with self.reading("own", "bundle"):
            super().enter(line)


class PartlyKnownClassMap(Unread, ClassMap):
    """A class-map of such a switch."""

    def enter(self, line: Line) -> None:
        """Enter a block of it."""
        with self.reading("matches"):
            super().enter(line)


class PartlyKnownPolicy(Unread, Policy):
    """A policy-map of such a switch."""

    def enter(self, line: Line) -> None:
        """Enter a block of it."""
        with self.reading("classes"):
            super().enter(line)


class PartlyKnownEnd(Unread, End):
    """What a port of such a switch is cabled to."""


class PartlyKnownLossless(Unread, Lossless):
    """The lossless class of such a switch."""


class PartlyKnown(Unread, Device):
    """Such a switch."""

    @cached_property
    def addresses(self) -> Mapping[str, IPv4Interface]:
        """Each is read when it is asked for."""
        return PartlyKnownAddresses(self.ports)

    @cached_property
    def own_addresses(self) -> Collection[str]:
        """Those that are known first."""
        return PartlyKnownValues(self.addresses)


class PartlyKnownValues(Collection[str]):
    """Such addresses without their subnets."""

    def __init__(self, addresses: Mapping[str, IPv4Interface]) -> None:
        self._addresses = addresses

    def __contains__(self, address: object) -> bool:
        return any(each == address for each in self)

    def __iter__(self) -> Iterator[str]:
        return (str(each.ip) for each in self._addresses.values())

    def __len__(self) -> int:
        return len(self._addresses)


def _is_unknown(port: Port) -> bool:
    """Whether nothing is known of a port but its name."""
    return "own" in vars(port).get("unread", ())


class PartlyKnownAddresses(Mapping[str, IPv4Interface]):
    """Addresses of ports of which some are not known: those of known ones come first."""

    def __init__(self, ports: Mapping[str, Port]) -> None:
        self._ports = ports

    def __getitem__(self, name: str) -> IPv4Interface:
        found = self._ports[name].address
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        for name in sorted(self._ports, key=lambda name: _is_unknown(self._ports[name])):
            if self._ports[name].address is not None:
                yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)


class PartlyKnownMap(Mapping[str, Any]):
    """A map of which each value is made when it is read."""

    def __init__(self, values: Mapping[str, Any], made: Callable[[Any], Any]) -> None:
        self._values, self._made = values, made

    def __getitem__(self, key: str) -> Any:
        return self._made(self._values[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def partly(hostname: str, lines: Sequence[Line]) -> PartlyKnown:
    """What `device` makes, of lines of which some are not known."""
    made = PartlyKnown(hostname, lines, qos=read(lines, PartlyKnownClassMap, PartlyKnownPolicy))
    enter(made, PartlyKnownPort)
    ports = [port for port in made.ports.values() if isinstance(port, PartlyKnownPort)]
    known_first = sorted(ports, key=_is_unknown)
    for port in ports:
        with port.reading("ships_routed"):
            port.ships_routed = ships_routed(lines, known_first)
        with port.reading("bundle"):
            port.join(made.ports)
    return made


def unlisted(hostname: str, unknown: UnknownValueError) -> PartlyKnown:
    """A switch of which not one line is known."""
    made = PartlyKnown(hostname, ())
    made.__dict__["unread"] = dict.fromkeys(("lines", "ports", "qos"), unknown)
    return made

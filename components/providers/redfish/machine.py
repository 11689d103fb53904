"""One server as its BMC shows it, through the library `sushy`, with failures in words for people.

Methods block; `in_thread` runs them beside the event loop. Redfish knows a system by its serial number here: a
BMC that answers for another machine is an error before anything is written.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, TypeVar

from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.redfish import bios, firmware, library
from podwright.components.providers.redfish.registry import Registry
from podwright.components.providers.redfish.turns import TIMEOUT_SECONDS, Turns

PORT = 443
CALL_SECONDS = 300.0
"""One call of Machine, all its requests and tries together; a BMC takes up to a minute for one of them."""
MOST_REQUESTS = 300
"""Requests of one call: finding a system reads every member of a collection."""
CLOSE_SECONDS, CLOSE_REQUESTS = 10.0, 2
"""Of logging out."""
CONCURRENT = 32
"""BMCs spoken to at once; each is slow on its own, and has its own processor."""

Result = TypeVar("Result")
_threads = ThreadPoolExecutor(CONCURRENT, thread_name_prefix="redfish")


async def in_thread(work: Callable[[], Result]) -> Result:
    """Run blocking work beside the event loop."""
    return await asyncio.get_running_loop().run_in_executor(_threads, work)


def open_machine(ctx: Context, host: Mapping[str, Any], address: str) -> Machine:
    """The machine behind the BMC at `address`. `host` has name, credential (a secret's name) and serial.

    Contacts nothing yet. Raises ProviderError when the provider instance says no user or the secret is absent.
    """
    credentials = ctx.config.get("credentials") or {}
    secret = str(host.get("credential") or credentials.get("secret") or "")
    user = str(credentials.get("user") or "admin")
    if not secret:
        raise ProviderError(
            f'{host["name"]}: no secret is named for its BMC; give Podwright the input redfish={{"user": …, '
            '"secret": …}, or write credential in the spec'
        )
    return Machine(ctx, host, address, user, ctx.secret(secret))


@asynccontextmanager
async def opened(ctx: Context, host: Mapping[str, Any], address: str) -> AsyncIterator[Machine]:
    """The machine behind the BMC at `address`, as `open_machine`; at the end its session is closed."""
    machine = open_machine(ctx, host, address)
    try:
        yield machine
    finally:
        await in_thread(machine.close)


class BusyError(ProviderError):
    """The BMC does not take this now and may in a while; the message says what and why."""


class OtherMachineError(ProviderError):
    """A controller answers for another machine than the spec says; `serials` are those that it answers for."""

    def __init__(self, sentence: str, serials: list[str]) -> None:
        super().__init__(sentence)
        self.serials = serials


class Machine:
    """A connection to one BMC; opened by the first call. Whoever opens it closes it: a BMC has few sessions."""

    def __init__(self, ctx: Context, host: Mapping[str, Any], address: str, user: str, password: str) -> None:
        self.name = str(host["name"])
        self._serial = str(host.get("serial") or "")
        self._model = str(host.get("model") or "")
        self._address = address
        self._dialled = ctx.reach.endpoint(address, PORT)
        self._verify: str | bool = str(ctx.reach.ca) if ctx.reach.ca else True
        self._user = user
        self._password = password
        self._system: Any = None
        self._root: Any = None
        self._login: Any = None
        self._connector: Any = None
        self._turns = Turns()

    @property
    def system(self) -> Any:
        """sushy's System, the one with our serial number. Raises ProviderError."""
        if self._system is None:
            with self.words("identify"):
                self._system = self._find()
        return self._system

    def _find(self) -> Any:
        sushy = library.sushy()
        from podwright.components.providers.redfish.connector import connector_to  # noqa: PLC0415 - on first use
        from podwright.components.providers.redfish.conversation import Login  # noqa: PLC0415 - on first use

        self._connector = connector_to(self._address, self._dialled, self._verify, self._turns)
        self._login = Login(self._user, self._password)
        self._root = sushy.Sushy(
            f"https://{self._dialled[0]}:{self._dialled[1]}", auth=self._login, connector=self._connector
        )
        members = library.systems_of(self._root)
        serials = {str(member.serial_number or member.identity): member for member in members}
        if self._serial and self._serial not in serials:
            answering = ", ".join(sorted(serials)) or "no machine"
            raise OtherMachineError(
                f"{self.name}: the BMC at {self._address} answers for {answering}, the spec says serial number "
                f"{self._serial}; nothing was changed",
                [each for each, member in serials.items() if "Bios" in member.json] or sorted(serials),
            )
        # Without a serial number: a baseboard has no BIOS, a host has.
        system = serials[self._serial] if self._serial else max(members, key=lambda each: "Bios" in each.json)
        if self._model and system.model and self._model != system.model:
            raise ProviderError(
                f"{self.name}: the BMC at {self._address} is that of a {system.model}, the spec says {self._model}; "
                "nothing was changed"
            )
        return system

    def close(self) -> None:
        """End the session; a BMC that does not answer any more ends it by itself."""
        if self._login is None:
            return
        with suppress(library.sushy().exceptions.SushyError), self._turns.of(CLOSE_SECONDS, CLOSE_REQUESTS):
            self._login.close()
        self._connector.close()
        self._root = self._system = self._login = None

    def refresh(self) -> None:
        """Read the system again."""
        with self.words("read"):
            self.system.refresh(force=True)

    @property
    def uuid(self) -> str:
        """SMBIOS UUID, as the operating system reports it too."""
        return str(self.system.uuid or "")

    @property
    def serial(self) -> str:
        """Serial number as the BMC shows it."""
        return str(self.system.serial_number or self.system.identity)

    def power(self) -> str:
        """``On`` or ``Off``; a machine on its way counts as arrived."""
        state = self.reported_power()
        return {"PoweringOn": "On", "PoweringOff": "Off"}.get(state, state)

    def reported_power(self) -> str:
        """As the BMC shows it: On, Off, and for a while PoweringOn or PoweringOff."""
        self.refresh()
        return str(getattr(self.system.power_state, "value", self.system.power_state))

    def press(self, action: str) -> None:
        """Reset with a Redfish ResetType: On, ForceOff, ForceRestart, GracefulShutdown."""
        with self.words(f"press {action}"):
            self.system.reset_system(library.sushy().ResetType(action))

    def bios(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """(attributes in force, attributes that wait for a reset because they differ), as the machine spells them."""
        with self.words("read the BIOS attributes"):
            return bios.attributes(self.system)

    def firmware(self, wanted: Collection[str]) -> dict[str, str]:
        """Version of each of the `wanted` entries that its firmware inventory has."""
        with self.asked("read its firmware inventory") as (connection, root):
            try:
                return firmware.versions(lambda path: connection.get(path).json(), root, wanted)
            except library.sushy().exceptions.HTTPError as refused:
                if refused.status_code not in firmware.ABSENT:
                    raise
                return {}

    def registry(self) -> Registry | None:
        """Texts and values of its BIOS attributes; None where the BMC has none."""
        with self.words("read the BIOS attribute registry"):
            return bios.registry(self._root, self.system)

    def stage_bios(self, attributes: Mapping[str, Any]) -> None:
        """Have the machine take `attributes` at its next reset. Raises BusyError while it starts."""
        with self.words("stage BIOS attributes"):
            try:
                bios.stage(self.name, self.system, attributes)
            except library.sushy().exceptions.HTTPError as refused:
                if bios.for_a_while(refused):
                    raise BusyError(f"{refused.detail or refused.code} (HTTP {refused.status_code})") from None
                raise

    def insert(self, url: str) -> None:
        """Put the image at `url` into the virtual drive, whatever was in it before."""
        with self.words(f"insert {url} as virtual media"):
            drive = self._drive()
            if drive.inserted and drive.image == url:
                return
            if drive.inserted:
                drive.eject_media()
            drive.insert_media(url)

    def eject(self) -> None:
        """Empty the virtual drive."""
        with self.words("eject virtual media"):
            drive = self._drive()
            if drive.inserted:
                drive.eject_media()

    def boot_once_from_drive(self) -> None:
        """Start from the virtual drive at the next reset, in UEFI mode, that once."""
        sushy = library.sushy()
        with self.words("set the boot device"):
            self.system.set_system_boot_options(
                sushy.BootSource.CD, sushy.BootSourceOverrideEnabled.ONCE, sushy.BootSourceOverrideMode.UEFI
            )

    def holds(self, url: str) -> bool:
        """True when the image at `url` is in the virtual drive."""
        with self.words("read the virtual drive"):
            drive = self._drive()
            return bool(drive.inserted and drive.image == url)

    def boots_from_drive(self) -> bool:
        """True when the next reset will start from the virtual drive."""
        self.refresh()
        boot = self.system.boot
        enabled = str(getattr(boot.get("enabled"), "value", boot.get("enabled")))
        target = str(getattr(boot.get("target"), "value", boot.get("target")))
        return enabled != "Disabled" and target == "Cd"

    def offers(self, action: str) -> bool:
        """True when the BMC takes this ResetType."""
        with self.words("list its reset types"):
            return library.sushy().ResetType(action) in self.system.get_allowed_reset_system_values()

    def _drive(self) -> Any:
        """The virtual CD drive: below the manager on older BMCs, below the system on newer ones."""
        sushy = library.sushy()
        places = [self._drives(manager) for manager in self.system.managers] + [self._drives(self.system)]
        for drives in places:
            for drive in drives:
                drive.refresh(force=True)
                if {sushy.VirtualMediaType.CD, sushy.VirtualMediaType.DVD} & set(drive.media_types):
                    return drive
        raise ProviderError(f"{self.name}: the BMC at {self._address} offers no virtual CD drive")

    def _drives(self, place: Any) -> list[Any]:
        sushy = library.sushy()
        try:
            return list(place.virtual_media.get_members())
        except (sushy.exceptions.MissingAttributeError, sushy.exceptions.ResourceNotFoundError):
            return []

    @contextmanager
    def asked(self, what: str, seconds: float = 0.0) -> Iterator[tuple[Any, Mapping[str, Any]]]:
        """Its connection and its service root. `seconds`: of a request that takes longer than most."""
        with self.words(what, seconds):
            yield self.system._conn, self._root.json

    @contextmanager
    def words(self, what: str, seconds: float = 0.0) -> Iterator[None]:
        """Turn the library's errors into one sentence that names the machine and what was tried."""
        exceptions = library.sushy().exceptions
        where = f"{self.name}: the BMC at {self._address}"
        try:
            with self._turns.of(seconds or CALL_SECONDS, MOST_REQUESTS, seconds or TIMEOUT_SECONDS):
                yield
        except exceptions.AccessError:
            if self._login is not None and self._login.refusal:
                raise ProviderError(
                    f"{where} opens no session ({self._login.refusal}) and takes no password without one; close "
                    "sessions in its web page, or run again when they have timed out"
                ) from None
            raise ProviderError(
                f"{where} does not accept the login of {self._user!r}; check the secret and raise `generation`"
            ) from None
        except exceptions.ConnectionError as gone:
            if reason := library.hostile(gone):
                raise ProviderError(f"{where} cannot {what}: {reason}") from None
            raise ProviderError(f"{where} cannot be reached to {what}: {library.cause(gone)}") from None
        except exceptions.HTTPError as refused:
            raise ProviderError(
                f"{where} refused to {what}: {refused.detail or refused.code} (HTTP {refused.status_code})"
            ) from None
        except exceptions.SushyError as odd:
            raise ProviderError(f"{where} cannot {what}: {odd}") from None
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as odd:
            # The library reads whatever arrives: a page of a proxy, a list where Redfish has an object.
            raise ProviderError(
                f"{where} cannot {what}: its answer is not Redfish's ({type(odd).__name__}); does something else "
                "answer at that address?"
            ) from None

"""The NX-OS side of the lab: one SSH server per switch, one event loop for all."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Coroutine, Mapping
from functools import partial
from typing import Any

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.factory import build
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.ssh import SwitchServer, new_key
from podwright.lab.nxos.view import LiveView
from podwright.lab.pki import write_private
from podwright.lab.sides import LabContext
from podwright.lab.world.model import World, WorldError

log = logging.getLogger("lab.nxos")
RELOAD_SECONDS = 2.0
"""How long a reload takes here; minutes on hardware."""

TICK_SECONDS = 0.1


class NxosSide:
    """All switches of a world. Implements `lab.sides.Side`."""

    def __init__(self, world: World, context: LabContext) -> None:
        self.forward: dict[str, str] = {}
        self.world = world
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="nxos", daemon=True)
        self._thread.start()
        self._ticking = asyncio.run_coroutine_threadsafe(self._tick(), self._loop)
        self._servers: dict[str, SwitchServer] = {}
        self._all: dict[str, Device] = {}
        for name in world.switches:
            self._rack(name, context)
        world.fault_handlers.update(
            {
                "switch": self._fault_switch,
                "ssh-cut": self._fault_cut,
                "ssh-slow": self._fault_slow,
                "ssh-error": self._fault_error,
                "rollback": self._fault_rollback,
                "reload": self._fault_reload,
                "ssh-key": self._fault_key,
                "clock": self._fault_clock,
                "authorization": self._fault_authorization,
                "cli": self._cli,
            }
        )

    def _rack(self, name: str, context: LabContext) -> None:
        """Build one switch and put it on a port."""
        world, switch = self.world, self.world.switches[name]
        credential = world.credentials.get("switch", {"user": "admin", "secret": "switch-admin"})
        gateway = f"{switch.management.rpartition('.')[0]}.1"
        device = build(world, switch, credential["user"], context.secret(credential["secret"]), gateway)
        key = new_key(partial(write_private, context.dir / "nxos" / f"{name}.key"))
        server = SwitchServer(device, context.free_port(), key)
        device.on_reload = lambda: self._loop.call_soon_threadsafe(self._reloading, server)
        self._servers[name] = server
        self._all[name] = device
        device.peers = self._all
        world.attach_switch(name, LiveView(device))
        self._wait(server.open())
        self.forward[f"{switch.management}:22"] = f"127.0.0.1:{server.port}"
        public = key.export_public_key().decode().split()
        context.known_hosts.append(f"{switch.management} {public[0]} {public[1]}")

    async def _tick(self) -> None:
        """What happens on the boxes by itself: scheduled jobs, timers that run out."""
        while True:
            await asyncio.sleep(TICK_SECONDS)
            with self.world.lock:
                for name, device in list(self._all.items()):
                    try:
                        device.tick()
                    except Exception:
                        log.exception("what %s does by itself failed", name)

    def _wait(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=30)

    @property
    def writes(self) -> int:
        """Configuration lines, saves, checkpoints and rollbacks taken by all switches."""
        with self.world.lock:
            return sum(server.device.writes for server in self._servers.values())

    @property
    def devices(self) -> dict[str, Device]:
        """Name to device, for tests that look inside."""
        return {name: server.device for name, server in self._servers.items()}

    def stop(self) -> None:
        """Close every listener and the loop."""
        self._ticking.cancel()
        for server in self._servers.values():
            self._wait(server.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        self._loop.close()

    def _server(self, body: Mapping[str, Any]) -> SwitchServer:
        try:
            return self._servers[str(body.get("switch"))]
        except KeyError:
            raise WorldError(f"no switch named {body.get('switch')!r}") from None

    def _fault_switch(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"switch", "state": "down"|"up"}: power cut, and power back with the startup configuration."""
        server, down = self._server(body), body.get("state") == "down"
        with self.world.lock:
            server.device.faults.down = down
            if not down:
                server.device.boot()
        self._wait(server.close() if down else server.open())
        return {"switch": server.device.switch.name, "state": "down" if down else "up"}

    def _fault_cut(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"switch", "after": lines, "taken": false}: the session dies at the line after that many.

        With `taken` that line is carried out and only its answer is lost.
        """
        server = self._server(body)
        server.device.faults.cut_taken = bool(body.get("taken", False))
        server.device.faults.cut_after = int(body.get("after", 0))
        return {"after": server.device.faults.cut_after}

    def _fault_slow(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"switch", "seconds"}: delay of every line."""
        server = self._server(body)
        server.device.faults.delay = float(body.get("seconds", 0))
        return {"seconds": server.device.faults.delay}

    def _fault_error(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"switch", "line": part, "message"}: lines that contain the part are refused; no message heals."""
        server = self._server(body)
        part, message = str(body.get("line", "")), body.get("message")
        if message:
            server.device.faults.refuse[part] = str(message)
        else:
            server.device.faults.refuse.pop(part, None)
        return {"refuse": dict(server.device.faults.refuse)}

    def _fault_rollback(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"switch", "fails": true|false}."""
        server = self._server(body)
        server.device.faults.rollback_fails = bool(body.get("fails", True))
        return {"fails": server.device.faults.rollback_fails}

    def _fault_reload(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"switch", "after"?: lines}: reload without saving, now or in place of the line after that many."""
        server = self._server(body)
        if "after" in body:
            server.device.faults.reload_after = int(body["after"])
            return {"switch": server.device.switch.name}
        with self.world.lock:
            server.device.reload()
        return {"switch": server.device.switch.name}

    def _fault_clock(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"switch", "ahead": seconds}: how far the switch's clock is ahead of the host's."""
        clock = self._server(body).device.clock
        clock.offset = float(body.get("ahead", 0))
        return {"ahead": clock.offset}

    def _fault_authorization(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"switch", "deny": [beginnings of lines], "after": configuration lines}: the AAA server says no."""
        faults = self._server(body).device.faults
        faults.deny = [str(part) for part in body.get("deny", [])]
        faults.deny_after = int(body.get("after", 0))
        return {"deny": faults.deny, "after": faults.deny_after}

    def _fault_key(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"switch"}: another box answers at this address: its host key is not the one that is known."""
        server = self._server(body)
        self._wait(server.close())
        server.key = new_key(lambda _: None)
        self._wait(server.open())
        return {"switch": server.device.switch.name}

    def _cli(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"switch", "lines": [...], "user"?}: another person types these at the console."""
        user = str(body.get("user", "operator"))
        session = Session(self._server(body).device, user=user, dont_ask=True, quiet=True)
        return {"output": "".join(session.run(str(line)) for line in body.get("lines", []))}

    def _reloading(self, server: SwitchServer) -> None:
        async def cycle() -> None:
            await server.close()
            await asyncio.sleep(RELOAD_SECONDS)
            with self.world.lock:
                server.device.faults.down = False
            await server.open()

        self._task = self._loop.create_task(cycle())


def start(world: World, context: LabContext) -> NxosSide:
    """Start all switches of the world."""
    return NxosSide(world, context)

"""The plugin process: prints its port, serves, and leaves when the engine does.

A push that is under way is never torn apart by a signal: SIGINT (the terminal sends it to every process)
and SIGTERM ask operations to stop at a safe point, and the process ends after the last one. A second signal
ends it at once.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
from pulumi.runtime._grpc_settings import _GRPC_CHANNEL_OPTIONS
from pulumi.runtime.proto import provider_pb2_grpc

from podwright.components.providers.protocol.construct import Components
from podwright.components.providers.protocol.registry import Registry
from podwright.components.providers.protocol.servicer import Servicer
from podwright.components.providers.reach import load

THREADS = 64
"""Blocking client libraries run here; the default pool (CPU count + 4) would serialise a rack."""
_LOOK = 5.0
"""Seconds between two looks at the engine."""
_MISSED = 3
"""Looks in a row that must fail before the engine counts as gone."""


async def start(servicer: Servicer) -> tuple[grpc.aio.Server, int]:
    """Serve on a free loopback port; returns the running server and the port."""
    server = grpc.aio.server(options=_GRPC_CHANNEL_OPTIONS)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    return server, port


async def serve(arguments: list[str], components: Components | None = None) -> None:
    """Run until the engine is gone or a signal asks to leave; `components` are served beside the resources."""
    parent = os.getppid()  # before the engine has the port: it may be killed at once, and another process is the parent
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="device"))
    registry = Registry()
    servicer = Servicer(registry, lambda: load(os.environ), components)
    server, port = await start(servicer)
    address = next((a for a in arguments if ":" in a and not a.startswith("-")), "")
    servicer.engine.connect(address)
    leave = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, _leave, servicer, leave)
    print(port, flush=True)  # from here on the engine may signal
    watch = asyncio.create_task(_watch(servicer, leave, parent if address else 0))
    await leave.wait()
    servicer.operations.cancel()
    await servicer.operations.idle()
    watch.cancel()
    await registry.close()
    await servicer.engine.close()
    await server.stop(grace=1.0)


def _leave(servicer: Servicer, leave: asyncio.Event) -> None:
    if leave.is_set() or not servicer.operations.running:
        sys.stdout.flush()
        os._exit(0)  # nothing is under way (or the user insists): an orderly shutdown would only cost time
    leave.set()


async def _watch(servicer: Servicer, leave: asyncio.Event, parent: int) -> None:
    """A killed engine sends no signal; without this the process would stay for ever.

    Another process may be given the port of a dead engine and answer there, so it counts too whether `parent`, the
    process that started this one, is still the parent; 0 where a person started it.
    """
    missed = 0
    while not leave.is_set():
        await asyncio.sleep(_LOOK)
        if parent and os.getppid() != parent:
            leave.set()
            return
        host, _, port = servicer.engine.address.rpartition(":")
        if not host:
            continue
        try:
            _, writer = await asyncio.open_connection(host, int(port))
        except OSError:
            missed += 1
        else:
            missed = 0
            writer.close()
        if missed >= _MISSED:
            leave.set()

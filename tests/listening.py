"""A port that takes connections and notes them: any device, as far as a dialler can see."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def listening() -> Iterator[tuple[int, list[str]]]:
    """The port's number, and the address of each who connected."""
    dialled: list[str] = []
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)

        def accept() -> None:
            while not over.is_set():
                try:
                    connection, address = server.accept()
                except TimeoutError:
                    continue
                dialled.append(str(address))
                connection.close()

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield server.getsockname()[1], dialled
        finally:
            over.set()
            thread.join()

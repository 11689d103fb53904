from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
import requests
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from podwright.lab.intersight.side import IntersightSide, start
from tests.lab.bench import make_world
from tests.waiting import until

KEY_ID = "a/b/c"
WORLD = """
name: bench
servers:
  inf-01:
    model: UCSC-845A-M8
    serial: WZP00000021
    uuid: 00000000-0000-4000-8000-000000000021
    bmc: 192.0.2.121
    boot_mac: "02:00:00:00:02:01"
    intersight: true
    cpu: {vendor: amd, sockets: 2, cores: 64}
    memory_gib: 512
    gpus: {product: NVIDIA-H200-NVL, count: 2}
  cp-01:
    model: UCSX-210C-M7
    serial: FCH00000011
    uuid: 00000000-0000-4000-8000-000000000011
    bmc: 192.0.2.111
    boot_mac: "02:00:00:00:00:01"
    intersight: true
    cpu: {vendor: intel, sockets: 2, cores: 32}
    memory_gib: 128
    gpus: {product: NVIDIA-L40S, count: 1}
  gpu-01:
    model: UCSC-885A-M8
    serial: WZP00000001
    uuid: 00000000-0000-4000-8000-000000000001
    bmc: 192.0.2.101
    boot_mac: "02:00:00:00:01:01"
    intersight: true
    memory_gib: 64
  other:
    model: UCSC-C225-M8N
    serial: WZP00000099
    uuid: 00000000-0000-4000-8000-000000000099
    bmc: 192.0.2.99
    boot_mac: "02:00:00:00:09:09"
timing: {post_seconds: 0.05}
credentials: {intersight: {key_id: a/b/c, secret: intersight-key}}
"""


class Client:
    """A small signed client: nothing between the test and the wire."""

    def __init__(self, base: str, pem: str, key_id: str = KEY_ID) -> None:
        self.base = base
        self.key_id = key_id
        key = serialization.load_pem_private_key(pem.replace("EC PRIVATE", "PRIVATE").encode(), None)
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        self._key = key
        self.session = requests.Session()
        self.session.trust_env = False

    def raw(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> requests.Response:
        data = b"" if body is None else json.dumps(body).encode()
        request = self.session.prepare_request(
            requests.Request(
                method, f"{self.base}/api/v1/{path}", data=data, headers={"Content-Type": "application/json"}
            )
        )
        digest = "SHA-256=" + base64.b64encode(hashlib.sha256(data).digest()).decode()
        date, host = formatdate(time.time(), usegmt=True), self.base.partition("://")[2]
        text = f"(request-target): {method.lower()} {request.path_url}\nhost: {host}\ndate: {date}\ndigest: {digest}"
        signature = base64.b64encode(self._key.sign(text.encode(), ec.ECDSA(hashes.SHA256()))).decode()
        request.headers.update(
            {
                "Host": host,
                "Date": date,
                "Digest": digest,
                "Authorization": f'Signature keyId="{self.key_id}",algorithm="hs2019",'
                f'headers="(request-target) host date digest",signature="{signature}"',
                **(headers or {}),
            }
        )
        return self.session.send(request, timeout=10)

    def ok(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        reply = self.raw(method, path, body, headers)
        assert reply.status_code < 300, f"{method} {path}: {reply.status_code} {reply.text}"
        return reply.json() if reply.text else None

    def refused(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, str]:
        reply = self.raw(method, path, body, headers)
        assert reply.status_code >= 400, f"{method} {path}: {reply.status_code} {reply.text}"
        error = reply.json()
        assert error["traceId"] == reply.headers["x-starship-traceid"]
        return reply.status_code, error["messageId"]

    def get(self, path: str) -> Any:
        return self.ok("GET", path)

    def list(self, path: str, **options: str) -> list[Any]:
        query = "&".join(f"${k}={v}" for k, v in options.items())
        return self.get(f"{path}?{query}")["Results"] or []

    def create(self, path: str, body: dict[str, Any]) -> Any:
        reply = self.raw("POST", path, body)
        assert reply.status_code == 201, reply.text
        return reply.json()


class Bench:
    """A lab side with a client, and names for what the tests need of it."""

    def __init__(self, folder: Path, world: str = WORLD) -> None:
        self.world, self.lab = make_world(folder, world)
        self.side: IntersightSide = start(self.world, self.lab)
        self.client = Client(f"http://{self.side.http}", self.pem)
        self.org = self.client.list("organization/Organizations")[0]["Moid"]

    @property
    def pem(self) -> str:
        return (self.lab.secrets / "intersight-key").read_text()

    @property
    def https(self) -> str:
        return f"https://{self.side.forward['intersight.com:443']}"

    def named(self, name: str, **properties: Any) -> dict[str, Any]:
        return {"Name": name, "Organization": {"Moid": self.org}, **properties}

    def server(self, serial: str) -> dict[str, Any]:
        found: dict[str, Any] = self.client.list("compute/PhysicalSummaries", filter=f"Serial eq '{serial}'")[0]
        return found

    def profile(self, moid: str) -> Any:
        return self.client.get(f"server/Profiles/{moid}")

    def wait(self, moid: str, state: str, seconds: float = 5) -> Any:
        return self.until_state(f"server/Profiles/{moid}", state, seconds)

    def until_state(self, path: str, state: str, seconds: float = 5) -> Any:
        return until(lambda: (p := self.client.get(path))["ConfigContext"]["ConfigState"] == state and p, seconds)

    def close(self) -> None:
        self.side.stop()
        self.world.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    bench.world.fault({"kind": "intersight", "validate": 0.08, "configure": 0.08})
    yield bench
    bench.close()

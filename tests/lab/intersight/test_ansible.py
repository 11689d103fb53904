"""Cisco's Ansible collection, unmodified: a playbook as its examples are, twice, and what it made stays its own."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from podwright.lab.intersight import signature
from podwright.toolchain.ansible import COLLECTION
from tests.benchmarks.intersight import Resource, command
from tests.lab.intersight.conftest import KEY_ID, WORLD, Bench
from tests.playbooks import Playbooks, playbooks, prepared

pytestmark = pytest.mark.rough
BOOK = Path(__file__).parent / "ansible" / "site.yml"
NET = {"interface_source": "port", "port": 0, "network_slot": "MLOM", "ip_type": "IPv4"}
DEVICES: list[dict[str, Any]] = [
    {"device_type": "NVMe", "device_name": "disk"},
    {"device_type": "PXE", "device_name": "net", **NET},
    {"device_type": "Virtual Media", "device_name": "image", "virtual_media_subtype": "kvm-mapped-dvd"},
]
GIVEN: dict[str, Any] = {"server": "845A-WZP00000021", "devices": DEVICES}
MADE = ("ntp/Policies", "boot/PrecisionPolicies", "power/Policies", "server/Profiles")


@pytest.fixture(params=["exact", "any-case"])
def forms(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    made = Bench(tmp_path, f"{WORLD}variants: {{names: {request.param}}}\n")
    yield made
    made.close()


def ready(bench: Bench, folder: Path, key: Path, key_id: str = KEY_ID) -> Playbooks:
    return playbooks(folder / "ansible", f"http://{bench.side.http}", key_id, key)


def rsa_key(bench: Bench, folder: Path) -> tuple[Path, str]:
    made = rsa.generate_private_key(65537, 2048)
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption())
    pem = made.private_bytes(*form).decode()
    file = folder / "rsa.pem"
    file.write_text(pem)
    bench.side.more_keys["a/b/rsa"] = signature.public_of(pem)
    return file, "a/b/rsa"


def ours(bench: Bench, folder: Path) -> str:
    """What podwright says when a stack wants a policy of a name that the playbook took."""
    reach = folder / "reach.json"
    reach.write_text(
        json.dumps({"forward": bench.side.forward, "ca": str(bench.lab.ca.path), "secrets": str(bench.lab.secrets)})
    )
    spec = {
        "schema": 1, "object_type": "ntp.Policy", "name": "site-ntp", "organization": "default",
        "properties": {"NtpServers": ["203.0.113.9"]}, "references": {}, "children": [],
    }  # fmt: skip

    async def create() -> str:
        async with command(reach) as engine:
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await engine.create([Resource("podwright:intersight:Policy", spec, 0)])
            return str(refused.value.details())

    return asyncio.run(create())


def test_the_collection_is_ciscos_to_the_byte() -> None:
    folder = prepared().collections / COLLECTION
    files = json.loads((folder / "FILES.json").read_text())["files"]
    listed = {each["name"]: each["chksum_sha256"] for each in files if each["ftype"] == "file"}
    here = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    found = {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in here}
    of_the_package = {"FILES.json", "MANIFEST.json"}
    assert {name: each for name, each in found.items() if listed.get(name) != each}.keys() <= of_the_package
    assert "plugins/modules/intersight_rest_api.py" in found


def test_the_second_run_changes_nothing_and_podwright_leaves_alone_what_the_first_made(
    forms: Bench, tmp_path: Path
) -> None:
    exact = forms.world.variants["names"] == "exact"
    key = forms.lab.secrets / "intersight-key"
    books = ready(forms, tmp_path, key)
    if exact:
        refused = books.run(BOOK, GIVEN)
        assert refused.sums["failed"] == 1, refused.text
        assert "SubType" in refused.text, "the collection spells a property as the schema does not"
    given = {**GIVEN, "devices": DEVICES[:2]} if exact else GIVEN
    first = books.run(BOOK, given)
    assert (first.status, first.sums["failed"]) == (0, 0), first.text
    assert first.sums["changed"] == (4 if exact else 5), first.text
    (profile,) = forms.client.list("server/Profiles")
    assert profile["ConfigContext"]["ConfigState"] == "Associated"
    assert len(profile["PolicyBucket"]) == 3
    made = {path: forms.client.list(path) for path in MADE}
    writes = forms.side.writes
    file, key_id = rsa_key(forms, tmp_path)
    second = ready(forms, tmp_path, file, key_id).run(BOOK, given)
    assert (second.status, second.sums["changed"]) == (0, 0), second.text
    assert "'site-ntp' in organization 'default' exists in Intersight and was not made by this stack" in ours(
        forms, tmp_path
    )
    assert forms.side.writes == writes
    assert {path: forms.client.list(path) for path in MADE} == made

"""The lab's own passwords and keys are the canaries: they are looked for wherever a stack leaves text behind."""

import base64
import gzip
import json
import re
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.e2e.site import ROOT, Site

pytestmark = pytest.mark.rough

SHORTEST = 12
"""Shorter lines and pieces say nothing about a key."""


def spellings(secret: str) -> set[str]:
    """A secret as text may carry it: whole or line by line, raw, escaped, in base64 at any alignment."""
    lines = [line.strip() for line in secret.splitlines()]
    pieces = {secret, secret.strip(), *(line for line in lines if len(line) >= SHORTEST and "-----" not in line)}
    found: set[str] = set()
    for piece in pieces:
        found |= {piece, json.dumps(piece)[1:-1], json.dumps(json.dumps(piece))[3:-3], repr(piece)[1:-1]}
        found |= {urllib.parse.quote(piece, safe=""), urllib.parse.quote_plus(piece)}
        for shift in range(3):
            # Two digits at either end depend on the neighbours.
            found.add(base64.b64encode(bytes(shift) + piece.encode()).decode().rstrip("=")[4:-2])
    return {each for each in found if len(each) >= SHORTEST}


def canaries(site: Site) -> dict[str, set[str]]:
    """Every secret of the site by name, in every spelling."""
    found = {path.name: path.read_text() for path in (site.lab / "secrets").iterdir()}
    found |= {f"{name} given": value for name, value in site.extra_env.items() if "SECRET" in name}
    login = json.loads(found["pull-secret"])["auths"].popitem()[1]["auth"]
    found["registry login"], found["registry password"] = login, base64.b64decode(login).decode().partition(":")[2]
    user = yaml.safe_load(site.outputs()["kubeconfig"])["users"][0]["user"]
    found["kubeconfig key"] = user["client-key-data"]
    found["kubeconfig key, decoded"] = base64.b64decode(user["client-key-data"]).decode()
    return {name: spellings(value.strip()) for name, value in found.items()}


def leaks(site: Site, text: str) -> list[str]:
    """Names of the secrets that stand in `text`, with what stands before them."""
    found = []
    for name, known in canaries(site).items():
        for spelling in known:
            if (at := text.find(spelling)) >= 0:
                found.append(f"{name} after {text[max(0, at - 80) : at]!r}")
                break
    return found


def texts(folder: Path) -> Iterator[tuple[Path, str]]:
    """Every file below a folder as text, unpacked."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            yield path, (gzip.decompress(data) if path.suffix == ".gz" else data).decode(errors="replace")


def without_sdk(log: str) -> str:
    """Verbose logs without the lines in which Pulumi's own Python SDK prints a stack's outputs, secrets unwrapped.

    It does so for every program that exports a secret; nothing of ours is among them.
    """
    theirs = ("register resource outputs prepared: ", "resource registration successful: ")
    return "\n".join(line for line in log.splitlines() if not any(words in line for words in theirs))


def test_the_search_finds_each_spelling(site: Site) -> None:
    secrets = {path.name: path.read_text().strip() for path in (site.lab / "secrets").iterdir()}
    key = secrets["intersight-key"]
    for leak in (
        secrets["bmc-admin"],
        json.dumps({"error": key}),
        key.splitlines()[1],
        base64.b64encode(f"admin:{secrets['bmc-admin']}".encode()).decode(),
        base64.b64encode(key.encode()).decode(),
        site.outputs()["kubeconfig"],
    ):
        assert leaks(site, f"before {leak} after"), leak[:20]


def test_nothing_a_stack_leaves_behind_holds_a_secret(site: Site, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    site.run(["pulumi", "stack", "export", "--stack", site.stack, "--file", str(tmp_path / "export.json")])
    said = {
        "preview": site.pulumi("preview", "--json", "--save-plan", str(plan)),
        "policy report": site.pulumi("preview", "--diff", "--policy-pack", "policies"),
        "history": site.pulumi("stack", "history", "--json"),
        "output": site.pulumi("stack", "output", "--json"),
        "logs": site.pulumi("refresh", "--preview-only", "--run-program", "--logtostderr", "-v=3"),
    }
    said["logs"].stderr = without_sdk(said["logs"].stderr)
    assert plan.stat().st_size > 1000
    found = {what: leaks(site, done.stdout + done.stderr) for what, done in said.items()}
    found |= {path.name: leaks(site, text) for path, text in texts(tmp_path)}
    backend = dict(texts(site.folder / "backend"))
    assert any("history" in path.parts for path in backend)
    assert any("backups" in path.parts or path.name.endswith(".bak") for path in backend)
    found |= {str(path): leaks(site, text) for path, text in backend.items()}
    assert {what: names for what, names in found.items() if names} == {}


def test_the_kubeconfig_is_encrypted_in_the_state(site: Site) -> None:
    state = json.loads(site.pulumi("stack", "export").stdout)["deployment"]["resources"]
    holders = [
        (each["urn"], part, value)
        for each in state
        for part in ("inputs", "outputs")
        for name, value in each.get(part, {}).items()
        if "kubeconfig" in name.lower()
    ]
    assert any("openshift:Install" in urn for urn, _, _ in holders)
    for urn, part, value in holders:
        assert isinstance(value, dict), f"{part} of {urn}"
        assert value.get("ciphertext"), f"{part} of {urn}"


def wrong(name: str, value: str) -> Callable[[Site], None]:
    """A secret that is not the device's, given by environment."""
    return lambda site: site.extra_env.update({f"PODWRIGHT_SECRET_{name}": value})


def strange_key() -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    form = serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


def broken_key(site: Site) -> None:
    lines = (site.lab / "secrets" / "intersight-key").read_text().splitlines()
    site.extra_env["PODWRIGHT_SECRET_INTERSIGHT_KEY"] = "\n".join([*lines[:2], *lines[3:]])


def fault(**body: object) -> Callable[[Site], None]:
    """A fault of the lab."""
    return lambda site: site.world("POST", "/fault", body)


def cluster_down(site: Site) -> None:
    reach = json.loads((site.lab / "reach.json").read_text())
    reach["forward"] |= {name: "127.0.0.1:9" for name in reach["forward"] if name.endswith(":6443")}
    elsewhere = site.folder / "reach-down.json"
    elsewhere.write_text(json.dumps(reach))
    site.extra_env["PODWRIGHT_REACH"] = str(elsewhere)


TROUBLES: dict[str, tuple[Callable[[Site], None], str]] = {
    "switch login": (wrong("SWITCH_ADMIN", 'canary "switch\\ password'), "refused the login of user admin"),
    "switch cut": (fault(kind="ssh-cut", switch="leaf-01", after=1), "leaf-01: .* the session ended"),
    "bmc login": (wrong("BMC_ADMIN", "canary+bmc/pass word%"), "does not accept the login"),
    "bmc cut": (fault(kind="redfish", mode="cut", times=500), "BMC at 192.0.2.1"),
    "bmc busy": (fault(kind="redfish", mode="401", times=500), "BMC at 192.0.2.1"),
    "intersight key": (wrong("INTERSIGHT_KEY", strange_key()), "Intersight does not accept the API key"),
    "intersight broken key": (broken_key, "intersight-key|Intersight"),
    "intersight refuses": (fault(kind="intersight", mode="401", times=500), "Intersight does not accept the API key"),
    "cluster down": (cluster_down, "does not answer"),
}
"""How a provider's calls are made to fail, and what must then be said: otherwise nothing failed."""


@pytest.mark.parametrize("trouble", list(TROUBLES))
def test_no_error_quotes_a_secret(trouble: str, site: Site) -> None:
    make, sentence = TROUBLES[trouble]
    try:
        make(site)
        done = site.pulumi("refresh", "--preview-only", "--logtostderr", "-v=3", check=False, timeout=240)
        said = done.stdout + done.stderr
        assert re.search(sentence, said), said[-3000:]
        assert "Traceback" not in said
        assert leaks(site, said) == []
    finally:
        site.extra_env.clear()
        for kind in ("redfish", "intersight"):
            site.world("POST", "/fault", {"kind": kind, "mode": "none"})


def test_secrets_of_the_stacks_configuration_are_encrypted_and_replace_nothing(tmp_path: Path) -> None:
    """No lab: every device refuses, so that errors are there to be searched, and instances stand in the state."""
    given = {"switch-admin": 'canary "switch\\ password', "bmc-admin": "canary+bmc/pass word%"}
    site = Site(tmp_path / "site")
    site.lay_out((ROOT / "Pulumi.lab.yaml").read_text())
    ends = ["intersight.com:443", *(f"192.0.2.{n}:22" for n in (11, 12, 21)), *(f"192.0.2.{n}:443" for n in range(160))]
    (tmp_path / "reach.json").write_text(json.dumps({"forward": dict.fromkeys(ends, "127.0.0.1:9")}))
    site.extra_env["PODWRIGHT_REACH"] = str(tmp_path / "reach.json")
    site.init()

    def put(name: str, value: str) -> None:
        site.run(["pulumi", "config", "set", "--secret", "--path", f'secrets["{name}"]', value, "--stack", site.stack])

    for name, value in given.items():
        put(name, value)
    plan = tmp_path / "plan.json"
    said = [
        site.pulumi("preview", "--json", "--save-plan", str(plan), "--logtostderr", "-v=3"),
        site.pulumi("up", "--yes", "--skip-preview", check=False, timeout=240),
    ]
    assert "errored" in said[1].stdout, "the devices were tried"
    state = json.loads(site.pulumi("stack", "export").stdout)["deployment"]["resources"]
    instances = [each for each in state if each["type"] == "pulumi:providers:podwright"]
    assert instances
    assert all(each["inputs"]["secrets"].get("ciphertext") for each in instances)
    texts_left = [without_sdk(done.stdout + done.stderr) for done in said]
    texts_left += [plan.read_text(), site.stack_file.read_text(), *(text for _, text in texts(site.folder / "backend"))]
    for text in texts_left:
        assert not [name for name, value in given.items() if any(each in text for each in spellings(value))]
    put("switch-admin", "another day's")
    moved = {change.op for change in site.preview() if change.urn in {each["urn"] for each in state}}
    assert moved <= {"update"}

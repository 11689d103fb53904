"""Making the installation image: the installer's two files in, a bootable image and a kubeconfig out."""

from __future__ import annotations

import asyncio
import glob
import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from podwright.components.providers.openshift.install.files import agent_config, install_config
from podwright.components.providers.openshift.memory import Memory
from podwright.components.providers.protocol.kind import Context, ProviderError

TOOL = "openshift-install"
IMAGE = "agent.x86_64.iso"
_LINE = re.compile(r'level=(\w+) msg="((?:[^"\\]|\\.)*)"')


def digest(spec: Mapping[str, Any]) -> str:
    """What the image depends on, without its secrets."""
    files = [install_config(spec, ""), agent_config(spec), spec["version"]]
    return hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()[:16]


def publish_folder(spec: Mapping[str, Any], ctx: Context) -> tuple[Path, str]:
    """(folder, URL without trailing slash) where images are published; the reach file's `publish` comes first."""
    publish = ctx.reach.publish or spec["publish"]
    return Path(str(publish["directory"])).expanduser(), str(publish["url"]).rstrip("/")


def pattern(cluster: str) -> str:
    """Glob of every image of a cluster in its publish folder: an unguessable name behind the cluster's."""
    return f"{glob.escape(cluster)}-{'[0-9a-f]' * 32}.iso"


async def make_image(spec: Mapping[str, Any], memory: Memory, ctx: Context) -> None:
    """Run the installer, publish the image, remember the kubeconfig. Raises ProviderError with the installer's words.

    The file's name is unguessable: the image holds the cluster's first certificates and the pull secret, and the
    servers' virtual drives can fetch only from an open web server.
    """
    tool = installer(ctx)
    await _right_version(tool, spec, ctx)
    pull_secret = ctx.secret(str(spec["pull_secret"]))
    work = memory.workplace()
    try:
        _private(work / "install-config.yaml", install_config(spec, pull_secret))
        _private(work / "agent-config.yaml", agent_config(spec))
        await run([tool, "agent", "create", "image", "--dir", str(work)], ctx, "make the installation image")
        folder, _ = publish_folder(spec, ctx)
        name = f"{spec['cluster']}-{secrets.token_hex(16)}.iso"
        await asyncio.get_running_loop().run_in_executor(None, publish, work / IMAGE, folder, name)
        kubeconfig = (work / "auth" / "kubeconfig").read_text(encoding="utf-8")
        memory.remember({"digest": digest(spec), "image": name, "booted": []}, kubeconfig)
    except OSError as problem:
        raise ProviderError(f"the installation image cannot be made: {problem}") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)


def installer(ctx: Context) -> str:
    """Path of the installer. Raises ProviderError saying where it is looked for."""
    tool = ctx.reach.tool(TOOL)
    if tool is None:
        raise ProviderError(f"{TOOL} is neither in the reach file's `tools` nor on PATH; download the release's own")
    return tool


async def _right_version(tool: str, spec: Mapping[str, Any], ctx: Context) -> None:
    output = await run([tool, "version"], ctx, "tell its version")
    found = re.search(r"openshift-install v?(\S+)", output)
    if found is None or found[1] != spec["version"]:
        raise ProviderError(
            f"{tool} installs {found[1] if found else 'an unknown release'}, the spec says {spec['version']}"
        )


async def run(command: list[str], ctx: Context, what: str) -> str:
    """Run a tool, show its info lines as progress, return its output. Raises ProviderError with its last words."""
    environ = {k: v for k, v in ctx.reach.environ.items() if not k.startswith("PODWRIGHT_SECRET_")}
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environ or None,
        )
    except OSError as problem:
        raise ProviderError(f"{command[0]} cannot be started to {what}: {problem.strerror}") from None
    assert process.stdout is not None
    assert process.stderr is not None
    last: list[str] = []

    async def listen(stream: asyncio.StreamReader) -> None:
        async for raw in stream:
            line = raw.decode(errors="replace").strip()
            found = _LINE.search(line)
            text = json.loads(f'"{found[2]}"') if found else line
            last.append(text)
            if found and found[1] == "info":
                ctx.log(text)

    try:
        output, _ = await asyncio.gather(process.stdout.read(), listen(process.stderr))
        code = await process.wait()
    except asyncio.CancelledError:
        process.kill()
        raise
    if code != 0:
        raise ProviderError(f"{Path(command[0]).name} could not {what}: {last[-1] if last else f'exit code {code}'}")
    return output.decode(errors="replace")


def _private(path: Path, document: Mapping[str, Any]) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        yaml.safe_dump(dict(document), file, sort_keys=False)


def publish(image: Path, folder: Path, name: str) -> None:
    """Put the image into the published folder, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f".{name}"
    shutil.copyfile(image, draft)
    draft.chmod(0o644)
    draft.replace(folder / name)

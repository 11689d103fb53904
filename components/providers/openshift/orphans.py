"""What an installation that was begun and never recorded leaves: hosts in the installer, an image with secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.components.providers.openshift.install import image
from podwright.components.providers.openshift.memory import Memory
from podwright.components.providers.protocol.kind import Context


async def orphans(installation: Mapping[str, Any], ctx: Context) -> list[str]:
    """One sentence for each host that was booted into the installation, the image and the kubeconfig."""
    cluster = str(installation["cluster"])
    memory = Memory(ctx.reach.environ, ctx.identity, cluster)
    folder, _ = image.publish_folder(installation, ctx)
    found = [f"host {name} was booted into the installation of {cluster}" for name in memory.facts.get("booted") or ()]
    # An image's name holds its cluster and no stack; one whose installer was killed at once is in no memory.
    found += [
        f"{file} is published and holds the pull secret; remove the file unless another stack installs {cluster}"
        for file in sorted(folder.glob(image.pattern(cluster)))
    ]
    if memory.kubeconfig is not None:
        found.append(f"{memory.folder} holds the administrator's kubeconfig of {cluster}")
    return found

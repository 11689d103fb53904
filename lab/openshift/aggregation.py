"""Other API servers behind the cluster's own: what it asks them as, and how they know that it is the one who asks.

https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/
"""

from __future__ import annotations

from pathlib import Path

from podwright.lab.openshift.certificates import Pair, issue

NAME = "system:openshift-aggregator"


def flags(root: Pair, folder: Path) -> list[str]:
    """Options of kube-apiserver; its certificate as a client is in `folder`, beside the root as ca.crt."""
    pair = issue(root, NAME)
    for file, data in (("aggregator.crt", pair.certificate), ("aggregator.key", pair.key)):
        (folder / file).touch(mode=0o600)
        (folder / file).write_bytes(data)
    return [
        f"--proxy-client-cert-file={folder / 'aggregator.crt'}", f"--proxy-client-key-file={folder / 'aggregator.key'}",
        f"--requestheader-client-ca-file={folder / 'ca.crt'}", f"--requestheader-allowed-names={NAME}",
        "--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    ]  # fmt: skip

"""Whose documentation a rule's reference is: what a reviewer filters findings by."""

from typing import Final
from urllib.parse import urlparse

_HOSTS: Final = {
    "cisco.com": "Cisco guide",
    "docs.nvidia.com": "NVIDIA guide",
    "docs.redhat.com": "Red Hat guide",
    "docs.openshift.com": "Red Hat guide",
    "kubernetes.io": "Kubernetes documentation",
    "kueue.sigs.k8s.io": "Kubernetes documentation",
    "rfc-editor.org": "RFC",
    "docs.netapp.com": "NetApp guide",
    "dell.github.io": "Dell guide",
    "docs.amd.com": "AMD guide",
    "etcd.io": "etcd documentation",
    "olm.operatorframework.io": "Operator Framework documentation",
    "docs.ansible.com": "Ansible documentation",
    "github.com": "source code",
}
_HARDENING: Final = ("hardening", "securing")
"""Words in the address of a vendor's guide to a secure configuration."""


def guides(reference: str) -> tuple[str, ...]:
    """By the host of a reference; a guide to hardening is one of its own. None for a host that is nobody's of these."""
    host = urlparse(reference).hostname or ""
    found = next((name for known, name in _HOSTS.items() if host == known or host.endswith(f".{known}")), None)
    if found is None:
        return ()
    return (found, "hardening guide") if any(word in reference.lower() for word in _HARDENING) else (found,)

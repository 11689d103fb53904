"""The schedule of etcd's backups, in a namespace of its own."""

import pulumi

from podwright.components.design.platform import etcd_backup
from podwright.components.manifests import Objects
from podwright.components.model import OpenShift


def backed_up(openshift: OpenShift, guarded: Objects) -> list[pulumi.CustomResource]:
    """Namespace, then what is inside it; nothing where the section has no `etcd_backup`."""
    if openshift.etcd_backup is None:
        return []
    home = guarded.add(etcd_backup.namespace())
    return [guarded.following([home]).add(each) for each in etcd_backup.inside(openshift.etcd_backup)]

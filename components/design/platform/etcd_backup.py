"""Scheduled backups of etcd: a CronJob that runs OpenShift's own script on a control-plane host.

The script is the one that Red Hat documents
(https://docs.redhat.com/en/documentation/openshift_container_platform/4.21/html/etcd/backing-up-and-restoring-etcd-data),
on one host and not on each. Not chosen: `Backup` of config.openshift.io/v1alpha1, which stands behind the feature gate
AutomatedEtcdBackup of preview clusters that cannot be updated
(https://github.com/openshift/api/blob/release-4.20/features/features.go).
"""

from collections.abc import Iterator
from typing import Any

from podwright.components.design.platform.names import Manifest
from podwright.components.model import EtcdBackup

NAMESPACE = "podwright-etcd-backup"
NAME = "etcd-backup"
DIRECTORY = "/var/lib/podwright/etcd-backup"
"""On the host's own disk, which keeps /var when it boots another release."""
_SCRIPT = "/usr/local/bin/cluster-backup.sh"
_MASTER = "node-role.kubernetes.io/master"
_DEADLINE_SECONDS = 1800
"""A snapshot of etcd's largest store, 8 GB, and its copy take minutes."""


def namespace() -> Manifest:
    """A namespace whose pods may have the host: nobody else's run there."""
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": NAMESPACE,
            "labels": {
                **{f"pod-security.kubernetes.io/{mode}": "privileged" for mode in ("enforce", "audit", "warn")},
                "security.openshift.io/scc.podSecurityLabelSync": "false",
            },
        },
    }


def inside(backup: EtcdBackup) -> Iterator[Manifest]:
    """The job, its account, and that account's right to the host."""
    yield {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": NAME, "namespace": NAMESPACE},
        "automountServiceAccountToken": False,
    }
    yield {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": NAME, "namespace": NAMESPACE},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": "system:openshift:scc:privileged",
        },
        "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": NAMESPACE}],
    }
    yield {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": NAME, "namespace": NAMESPACE},
        "spec": {
            "schedule": schedule(backup),
            "timeZone": "Etc/UTC",
            "concurrencyPolicy": "Forbid",
            "startingDeadlineSeconds": 600,
            "successfulJobsHistoryLimit": 1,
            "failedJobsHistoryLimit": 1,
            "jobTemplate": {
                "spec": {
                    # The script refuses while an operator of the control plane rolls out: later it does not.
                    "backoffLimit": 3,
                    "activeDeadlineSeconds": _DEADLINE_SECONDS,
                    "template": {"spec": _pod(backup)},
                }
            },
        },
    }


def schedule(backup: EtcdBackup) -> str:
    """Minute and hours of every day, as cron has them."""
    hour, minute = map(int, backup.at.split(":"))
    hours = sorted((hour + step) % 24 for step in range(0, 24, backup.every_hours))
    return f"{minute} {','.join(map(str, hours))} * * *"


def late_seconds(backup: EtcdBackup) -> int:
    """Age of the last good backup from which on one was missed: a run may take until its deadline."""
    return backup.every_hours * 3600 + 600 + _DEADLINE_SECONDS


def _pod(backup: EtcdBackup) -> dict[str, Any]:
    """As `oc debug node` has it: privileged, the host's files under /host, its network and processes."""
    copies: list[dict[str, Any]] = []
    mounts = [{"name": "host", "mountPath": "/host"}]
    if backup.copy_to is not None:
        copies = [{"name": "copy", "nfs": {"server": backup.copy_to.server, "path": backup.copy_to.path}}]
        mounts.append({"name": "copy", "mountPath": "/copy"})
    return {
        "serviceAccountName": NAME,
        "automountServiceAccountToken": False,
        "nodeSelector": {_MASTER: ""},
        "tolerations": [
            {"key": key, "operator": "Exists", "effect": "NoSchedule"}
            for key in (_MASTER, "node-role.kubernetes.io/control-plane")
        ],
        "hostNetwork": True,
        "hostPID": True,
        "restartPolicy": "Never",
        "containers": [
            {
                "name": "backup",
                "image": backup.image,
                "command": ["/bin/bash", "-euc", script(backup)],
                "securityContext": {"privileged": True, "runAsUser": 0},
                "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}},
                "terminationMessagePolicy": "FallbackToLogsOnError",
                "volumeMounts": mounts,
            }
        ],
        "volumes": [{"name": "host", "hostPath": {"path": "/", "type": "Directory"}}, *copies],
    }


def script(backup: EtcdBackup) -> str:
    """One backup under the time it began; what a run left half done is no backup and goes with the next one."""
    lines = [
        "umask 077",
        f"rm -rf /host{DIRECTORY}/unfinished",
        f"mkdir -p /host{DIRECTORY}",
        f"chroot /host {_SCRIPT} {DIRECTORY}/unfinished",
        "name=$(date -u +%Y-%m-%dT%H%M%SZ)",
        f'mv /host{DIRECTORY}/unfinished "/host{DIRECTORY}/$name"',
        *_kept(f"/host{DIRECTORY}", backup.keep),
    ]
    if backup.copy_to is not None:
        lines += [
            "rm -rf /copy/*.unfinished",
            f'cp -r "/host{DIRECTORY}/$name" "/copy/$name.unfinished"',
            'mv "/copy/$name.unfinished" "/copy/$name"',
            *_kept("/copy", backup.keep),
        ]
    return "\n".join(lines)


def _kept(folder: str, count: int) -> Iterator[str]:
    """Names are times, so the last ones in their order are the newest."""
    yield f"cd {folder}"
    yield f"ls -1d [0-9]*Z | sort | head -n -{count} | xargs -r rm -rf --"

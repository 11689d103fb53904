"""The OpenShift module: which resource kinds it serves."""

from __future__ import annotations

from components.providers.openshift.guard import GuardKind
from components.providers.openshift.install import InstallKind
from components.providers.openshift.operator import OperatorInstallKind
from components.providers.openshift.pool_ready import PoolReadyKind
from components.providers.openshift.rollout import RolloutKind
from components.providers.protocol.kind import Kind

KINDS: tuple[Kind, ...] = (GuardKind(), InstallKind(), OperatorInstallKind(), PoolReadyKind(), RolloutKind())

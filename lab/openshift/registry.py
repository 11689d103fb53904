"""Which stand-ins run in a cluster of the lab."""

from __future__ import annotations

from podwright.lab.openshift.alerting import AlertingRules
from podwright.lab.openshift.attachments import Attachments
from podwright.lab.openshift.backups import Backups
from podwright.lab.openshift.cert_manager import CertManagers
from podwright.lab.openshift.controller import Controller, Surroundings
from podwright.lab.openshift.csvs import Csvs
from podwright.lab.openshift.data_science.operator import DataScience
from podwright.lab.openshift.disruption import DisruptionPolicies
from podwright.lab.openshift.etcd_operator import EtcdOperator
from podwright.lab.openshift.gateway.operator import Gateways
from podwright.lab.openshift.gpu.operator import Gpu
from podwright.lab.openshift.ingress.router import Router
from podwright.lab.openshift.ipam.operator import NvIpam
from podwright.lab.openshift.job_sets.operator import JobSets
from podwright.lab.openshift.keda.operator import Keda
from podwright.lab.openshift.kinds import NODES, PODS
from podwright.lab.openshift.kserve.operator import KServe
from podwright.lab.openshift.kuadrant.operator import Kuadrants
from podwright.lab.openshift.kubelet_configs import KubeletConfigs
from podwright.lab.openshift.kueue.operator import Kueue
from podwright.lab.openshift.maintenance import Maintenance
from podwright.lab.openshift.marketplace import Marketplace
from podwright.lab.openshift.mco import Mco
from podwright.lab.openshift.mesh.operator import ServiceMesh
from podwright.lab.openshift.monitoring.querier import Monitoring
from podwright.lab.openshift.multus import Multus
from podwright.lab.openshift.network_operator import ClusterNetwork
from podwright.lab.openshift.networks import NvidiaNetwork, SriovNetworks
from podwright.lab.openshift.nfd import Nfd
from podwright.lab.openshift.nics.operator import NicConfiguration
from podwright.lab.openshift.nmstate.operator import Nmstate
from podwright.lab.openshift.olm import Olm
from podwright.lab.openshift.ovn import OvnKubernetes
from podwright.lab.openshift.own_workloads import OwnWorkloads
from podwright.lab.openshift.perftest.pods import Perftest
from podwright.lab.openshift.pulls import Pulls
from podwright.lab.openshift.registries import ImageConfigs
from podwright.lab.openshift.remediation.health_checks import HealthChecks
from podwright.lab.openshift.remediation.self_node import SelfNodeRemediations
from podwright.lab.openshift.runtime_configs import RuntimeConfigs
from podwright.lab.openshift.scc.allocation import Allocation
from podwright.lab.openshift.scripts.pods import Scripts
from podwright.lab.openshift.serving.pods import Serving
from podwright.lab.openshift.sriov.operator import Sriov
from podwright.lab.openshift.topology import Topology
from podwright.lab.openshift.tuned import TunedDaemons
from podwright.lab.openshift.tuning import Tuning
from podwright.lab.openshift.updates import ClusterVersions
from podwright.lab.openshift.volumes import Volumes


def controllers(around: Surroundings) -> list[Controller]:
    """One of each, in no particular order: none calls another; what they share is the API and the hosts."""
    for kind in (NODES, PODS):
        # Whether an operator runs is asked of both, by stand-ins that watch neither.
        around.cache.listen(kind, lambda: None)
    return [
        make(around)
        for make in (
            Sriov, Multus, Mco, KubeletConfigs, RuntimeConfigs, Olm, Csvs, Nfd, Gpu, SriovNetworks, NvidiaNetwork,
            Perftest, Volumes, Attachments, Tuning, TunedDaemons, ClusterVersions, Maintenance, NicConfiguration,
            NvIpam, ImageConfigs, Marketplace, Pulls, Backups, DisruptionPolicies, Topology, Nmstate, Allocation,
            OwnWorkloads, EtcdOperator, Scripts, Router, Kueue, OvnKubernetes, SelfNodeRemediations, HealthChecks,
             Serving, JobSets, AlertingRules, CertManagers, DataScience, Keda, KServe, Monitoring, Gateways,
            Kuadrants, ServiceMesh, ClusterNetwork,
        )
    ]  # fmt: skip

"""Which stand-ins run in a cluster of the lab."""

from __future__ import annotations

from lab.openshift.controller import Controller, Surroundings
from lab.openshift.csvs import Csvs
from lab.openshift.gpu import Gpu
from lab.openshift.mco import Mco
from lab.openshift.multus import Multus
from lab.openshift.networks import NvidiaNetwork, SriovNetworks
from lab.openshift.nfd import Nfd
from lab.openshift.olm import Olm
from lab.openshift.perftest import Perftest
from lab.openshift.sriov import Sriov
from lab.openshift.tuning import Tuning
from lab.openshift.volumes import Volumes


def controllers(around: Surroundings) -> list[Controller]:
    """One of each, in no particular order: none calls another; what they share is the API and the hosts."""
    return [
        make(around)
        for make in (
            Sriov, Multus, Mco, Olm, Csvs, Nfd, Gpu, SriovNetworks, NvidiaNetwork, Perftest, Volumes, Tuning,
        )
    ]  # fmt: skip

"""SAID: what the operator writes in a stack file."""

from components.spec.cables import Cables, Ends
from components.spec.cluster import Cluster, Rack, Site
from components.spec.compute import Bmc, Domain, Intersight, Server
from components.spec.fabric import Addressing, Fabric, Leaf, Spine
from components.spec.load import KEY, load, rates, stack_file
from components.spec.lossless import Ecn, Headroom, Lossless, PairLossless, WatchdogTimers
from components.spec.operators import Operators, Pin
from components.spec.pair import HostPort, Pair, PairLeaf, PairVlan, RoutedPort, Vpc
from components.spec.platform import OpenShift, Pool, Publish, Team
from components.spec.problems import Problem, SpecErrors
from components.spec.rates import Rate, Rates
from components.spec.survive import Survive
from components.spec.switch import Switch
from components.spec.tenancy import EvpnTenancy, Tenant, VrfTenancy
from components.spec.underlay import NumberedBgp, Ospf, UnnumberedBgp
from components.spec.workloads import Acceptance, Inference, Storage, StorageClass, Training, Volume, Workloads

__all__ = [
    "KEY",
    "Acceptance",
    "Addressing",
    "Bmc",
    "Cables",
    "Cluster",
    "Domain",
    "Ecn",
    "Ends",
    "EvpnTenancy",
    "Fabric",
    "Headroom",
    "HostPort",
    "Inference",
    "Intersight",
    "Leaf",
    "Lossless",
    "NumberedBgp",
    "OpenShift",
    "Operators",
    "Ospf",
    "Pair",
    "PairLeaf",
    "PairLossless",
    "PairVlan",
    "Pin",
    "Pool",
    "Problem",
    "Publish",
    "Rack",
    "Rate",
    "Rates",
    "RoutedPort",
    "Server",
    "Site",
    "SpecErrors",
    "Spine",
    "Storage",
    "StorageClass",
    "Survive",
    "Switch",
    "Team",
    "Tenant",
    "Training",
    "UnnumberedBgp",
    "Volume",
    "Vpc",
    "VrfTenancy",
    "WatchdogTimers",
    "Workloads",
    "load",
    "rates",
    "stack_file",
]

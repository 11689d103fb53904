"""DEFINED: what the operator writes in a stack file."""

from podwright.components.model.admission import Admission
from podwright.components.model.admission_rules import AdmissionRules
from podwright.components.model.alerts import Alerts
from podwright.components.model.based import KEY
from podwright.components.model.block_storage import BlockStorage
from podwright.components.model.cables import Cables, Ends
from podwright.components.model.catalogue.profile_policies import ADDED_FIELDS, OWN_FIELDS, on_profile
from podwright.components.model.checked import is_measured, level, takes_whole
from podwright.components.model.checkpoints import ENDING_SECONDS, Checkpoints
from podwright.components.model.cluster import BESIDE, Cluster
from podwright.components.model.cluster_networks import ClusterNetworks
from podwright.components.model.compute import Bmc, Domain, Intersight, Server
from podwright.components.model.containers import Containers
from podwright.components.model.data_science import DataScience
from podwright.components.model.divided import Divided, divided, layout_config, layout_name, plain_groups
from podwright.components.model.effective import NO_ROLES, Effective, Roles, effective, organization_of
from podwright.components.model.engines import LOAD_SECONDS, TRITON_PORTS, Engine, Nim, Triton
from podwright.components.model.etcd_backup import EtcdBackup, NfsTarget
from podwright.components.model.fabric import Addressing, Fabric, Leaf, Spine
from podwright.components.model.gateway import Client, ClientKeys, GatewayRoute, InferenceGateway, Limit
from podwright.components.model.handover import (
    Attachments,
    FabricPaths,
    PathPort,
    PathUplink,
    RailNetwork,
    RailNetworks,
    RailNics,
    RailPool,
)
from podwright.components.model.hosts import Host
from podwright.components.model.images import Fulcio, Images, Signature
from podwright.components.model.infrastructure import Infrastructure
from podwright.components.model.load import load, located, rates, stack_file
from podwright.components.model.lossless import Ecn, Headroom, Lossless, PairLossless, WatchdogTimers
from podwright.components.model.lost_nodes import LostNodes
from podwright.components.model.mig_gpus import MigGpus
from podwright.components.model.mirror import Mirror
from podwright.components.model.mounts import Mount
from podwright.components.model.network import FabricArgs
from podwright.components.model.numa import Numa
from podwright.components.model.operators import Operators, Pin
from podwright.components.model.pair import HostPort, Pair, PairLeaf, PairVlan, RoutedPort, Vpc
from podwright.components.model.platform import OpenShift, Pool, Publish, Sharing
from podwright.components.model.pooled import as_pooled
from podwright.components.model.problems import Problem, SpecErrors
from podwright.components.model.queued import giving_way, granted, nominal, queued, racked, spread_over_racks, waits
from podwright.components.model.queues import Queues
from podwright.components.model.rates import Rate, Rates
from podwright.components.model.rendezvous import MEETING, RendezvousStore
from podwright.components.model.routes import InferenceRoute, RouteLimits
from podwright.components.model.scaling import LONGEST_STAY, SHORTEST_STAY, Scale
from podwright.components.model.service_mesh import ServiceMesh
from podwright.components.model.settings import DERIVED, SHAPING, Compute, Extra, ExtraPolicy, Role, Settings, Smt, Vnic
from podwright.components.model.site import Rack, Site, Supplies
from podwright.components.model.storage import Storage, StorageClass, Volume
from podwright.components.model.survive import Survive
from podwright.components.model.switch import Switch
from podwright.components.model.teams import DefaultRequests, Team, TeamGroups, TeamIsolation
from podwright.components.model.tenancy import EvpnTenancy, Tenant, VrfTenancy
from podwright.components.model.tenants import NO_TENANT, Tenants, joined, on_rails, selected, within
from podwright.components.model.underlay import NumberedBgp, Ospf, UnnumberedBgp
from podwright.components.model.waivers import Waiver
from podwright.components.model.workloads import (
    Acceptance,
    Asked,
    Inference,
    Training,
    Workloads,
    deployed,
    second,
    versions,
)
from podwright.components.model.written import named_secrets, secret_reference, takes_several

__all__ = [
    "ADDED_FIELDS",
    "BESIDE",
    "DERIVED",
    "ENDING_SECONDS",
    "KEY",
    "LOAD_SECONDS",
    "LONGEST_STAY",
    "MEETING",
    "NO_ROLES",
    "NO_TENANT",
    "OWN_FIELDS",
    "SHAPING",
    "SHORTEST_STAY",
    "TRITON_PORTS",
    "Acceptance",
    "Addressing",
    "Admission",
    "AdmissionRules",
    "Alerts",
    "Asked",
    "Attachments",
    "BlockStorage",
    "Bmc",
    "Cables",
    "Checkpoints",
    "Client",
    "ClientKeys",
    "Cluster",
    "ClusterNetworks",
    "Compute",
    "Containers",
    "DataScience",
    "DefaultRequests",
    "Divided",
    "Domain",
    "Ecn",
    "Effective",
    "Ends",
    "Engine",
    "EtcdBackup",
    "EvpnTenancy",
    "Extra",
    "ExtraPolicy",
    "Fabric",
    "FabricArgs",
    "FabricPaths",
    "Fulcio",
    "GatewayRoute",
    "Headroom",
    "Host",
    "HostPort",
    "Images",
    "Inference",
    "InferenceGateway",
    "InferenceRoute",
    "Infrastructure",
    "Intersight",
    "Leaf",
    "Limit",
    "Lossless",
    "LostNodes",
    "MigGpus",
    "Mirror",
    "Mount",
    "NfsTarget",
    "Nim",
    "Numa",
    "NumberedBgp",
    "OpenShift",
    "Operators",
    "Ospf",
    "Pair",
    "PairLeaf",
    "PairLossless",
    "PairVlan",
    "PathPort",
    "PathUplink",
    "Pin",
    "Pool",
    "Problem",
    "Publish",
    "Queues",
    "Rack",
    "RailNetwork",
    "RailNetworks",
    "RailNics",
    "RailPool",
    "Rate",
    "Rates",
    "RendezvousStore",
    "Role",
    "Roles",
    "RouteLimits",
    "RoutedPort",
    "Scale",
    "Server",
    "ServiceMesh",
    "Settings",
    "Sharing",
    "Signature",
    "Site",
    "Smt",
    "SpecErrors",
    "Spine",
    "Storage",
    "StorageClass",
    "Supplies",
    "Survive",
    "Switch",
    "Team",
    "TeamGroups",
    "TeamIsolation",
    "Tenant",
    "Tenants",
    "Training",
    "Triton",
    "UnnumberedBgp",
    "Vnic",
    "Volume",
    "Vpc",
    "VrfTenancy",
    "Waiver",
    "WatchdogTimers",
    "Workloads",
    "as_pooled",
    "deployed",
    "divided",
    "effective",
    "giving_way",
    "granted",
    "is_measured",
    "joined",
    "layout_config",
    "layout_name",
    "level",
    "load",
    "located",
    "named_secrets",
    "nominal",
    "on_profile",
    "on_rails",
    "organization_of",
    "plain_groups",
    "queued",
    "racked",
    "rates",
    "second",
    "secret_reference",
    "selected",
    "spread_over_racks",
    "stack_file",
    "takes_several",
    "takes_whole",
    "versions",
    "waits",
    "within",
]

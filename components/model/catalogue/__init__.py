"""What the product names of a stack file mean: switches, servers, GPUs, release sets, baselines. Data, frozen, no
input or output.

It stands beside the models because coherence needs it as much as design does, and spec imports nothing above it;
`components.design.hardware` is the door for everyone else.
"""

from podwright.components.model.catalogue.baselines import BASELINES, BaselineSet
from podwright.components.model.catalogue.gpus import GPUS, Gpu, MigProfile
from podwright.components.model.catalogue.interconnects import CHASSIS, INTERCONNECTS, Chassis, Interconnect
from podwright.components.model.catalogue.optics import CABLES, OPTICS, FixedCable, Optic
from podwright.components.model.catalogue.packages import Package
from podwright.components.model.catalogue.ports import CAGES, Breakout, Cage, Gang, PortGroup, cage_number
from podwright.components.model.catalogue.releases import RELEASE_SETS, ReleaseSet, Waiver
from podwright.components.model.catalogue.server_policies import SERVER_POLICIES
from podwright.components.model.catalogue.servers import SERVERS, Adapter, GpuFit, Nic, Server
from podwright.components.model.catalogue.supplies import PowerSupplies, Redundancy
from podwright.components.model.catalogue.switches import REFUSED_SWITCHES, SWITCHES, Switch
from podwright.components.model.catalogue.watchdog import WATCHDOG, Setting

__all__ = [
    "BASELINES",
    "CABLES",
    "CAGES",
    "CHASSIS",
    "GPUS",
    "INTERCONNECTS",
    "OPTICS",
    "REFUSED_SWITCHES",
    "RELEASE_SETS",
    "SERVERS",
    "SERVER_POLICIES",
    "SWITCHES",
    "WATCHDOG",
    "Adapter",
    "BaselineSet",
    "Breakout",
    "Cage",
    "Chassis",
    "FixedCable",
    "Gang",
    "Gpu",
    "GpuFit",
    "Interconnect",
    "MigProfile",
    "Nic",
    "Optic",
    "Package",
    "PortGroup",
    "PowerSupplies",
    "Redundancy",
    "ReleaseSet",
    "Server",
    "Setting",
    "Switch",
    "Waiver",
    "cage_number",
]

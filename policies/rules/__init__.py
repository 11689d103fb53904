"""Every rule of the pack, in the order of the layers."""

from .apart import APART
from .autoscaling import AUTOSCALING
from .capacity import CAPACITY
from .claims import CLAIMS
from .data_science import DATA_SCIENCE
from .engines import ENGINES
from .fabric import FABRIC
from .gateway import GATEWAY
from .gpu_driver import GPU_DRIVER
from .gpu_runtimes import GPU_RUNTIMES
from .gpus import GPUS
from .host_networks import HOST_NETWORKS
from .images import IMAGES
from .initiators import INITIATORS
from .keys import KEYS
from .kubelet import KUBELET
from .launch import LAUNCH
from .lost_nodes import LOST_NODES
from .memory import MEMORY
from .mesh import MESH
from .nics import NICS
from .objects import OBJECTS
from .operators import OPERATORS
from .platform import PLATFORM
from .priorities import PRIORITIES
from .rdma import RDMA
from .servers import SERVERS
from .serving import SERVING
from .tenants import TENANTS
from .tolerations import TOLERATIONS
from .training_pools import TRAINING_POOLS
from .waiting import WAITING
from .waivers import WAIVERS as WAIVERS
from .workloads import WORKLOADS

RULES = (
    *FABRIC,
    *CAPACITY,
    *SERVERS,
    *PLATFORM,
    *APART,
    *KUBELET,
    *HOST_NETWORKS,
    *INITIATORS,
    *DATA_SCIENCE,
    *LOST_NODES,
    *OPERATORS,
    *NICS,
    *RDMA,
    *GPUS,
    *GPU_RUNTIMES,
    *GPU_DRIVER,
    *TOLERATIONS,
    *OBJECTS,
    *TRAINING_POOLS,
    *PRIORITIES,
    *TENANTS,
    *WORKLOADS,
    *IMAGES,
    *LAUNCH,
    *CLAIMS,
    *MEMORY,
    *SERVING,
    *AUTOSCALING,
    *GATEWAY,
    *KEYS,
    *MESH,
    *ENGINES,
    *WAITING,
)

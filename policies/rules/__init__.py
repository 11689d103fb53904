"""Every rule of the pack, in the order of the layers."""

from .capacity import CAPACITY
from .fabric import FABRIC
from .nics import NICS
from .operators import OPERATORS
from .platform import PLATFORM
from .servers import SERVERS
from .workloads import WORKLOADS

RULES = (*FABRIC, *CAPACITY, *SERVERS, *PLATFORM, *OPERATORS, *NICS, *WORKLOADS)

"""Rules about servers and Fabric Interconnects before they have an operating system, by subject."""

from .access import ACCESS
from .bios import BIOS
from .boot import BOOT
from .chassis import CHASSIS_RULES
from .disks import DISKS
from .domain_policies import DOMAIN_POLICIES
from .interconnects import INTERCONNECTS
from .logins import LOGINS
from .management import MANAGEMENT
from .mistyped import careful
from .models import MODELS
from .paths import PATHS
from .pools import POOLS
from .profiles import PROFILES
from .reserved import RESERVED
from .templates import TEMPLATES
from .uplinks import UPLINKS
from .vnics import VNICS

_RULES = (
    *BIOS,
    *BOOT,
    *DISKS,
    *MANAGEMENT,
    *PROFILES,
    *TEMPLATES,
    *ACCESS,
    *LOGINS,
    *MODELS,
    *VNICS,
    *INTERCONNECTS,
    *UPLINKS,
    *DOMAIN_POLICIES,
    *PATHS,
    *POOLS,
    *RESERVED,
    *CHASSIS_RULES,
)
SERVERS = tuple(careful(rule) for rule in _RULES)

__all__ = ["SERVERS"]

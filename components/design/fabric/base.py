"""Section `base`: features, names and time.

Hostname, mgmt0 and users are not here: the switch's first boot gives them, and the session that configures the rest
stands on them. Owning them would mean that `destroy` cuts the branch it sits on.
"""

from podwright.components.design.fabric import overlay, underlay
from podwright.components.design.fabric.model import Config
from podwright.components.model import Fabric, Pair, Site

_PAIR = ("interface-vlan", "hsrp", "lacp", "vpc", "lldp")


def leaf_features(fabric: Fabric) -> Config:
    """Features of a backend leaf; SVIs only where servers hang on VLANs, or a tenant is carried by one."""
    svi = ("interface-vlan",) if fabric.host_ports == "access" or overlay.runs(fabric) else ()
    return {f"feature {name}": "" for name in (*underlay.features(fabric), *svi, "lldp", "bfd")}


def spine_features(fabric: Fabric) -> Config:
    """Features of a spine: no VLANs, hence no SVIs."""
    return {f"feature {name}": "" for name in (*underlay.features(fabric), "lldp", "bfd")}


def pair_features(pair: Pair) -> Config:
    """Features of a leaf of a vPC pair; BGP runs between the peers alone."""
    routing = ("bgp",) if pair.vpc.backup is not None else ()
    return {f"feature {name}": "" for name in (*routing, *_PAIR)}


def services(site: Site) -> Config:
    """Name, time and log servers, all reached through mgmt0's VRF."""
    config: Config = {f"ip domain-name {site.domain}": ""}
    config[f"ip name-server {' '.join(site.dns)} use-vrf management"] = ""
    for server in site.ntp:
        config[f"ntp server {server} use-vrf management"] = ""
    if site.syslog is not None:
        # Severity 5 (notifications) and facility local7 are NX-OS's own; the running-config spells the facility out.
        config[f"logging server {site.syslog} 5 use-vrf management facility local7"] = ""
    return config

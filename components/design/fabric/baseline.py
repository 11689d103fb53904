"""Section `baseline`: log-in, control plane, forwarding tables, load balancing; and the text of day 0."""

from podwright.components.design.fabric import hardening
from podwright.components.design.fabric.model import Config, SwitchPlan
from podwright.components.model import Fabric, FabricArgs


def features(fabric: Fabric) -> Config:
    """Features of every switch."""
    return ({"feature tacacs+": ""} if fabric.baseline.aaa else {}) | hardening.features(fabric)


def settings(fabric: Fabric) -> Config:
    """Settings of every switch. Servers before the group, the group before the methods that name it."""
    baseline = fabric.baseline
    config: Config = {
        f"hardware access-list tcam region {region} {size}": "" for region, size in sorted(baseline.tcam.items())
    }
    if (profile := hardening.copp(fabric)) is not None:
        config[f"copp profile {profile}"] = ""
    config |= hardening.settings(fabric)
    if baseline.aaa is not None:
        group = baseline.aaa.group
        config |= {f"tacacs-server host {server}": "" for server in baseline.aaa.servers}
        servers = [f"server {server}" for server in baseline.aaa.servers]
        config[f"aaa group server tacacs+ {group}"] = "\n".join(
            [*servers, "use-vrf management", "source-interface mgmt0"]
        )
        config[f"aaa authentication login default group {group}"] = ""
        config[f"aaa accounting default group {group}"] = ""
    return config


def balancing(fabric: Fabric, ports: list[str]) -> Config:
    """Dynamic load balancing over a switch's fabric ports; the default mode and MAC address are not printed."""
    if fabric.dlb is None or not ports:
        return {}
    lines = [f"dlb-interface {','.join(port.replace('Ethernet', 'Eth') for port in ports)}"]
    if fabric.dlb.mode == "per-packet":
        lines.append("mode per-packet")
    if fabric.dlb.flowlet_aging_us is not None:
        lines.append(f"flowlet-aging {fabric.dlb.flowlet_aging_us}")
    return {"hardware profile dlb": "\n".join(lines)}


def day0(args: FabricArgs, switch: SwitchPlan) -> str:
    """Configuration of a switch's first boot, by POAP or by hand: enough to log in to, and no secret.

    The password of the user is typed on the console (or set by the site's own POAP script): it is in no file.
    """
    defined = args.fabric.day0
    if defined is None:
        raise ValueError("fabric.day0 says nothing")
    return "\n".join(
        (
            f"! {switch.hostname} ({switch.model}{', ' + switch.serial if switch.serial else ''}), first boot",
            f"! then on the console: username {args.fabric.user} password <as in secret"
            f" {args.fabric.credential}> role network-admin",
            f"hostname {switch.hostname}",
            f"boot nxos bootflash:/{defined.image}",
            "vrf context management",
            f"  ip route 0.0.0.0/0 {defined.gateway}",
            "interface mgmt0",
            "  vrf member management",
            f"  ip address {switch.management}/{defined.network.prefixlen}",
            "  no shutdown",
            "",
        )
    )

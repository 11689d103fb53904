"""A switch as day-0 provisioning leaves it: name, management access, and nothing of a fabric."""

from __future__ import annotations

from podwright.lab.nxos import maintenance, rollback, scheduler
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.effects import EFFECTS
from podwright.lab.nxos.exec import HANDLERS
from podwright.lab.nxos.handlers import Commands
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.table import table
from podwright.lab.nxos.tree import Node
from podwright.lab.world.model import Switch, World

DAY0 = """configure terminal
hostname {name}
vdc {name} id 1
  limit-resource vlan minimum 16 maximum 4094
  limit-resource vrf minimum 2 maximum 4096
no password strength-check
username {user} password {password} role network-admin
ip domain-lookup
copp profile strict
snmp-server user {user} network-admin auth md5 0x5d2f localizedkey
rmon event 1 log trap public description FATAL(1) owner PMON@FATAL
vrf context management
  ip route 0.0.0.0/0 {gateway}
interface mgmt0
  vrf member management
  ip address {management}/24
line console
line vty
boot nxos {image}
end
copy running-config startup-config
"""

COMMANDS = Commands(HANDLERS, EFFECTS, maintenance.QUESTIONS)


def build(world: World, switch: Switch, user: str, password: str, gateway: str) -> Device:
    """A reachable switch with its ports. `user` gets the network-admin role."""
    device = Device(switch, world, COMMANDS, on_tick=[scheduler.run_due, rollback.expire, maintenance.expire])
    row = next(r for r in table().rows["config"] if r.effect == "interface")
    for port in (*device.hardware.names(), "mgmt0"):
        device.root.children[f"interface {port}"] = Node(f"interface {port}", row)
    text = DAY0.format(
        name=switch.name, user=user, password=password, gateway=gateway, management=switch.management,
        image=f"bootflash:/nxos64-cs.{switch.release.replace('(', '.').rstrip(')')}.M.bin",
    )  # fmt: skip
    session = Session(device, quiet=True)
    for line in text.splitlines():
        answer = session.run(line)
        if answer and "Copy complete" not in answer:
            raise ValueError(f"{switch.name}: the day-0 line {line.split()[0]!r} was refused: {answer}")
    device.factory = device.root.copy()
    device.booted_with = device.root.copy()
    device.writes = 0
    return device

"""Pause, queues, watchdog, policies."""

from __future__ import annotations

from podwright.lab.nxos.checks import QUEUING_CLASSES
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.links import state
from podwright.lab.nxos.render import children
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.shows.interfaces import selected
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node
from podwright.lab.nxos.view import LiveView
from podwright.lab.world import notifications

BOX = "+-------------------------------------------------------------+\n"
WIDE = "-" * 78 + "\n"


def _bitmap(device: Device, name: str) -> int:
    """Priorities that pause on a port in operation: 1 << priority, 8 for priority 3."""
    view = LiveView(device).port(name)
    return sum(1 << p for p in view.pfc_priorities) if state(device, name).up else 0


def show_pfc(session: Session, found: Found) -> Output:
    """Mode, operational state with its bitmap, pause frames received and sent."""
    device = session.device
    rule = "=" * 60 + "\n"
    text = f"\n{rule}Port               Mode Oper(VL bmap)  RxPPP      TxPPP\n{rule}\n"
    data = []
    for name in selected(session, found, "Ethernet"):
        view = LiveView(device).port(name)
        oper = "On" if view.pfc_on and state(device, name).up else "Off"
        row = device.world.counters[device.switch.name, name]
        bits = f"({_bitmap(device, name):x})" if oper == "On" else ""
        mode = view.pfc_mode.capitalize()
        text += f"{name:<18} {mode:<4} {oper:<4} {bits:<9} {row['rx_pause']:<10} {row['tx_pause']:<10}\n"
        data.append(
            {
                "if_name_str": name,
                "admin_mode": mode,
                "oper_mode": oper,
                "vl_bmap": f"{_bitmap(device, name):x}",
                "rx_ppp": str(row["rx_pause"]),
                "tx_ppp": str(row["tx_pause"]),
            }
        )
    return Output(text, rows("pfc_interface", data))


def _queuing_policy(device: Device, port: str) -> tuple[Node | None, str]:
    """The egress policy of a port and where it is attached: to the port, else to the system."""
    for place, word in ((device.interface(port), "Interface"), (device.root.get("system qos"), "System")):
        name = place.value("service-policy type queuing output", "policy") if place else ""
        if name:
            return device.root.get(f"policy-map type queuing {name}"), word
    return None, "System"


def show_queuing(session: Session, found: Found) -> Output:
    """Per port: the queues' shares, what they sent, dropped and marked, and pause by priority."""
    device = session.device
    text, data = "\nslot  1\n=======\n\n", []
    for name in selected(session, found, "Ethernet"):
        counters = device.world.counters[device.switch.name, name]
        policy, where = _queuing_policy(device, name)
        text += f"\nEgress Queuing for {name} [{where}]\n{WIDE}"
        text += "QoS-Group# Bandwidth% PrioLevel                Shape                   QLimit\n"
        text += f"                                   Min          Max        Units\n{WIDE}"
        groups = _queues(policy)
        for group, (share, level) in groups.items():
            text += f"{group:>7} {share:>13} {level:>9} {'-':>12} {'-':>12} {'-':>6} {'9(D)':>14}\n"
        lossless = sorted(LiveView(device).port(name).no_drop) or [0]
        for group in groups:
            bulk = counters if group == lossless[-1] else dict.fromkeys(counters, 0)
            text += _queue_box(group, bulk, counters[notifications.QUEUES[group]])
        text += "\nPort Egress Statistics\n--------------------------------------------------------\n"
        text += f"WRED Drop Pkts                           {counters['drops']}\n\n"
        text += _pause(device, name, counters)
        data.append(
            {
                "if_name_str": name,
                "tx-ppp": str(counters["tx_pause"]),
                "rx-ppp": str(counters["rx_pause"]),
                "tx_uc_drop_pkt": str(counters["drops"]),
                "tx_uc_ecn_pkt": str(counters["ecn_marked"]),
            }
        )
    return Output(text, rows("queuing_interface", data))


def _queues(policy: Node | None) -> dict[int, tuple[str, str]]:
    """qos-group, 7 first, to (bandwidth share, priority level); the default policy gives the default queue all."""
    found = {}
    for name in reversed(QUEUING_CLASSES[:-1]):
        group = int(name[-1])
        block = policy.get(f"class type queuing {name}") if policy else None
        found[group] = _share(block)
    default = policy.get("class type queuing c-out-8q-q-default") if policy else None
    found[0] = _share(default) if policy else ("100", "-")
    return found


def _share(block: Node | None) -> tuple[str, str]:
    if block is None:
        return "0", "-"
    level = block.value("priority", "level", "-")
    share = block.value("bandwidth", "remaining") or block.value("bandwidth", "percent")
    return ("-" if level != "-" else share or "0"), level


def _queue_box(group: int, counters: dict[str, int], notified: int) -> str:
    lines = (
        ("Tx Pkts", counters["tx_bytes"] // 4178 + notified),
        ("Tx Byts", counters["tx_bytes"] + notified * notifications.BYTES),
        ("WRED/AFD & Tail Drop Pkts", counters["drops"]),
        ("WRED/AFD & Tail Drop Byts", counters["drops"] * 4178),
        ("Q Depth Byts", 0),
        ("WD & Tail Drop Pkts", counters["watchdog"]),
        ("ECN Marked Pkts", counters["ecn_marked"]),
    )
    body = "".join(f"|{label:>26} |{value:>16}|{0:>16}|\n" for label, value in lines)
    title = f"QOS GROUP {group}"
    return f"{BOX}|{title:^61}|\n{BOX}|                           |  Unicast       |Multicast       |\n{BOX}{body}{BOX}"


def _pause(device: Device, name: str, counters: dict[str, int]) -> str:
    text = f"PFC Statistics\n{WIDE}TxPPP: {counters['tx_pause']:>20},   RxPPP: {counters['rx_pause']:>20}\n{WIDE}"
    text += " COS QOS Group        PG   TxPause   TxCount         RxPause         RxCount\n"
    no_drop = {p: g for g, p in LiveView(device).port(name).no_drop.items()}
    for cos in range(8):
        group = no_drop.get(cos)
        sent, got = (counters["tx_pause"], counters["rx_pause"]) if group is not None else (0, 0)
        label = "-" if group is None else str(group)
        text += f"{cos:>4} {label:>9} {'-':>9}  Inactive {sent:>9}        Inactive {got:>15}\n"
    return text + WIDE


def show_pfc_queue(session: Session, found: Found) -> Output:
    """The watchdog: global state, tunables, and per port."""
    device = session.device
    setting = "priority-flow-control watch-dog-interval"
    node = device.root.get(setting)
    on = node is not None and node.line.endswith(" on")
    poll = device.root.value("priority-flow-control watch-dog interval", "ms", "100")
    shut = device.root.value("priority-flow-control watch-dog shutdown-multiplier", "n", "1")
    auto = device.root.value("priority-flow-control auto-restore multiplier", "n", "10")
    fixed = device.root.value("priority-flow-control fixed-restore multiplier", "n", "0")
    text = f"""
slot  1
=======

+----------------------------------------------------+
Global watch-dog interval [{"Enabled" if on else "Disabled"}]
+----------------------------------------------------+
Global PFC watchdog configuration details
PFC watchdog poll interval                : {poll} ms
PFC watchdog polling shutdown multiplier  : {shut}
PFC watchdog auto-restore multiplier      : {auto}
PFC watchdog fixed-restore multiplier     : {fixed}
+----------------------------------------------------+

+-------------------------------------------------------------+
|  Port              PFC Watchdog (VL bmap)     State   (Shutdown)
+-------------------------------------------------------------+
"""
    data = []
    for name in selected(session, found, "Ethernet"):
        armed = LiveView(device).port(name).watchdog_on
        bits, word = _bitmap(device, name) if armed else 0, "Enabled" if armed else "Disabled"
        fired = device.world.counters[device.switch.name, name]["watchdog"]
        text += f"{name:<20} {word:<12} (0x{bits:x})          {'Y' if fired else '-'}\n"
        data.append({"if_name_str": name, "wd-status": word, "wd-vl-bmap": f"0x{bits:x}", "wd-fired": str(fired)})
    head = {
        "glb-wd-status": "Enabled" if on else "Disabled",
        "glb-wd-timer": poll,
        "glb-wd-timer-thresh": shut,
        "glb-auto-restore": auto,
        "glb-fixed-restore": fixed,
    }
    return Output(text, {**head, **rows("queuing_interface", data)})


def _policies(device: Device, kind: str, name: str | None) -> str:
    blocks = [
        n for n in device.root.begin(f"policy-map type {kind}") if name is None or n.line.rpartition(" ")[2] == name
    ]
    title = f"Type {kind} policy-maps"
    text = f"\n\n  {title}\n  {'=' * len(title)}\n"
    for block in blocks:
        text += f"\n  {block.line}\n" + "".join(f"{line}\n" for line in children(device, block, 2))
    return text


def show_policy_map(session: Session, found: Found) -> Output:
    """Policies, all or of one type."""
    words = found.match.words
    kinds = [words[3]] if len(words) > 3 else ["qos", "queuing", "network-qos"]
    return Output("".join(_policies(session.device, kind, found.match.values.get("name")) for kind in kinds))


def show_policy_system(session: Session, found: Found) -> Output:
    """Policies attached to the system; the default ones by name when nothing is attached."""
    device = session.device
    system = device.root.get("system qos") or Node("")
    words = found.match.words
    kinds = {
        "network-qos": ("service-policy type network-qos", "default-nq-8q-policy"),
        "queuing": ("service-policy type queuing output", "default-8q-out-policy"),
        "qos": ("service-policy type qos input", ""),
    }
    text = ""
    for kind, (setting, default) in kinds.items():
        if len(words) < 5 or words[4] == kind:
            name = system.value(setting, "policy", default)
            title = f"Type {kind} policy-maps"
            policy = _policies(device, kind, name) if name != default else f"\n\n  {title}\n  {'=' * len(title)}\n"
            text += policy if name != default or not default else f"{policy}\n  policy-map type {kind} {default}\n"
    return Output(text)


def show_policy_interface(session: Session, found: Found) -> Output:
    """Policies attached to interfaces."""
    text = "\n\nGlobal statistics status :   enabled\n"
    for name in selected(session, found):
        text += f"\n{name}\n\n"
        for node in (session.device.interface(name) or Node("")).begin("service-policy"):
            direction = "input" if " input " in node.line else "output"
            kind = node.line.split()[2]
            text += f"  Service-policy ({kind}) {direction}:   {node.values['policy']}\n"
            text += f"    SNMP Policy Index:  {300 + len(text) % 100}\n"
    return Output(text)


def show_class_map(session: Session, found: Found) -> Output:
    """Class-maps of type qos."""
    device, wanted = session.device, found.match.values.get("name")
    text = "\n\n  Type qos class-maps\n  ====================\n"
    for block in device.root.begin("class-map type qos"):
        if wanted is None or block.values["name"] == wanted:
            text += f"\n    {block.line}\n" + "".join(f"{line}\n" for line in children(device, block, 3))
    return Output(text)


SHOWS = {
    f.__name__: f
    for f in (
        show_pfc,
        show_queuing,
        show_pfc_queue,
        show_policy_map,
        show_policy_system,
        show_policy_interface,
        show_class_map,
    )
}

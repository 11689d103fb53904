"""The supervisor: its processes, who typed what, what an image would not take, licences and the one VDC.

Figures of processes are those of an idle box and never move (FIDELITY.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from podwright.lab.nxos.device import Device, release
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.links import mac
from podwright.lab.nxos.refusal import RefusedError
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node

_PROCESSES = (
    # PID, name, runtime in ms, calls, share of the last second in percent, kilobytes, feature that it belongs to
    (1, "init", 6170, 1011, 0.0, 1892, None),
    (3120, "sysmgr", 3490, 12448, 0.92, 81264, None),
    (3388, "platform", 2920, 4747, 0.30, 120320, None),
    (3403, "vshd", 560, 863, 0.0, 64212, None),
    (3410, "pfma", 580, 19429, 0.21, 54020, None),
    (3522, "ethpm", 4120, 22401, 0.34, 143872, None),
    (3540, "stp", 1290, 9914, 0.10, 98304, None),
    (3551, "netstack", 2210, 15121, 0.25, 188416, None),
    (3602, "urib", 940, 5012, 0.0, 102400, None),
    (3631, "cdp", 310, 2044, 0.0, 41216, None),
    (3777, "lldp", 330, 2110, 0.0, 42240, "lldp"),
    (3790, "bgp", 2870, 14402, 0.42, 220160, "bgp"),
    (3795, "ospf", 1610, 8021, 0.12, 121856, "ospf"),
    (3801, "bfdc", 620, 40211, 0.15, 40960, "bfd"),
    (3840, "vpc", 870, 6120, 0.05, 76800, "vpc"),
    (3861, "lacp", 440, 7733, 0.04, 40448, "lacp"),
    (3902, "hsrp_engine", 230, 1987, 0.0, 38912, "hsrp"),
)
USED, INTERRUPTS = 4, 1
"""Percent of the processors in use: what `show system resources` has as user and kernel, rounded up."""


def _running(device: Device) -> list[tuple[int, str, int, int, float, int]]:
    return [row[:6] for row in _PROCESSES if device.has_feature(row[6])]


def show_processes_cpu(session: Session, found: Found) -> Output:
    """Load, and what each process takes; with `sort` the busiest first."""
    listed, data = _running(session.device), []
    if found.match.words[-1] == "sort":
        listed.sort(key=lambda row: -row[4])
    text = f"CPU utilization for five seconds: {USED}%/{INTERRUPTS}%; one minute: {USED}%; five minutes: {USED}%\n"
    text += "PID    Runtime(ms)  Invoked   uSecs  5Sec    1Min    5Min    TTY  Process\n"
    text += "-----  -----------  --------  -----  ------  ------  ------  ---  -----------\n"
    for number, name, runtime, calls, share, _ in listed:
        each = runtime * 1000 // calls
        text += (
            f"{number:>5}  {runtime:>11}  {calls:>8}  {each:>5}  {share:>5.2f}%  {share:>5.2f}%  {share:>4.2f}%   -    "
        )
        text += f"{name}\n"
        data.append({"pid": str(number), "runtime": str(runtime), "invoked": str(calls), "usecs": str(each),
                     "onesec": f"{share:.2f}", "process": name})  # fmt: skip
    return Output(text, rows("process_cpu", data))


def show_processes(session: Session, _: Found) -> Output:
    """The processes with their state."""
    text = "\nPID    State  PC        Start_cnt    TTY   Type  Process\n"
    text += "-----  -----  --------  -----------  ----  ----  -------------\n"
    lines = (f"{n:>5}      S  {0xB7000000 + n:08x}  {1:>11}     -     O  {name}\n" for n, name, *_ in
             _running(session.device))  # fmt: skip
    return Output(text + "".join(lines))


def show_processes_memory(session: Session, _: Found) -> Output:
    """The processes with the memory that they hold."""
    text = "PID    MemAlloc  MemLimit    MemUsed     StackBase/Ptr      Process\n"
    text += "-----  --------  ----------  ----------  -----------------  ----------------\n"
    lines = (f"{row[0]:>5}  {row[5] * 512:>8}  {0:>10}  {row[5] * 1024:>10}  bffff1b0/bfffee60  {row[1]}\n" for row in
             _running(session.device))  # fmt: skip
    return Output(text + "".join(lines))


def show_accounting(session: Session, found: Found) -> Output:
    """Who typed what, all or the last lines; secrets are not among it."""
    last = int(found.match.values.get("n", "0"))
    return Output("".join(f"{line}\n" for line in list(session.device.accounting)[-last:]))


def clear_accounting(session: Session, _: Found) -> Output:
    """Empty the accounting log."""
    session.device.accounting.clear()
    return Output("")


def show_incompatibility(session: Session, found: Found) -> Output:
    """Configuration lines that an image is too old for, as far as the command table knows their first release."""
    device, image = session.device, found.match.values["file"]
    known = re.search(r"nxos(?:64(?:-cs|-msll)?)?\.(\d+)\.(\d+)\.(\d+)", image)
    own = f"nxos64-cs.{device.switch.release.replace('(', '.').rstrip(')')}.M.bin"
    if known is None or (image not in device.files and not image.endswith(own)):
        raise RefusedError(f"ERROR: {image}: No such file or directory")
    there, text = tuple(int(part) for part in known.groups()), ""
    for number, node in enumerate(_newer(device, there), 1):
        text += (
            f"{number}) Service : cli , Capability : {node.line}\nDescription : the image does not have the command\n"
        )
        text += f'\nCapability requirement : STRICT\nEnable/Disable command : Please remove "{node.line}"\n'
    head = "The following configurations on active are incompatible with the system image\n" if text else ""
    rule = "Checking incompatible configuration(s):\n---------------------------------------\n"
    tail = (
        "\nChecking dynamic incompatibilities:\n-----------------------------------\nNo incompatible configurations\n"
    )
    return Output(f"{rule}{head}{text or f'No incompatible configurations{chr(10)}'}{tail}")


def _newer(device: Device, there: tuple[int, ...]) -> list[Node]:
    waiting, found = [device.root], []
    while waiting:
        for node in waiting.pop(0).sorted():
            waiting.append(node)
            if node.command is not None and release(node.command.since) > there:
                found.append(node)
    return found


def show_license_usage(session: Session, _: Found) -> Output:
    """What features the switch uses that a licence covers."""
    used = any(session.device.has_feature(each) for each in ("bgp", "ospf", "nv overlay", "pim"))
    return Output(f"""License Authorization:
  Status: Not Applicable

(LAN_ENTERPRISE_SERVICES_PKG):
  Description: LAN license for {session.device.hardware.chassis}
  Count: 1
  Version: 1.0
  Status: {"IN USE" if used else "NOT IN USE"}
  Enforcement Type: NOT ENFORCED
  License Type: Generic
""")


def show_vdc(session: Session, _: Found) -> Output:
    """The one VDC."""
    digits = mac(session.device).replace(".", "")
    address = ":".join(digits[at : at + 2] for at in range(0, 12, 2))
    text = "\nSwitchwide mode is m1 f1 m1xl f2 m2xl f2e f3 m3\n\n"
    text += "vdc_id  vdc_name                          state               mac                 type        lc\n"
    text += "------  --------                          -----               ----------          ---------   ------\n"
    return Output(f"{text}1       {session.device.hostname:<33} active              {address}   Ethernet    None\n\n")


def show_switching_mode(_: Session, __: Found) -> Output:
    """How frames pass the switch."""
    return Output("Configured switching mode: Cut through\n\nModule Number     Operational Mode\n"
                  "     1            Cut-Through\n")  # fmt: skip


def show_boot(session: Session, _: Found) -> Output:
    """What the next start loads."""
    image = session.device.root.value("boot nxos", "image", "not set")
    each = f"sup-1\nNXOS variable = {image}\nBoot POAP Disabled\n"
    return Output(f"Current Boot Variables:\n\n{each}\nBoot Variables on next reload:\n\n{each}")


def show_cores(_: Session, __: Found) -> Output:
    """Cores of processes that died: none does here."""
    return Output("VDC  Module  Instance  Process-name     PID       Date(Year-Month-Day Time)\n"
                  "---  ------  --------  ---------------  --------  -------------------------\n")  # fmt: skip


def show_reset_reason(_: Session, __: Found) -> Output:
    """Why the switch started last: nobody knows."""
    return Output("----- reset reason for module 1 (from Supervisor in slot 1) ---\n1) No time\n    Reason: Unknown\n"
                  "    Service:\n    Version:\n")  # fmt: skip


def show_sessions(_: Session, __: Found) -> Output:
    """Configuration sessions: not modelled, so there are none."""
    return Output("There are no active configuration sessions\n")


SHOWS: dict[str, Callable[[Session, Found], Output]] = {
    f.__name__: f
    for f in (
        show_processes_cpu, show_processes, show_processes_memory, show_accounting, clear_accounting,
        show_incompatibility, show_license_usage, show_vdc, show_switching_mode, show_boot, show_cores,
        show_reset_reason, show_sessions,
    )
}  # fmt: skip

"""The reference of `podwright lint`: its rules are the policy pack's, its words stand here."""

from podwright.policies.rules.fabric import NEXUS

_HEAD = """# podwright lint

Made by `python -m tools.docs` from `policies/rules` and `tools/lint_page.py`; do not edit.
How to use it: [lint the switches you have](../how-to/lint-existing-switches.md).

`podwright lint PATH… [--format text|json|sarif] [--without RULE]… [--import-out FILE [--stack FILE]]`

## What is read

NX-OS running configurations of Nexus 9000, 7.0(3)I and later; of older releases only the rules that need no lossless
class. Rules check what the switch would do:
"""
_READ = (
    ("in the file", "read as"),
    ("`interface Ethernet1/1-4, e1/7`", "each port; later lines before earlier ones, `no …` and `default interface`"
     " take back"),
    ("`channel-group`, `inherit port-profile`", "a port has its own word, else its profile's and what that inherits,"
     " else its port-channel's"),
    ("`service-policy`", "the port's before its VLAN's before the system's"),
    ("`class-map`, `policy-map`", "by name, `type qos` and match-all where nothing is written; the first class that"
     " matches takes the packet"),
    ("`int`, `sw mo tr`, `AF31`", "written out; names keep their case"),
    ("nothing", "the default: mtu 1500, PFC auto, watchdog off, one BGP path, keepalive in VRF management"),
    ("prompts, `--More--`, escapes, banners, PEM blocks, scheduler jobs, `!`", "no configuration"),
    ("no indentation at all", "typed text: a line belongs to the innermost open mode that knows it, `exit` closes one"),
    ("`show lldp neighbors`, with `detail`, as JSON", "cables; else descriptions that name one other switch of the"
     " folder and one port"),
)  # fmt: skip
_REST = """
A file without RoCE is checked by the rules that need none. RoCE is seen where two of these stand together: a no-drop
class that is not FCoE's, a queue that marks ECN, packets of DSCP 24 to 31 or of a class named for RDMA put into a
qos-group, ports with PFC on, the watchdog. A cutting (no `hostname`, `feature`, `version` or `vdc` line) is not blamed
for what stands nowhere in it.

## Exit codes

| code | meaning |
|---|---|
| 0 | no findings |
| 1 | findings |
| 2 | something given could not be checked, or the command was not understood; the sentence is on standard error |

## Formats

- `text` shows each place as `check` does; after three findings of one rule on one switch the others take one line each.
- `json` is one object: `version`; `switches` (name, file, lossless, owned, notes); `findings` (rule, severity, switch,
  file, line, column, message, also, related, why, instead, reference, owner); `skipped`.
- `sarif` is SARIF 2.1.0: critical and high are errors, medium warnings, low notes.

## Other controllers

Sections of Nexus Dashboard Fabric Controller (`configure profile`, `apply profile`, its route-maps and descriptions)
are named in the output, and findings in them say where to change it. With two or more such marks the whole switch
counts as the controller's and is left out of the import set. ACI, IOS, IOS-XR, EOS, Junos and SONiC configurations are
refused by name.

## Rules
"""


def page() -> str:
    """The page."""
    head, *rows = _READ
    lines = [_HEAD, f"| {head[0]} | {head[1]} |", "|---|---|", *(f"| {line} | {read} |" for line, read in rows), _REST]
    lines += ["| rule | what must hold | severity | checked |", "|---|---|---|---|"]
    for rule in NEXUS:
        how = "each switch" if rule.alone else "together"
        lines.append(f"| [`{rule.id}`](policies.md#{rule.id}) | {rule.title} | {rule.severity} | {how} |")
    return "\n".join([*lines, ""])

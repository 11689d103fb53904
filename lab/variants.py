"""Forms in which real devices differ where no public source decides, or where sources decide differently by model.

A lab takes one form of each: `python -m lab up --variant ports=layer2-up`, or `variants: {ports: layer2-up}` in the
world file. What is said of both wins from the command line. Lines of FIDELITY.md name the variant that they belong to.
"""

from __future__ import annotations

from collections.abc import Mapping

from podwright.lab.openshift.variants import OPENSHIFT
from podwright.lab.variant import Variant

VARIANTS: Mapping[str, Variant] = {
    "ports": Variant(
        "NX-OS: what a port is when nothing is configured on it",
        {
            "routed-shut": "routed and shut, switched ports shut too: running configurations of an AI pod on "
            "N9K-C9332D-GX2B and N9K-C9364D-GX2A, 10.4(5), show `switchport` and `no shutdown` and never their "
            "opposites",
            "layer2-up": "switched and up: `system default switchport`, `no system default switchport shutdown`",
            "layer2-shut": "switched and shut: `system default switchport`, `system default switchport shutdown`",
            "routed-up": "routed, and up as soon as they are switched: `no system default switchport`, "
            "`no system default switchport shutdown`",
        },
    ),
    "prompt": Variant(
        "NX-OS: what the prompt is written in",
        {"plain": "the characters alone", "coloured": "bold green, reset behind it, as `cli` themes and jump hosts do"},
    ),
    "answers": Variant(
        "NX-OS: how what is printed reaches a client",
        {
            "whole": "each answer at once",
            "pieces": "in pieces of any size, cut anywhere, with pauses: a busy supervisor over a slow line",
        },
    ),
    "breakout": Variant(
        "NX-OS: how a running configuration shows ports that are broken out",
        {
            "one-line-per-map": "all ports of a map in one line: a public capture",
            "one-line-per-port": "as typed by people who break ports out one at a time",
        },
    ),
    "banner": Variant(
        "NX-OS: how a running configuration shows a banner that was typed in one line",
        {
            "one-line": "in one line, between two delimiters",
            "delimiter-below": "text and closing delimiter on lines of their own",
        },
    ),
    "empty-blocks": Variant(
        "NX-OS: a block that was entered and in which nothing stands, `system qos` or `evpn`",
        {"hidden": "not in the running configuration", "shown": "its heading alone"},
    ),
    "order": Variant(
        "NX-OS: order of lines within a block of the running configuration",
        {"by-command": "one order of commands for every block", "as-entered": "as they were typed"},
    ),
    "uplinks": Variant(
        "Fabric Interconnects: what they send by LLDP on uplinks",
        {
            "named": "the system name that the pair was given at its console with -A or -B behind it, and the port as "
            "Eth1/1: practice of UCS sites, no public capture was found",
            "silent": "nothing",
        },
        side="intersight",
    ),
    "patch": Variant(
        "NX-OS: order of lines in the patch of a rollback",
        {
            "removals-first": "what goes first, from the bottom up, then what comes",
            "additions-first": "what comes first; a line that is refused while an old one stands fails the rollback",
        },
    ),
    "checkpoints": Variant(
        "NX-OS: an eleventh user checkpoint",
        {"refused": "refused: at most ten are kept", "oldest-goes": "taken; the oldest one goes without a word"},
    ),
    "bandwidth": Variant(
        "NX-OS: shares of a queuing policy that add up to more than 100",
        {"refused": "refused at the line that goes beyond", "taken": "taken, whatever they add up to for a moment"},
    ),
    "c845a": Variant(
        "Intersight: a C845A whose profile says no ServerFamily, or whose BIOS policy no Model",
        {
            "any": "both are for people to read; docstrings of the SDK name defaults, Unspecified and Not-Applicable",
            "checked": "the profile is refused that server, the policy's tokens for a C845A do nothing",
        },
        side="intersight",
    ),
    "orders": Variant(
        "Intersight: the state of a server's settings right after an order for power or a boot device",
        {
            "at-once": "Applying: the workflow begins with the write",
            "later": "still that of the order before, until the workflow begins: clients of the API poll for workflows "
            "that are not there yet",
        },
        side="intersight",
    ),
    "membership": Variant(
        "Intersight: when hardware names an organization that was given a resource group with it",
        {"at-once": "with the answer to the write", "later": "some time after: SDK, resource.Group, `Reevaluate`"},
        side="intersight",
    ),
    "template-sync": Variant(
        "Intersight: a server profile template whose policies were changed over the API, and a vNIC that was attached",
        {
            "ordered": "its profiles stay as they are, out of sync, until they are merged with it: "
            "terraform-provider-intersight #321, intersight-powershell #185",
            "automatic": "they are merged with it by themselves some time later, as the SDK's page of vNIC templates "
            "says of those",
        },
        side="intersight",
    ),
    "merge": Variant(
        "Intersight: what a merge of a server profile template takes to a profile",
        {
            "configuration": "policies, UUID and server family: a profile is attached by `SrcTemplate` alone, "
            "terraform-provider-intersight #261",
            "all-common": "every property that both have, description and tags too, and it attaches the profile: "
            "bulk.MoMerger's page, and a profile with its template's description in terraform-provider-intersight #276",
        },
        side="intersight",
    ),
    "domain-merge": Variant(
        "Intersight: what a merge of a domain profile template takes to the profiles of its interconnects",
        {
            "together": "their policies, from the templates of the same side: Terraform registry, "
            "intersight_fabric_switch_cluster_profile_template, which has its client merge this one",
            "each": "nothing; each is merged with the template of its side: netascode "
            "terraform-intersight-nac-compute, intersight_domain_profiles.tf",
        },
        side="intersight",
    ),
    "unassign": Variant(
        "Intersight: the action Unassign while the server's device is not connected",
        {
            "connected": "refused as Deploy is (`gershwin_server_is_not_connected`, which public scripts report)",
            "anyhow": "the profile lets go, the machine keeps what it has",
        },
        side="intersight",
    ),
    "port-mode": Variant(
        "Intersight: an interconnect whose ports become Fibre Channel, are broken out, or no longer so",
        {
            "restart": "starts anew when that is deployed, and carries nothing meanwhile: Cisco UCS Manager Network "
            "Management Guide, breakout ports, of interconnects that UCS Manager manages",
            "running": "takes it while it runs",
        },
        side="intersight",
    ),
    "names": Variant(
        "Intersight: names of properties in a request",
        {
            "exact": "count with their case, as in the published schema",
            "any-case": "are taken in any case: Cisco's own collection `cisco.intersight` sends `SubType` of a boot "
            "device where the schema has `Subtype`, and its users do not report a refusal",
        },
        side="intersight",
    ),
    "media": Variant(
        "Intersight: virtual media of a server behind interconnects whose profile has no IMC access policy",
        {
            "need-access": "not mounted: its controller has no address to fetch an image from; the deploy itself goes "
            "through, a public lab guide says that the policy is not required",
            "mounted": "mounted all the same, through the device connector",
        },
        side="intersight",
    ),
    "bundle": Variant(
        "Intersight: where the firmware bundle that a server runs is shown",
        {
            "controller": "nowhere; the version of its management controller is called like the bundle: a public "
            "listing of rack servers that stand alone (iserver), PackageVersion empty",
            "running": "PackageVersion of the controller's firmware.RunningFirmware, with the letter of the bundle's "
            "kind, beside a controller of an older version: the same listing for blades, 4.2(3d)B beside 4.2(3c)",
            "summary": "as `running`, and in PackageVersion of compute.PhysicalSummary, which the schema describes as "
            "the bundle",
        },
        side="intersight",
    ),
    "updates": Variant(
        "Redfish: how a BMC takes new firmware",
        {
            "simple": "it fetches the image itself, UpdateService.SimpleUpdate with ImageURI (DSP0268), and "
            "restarts by itself for its own part",
            "multipart": "it is sent to MultipartHttpPushUri as UpdateFile beside UpdateParameters, and its own part "
            "waits for Manager.Reset: NVIDIA's guides for HGX and BlueField",
        },
        side="redfish",
    ),
    "systems": Variant(
        "Redfish: which systems the BMC of a server with an HGX baseboard lists",
        {
            "host": "the host alone",
            "baseboard-first": "HGX_Baseboard_0, then the host: NVIDIA's guides show both, and promise no order",
        },
        side="redfish",
    ),
    "logins": Variant(
        "Redfish: how a client may log in",
        {
            "sessions": "by a session, four at once, or by Basic authentication: DSP0266 asks for both of a service",
            "basic": "by Basic authentication; the root names no session service: emulators and small BMCs",
            "sessions-only": "by a session: AccountService.HTTPBasicAuth Disabled or Unadvertised, as sites harden it",
        },
        side="redfish",
    ),
    "etags": Variant(
        "Redfish: what a PATCH must say of the state that it changes",
        {
            "offered": "resources carry an ETag; If-Match with another one is refused with 412",
            "none": "resources carry none, and nobody looks at If-Match",
            "required": "and without If-Match with 428: DSP0266 lets a service require it; reports of Lenovo's and "
            "Gigabyte's BMCs (ansible/ansible#56150, community.general#6434)",
        },
        side="redfish",
    ),
    "settings": Variant(
        "Redfish: how BIOS settings are taken",
        {
            "at-once": "with 204; the settings resource shows every attribute as it will be",
            "task": "with 202, a task and its monitor; the settings resource shows those alone that wait for a reset",
        },
        side="redfish",
    ),
    "attributes": Variant(
        "Redfish: how a BIOS names its attributes",
        {
            "intersight": "as Intersight's tokens: what a profile deploys and what Redfish shows are the same settings",
            "ami": "by AMI's ids, with values such as PCID002Enabled and texts in the attribute registry: what "
            "Intersight lists for the C845A, and what is public of other makers' AMI boards; AMD boards alone",
        },
        side="redfish",
    ),
    "locks": Variant(
        "Redfish: BIOS settings that are written while the machine is in its self-test",
        {"never": "taken", "while-starting": "refused with 503 and Retry-After"},
        side="redfish",
    ),
    "overlap": Variant(
        "NX-OS: an address in a subnet that another interface of the VRF has",
        {"refused": "refused: `overlaps with address configured on`", "taken": "taken, whoever has it"},
    ),
    "remap": Variant(
        "NX-OS: another breakout map for a port that is broken out",
        {"refused": "refused until the port is whole", "taken": "taken: the lanes go, and those of the new map come"},
    ),
    "match": Variant(
        "NX-OS: a second line of one kind in a class, `match dscp 24` after `match dscp 26`",
        {"adds": "the class matches both", "replaces": "the class matches what was typed last"},
    ),
    "snmp-keys": Variant(
        "NX-OS: how a running configuration shows keys of SNMPv3 that were typed as localizedkey",
        {
            "as-typed": "as they were typed: published running configurations of 9.3",
            "v2": "as localizedV2key, made again in a way that nobody published: running configurations of an AI pod, "
            "10.4(5), show no other",
        },
    ),
    "classes": Variant(
        "NX-OS: order of the classes of a queuing or network-qos policy in the running configuration",
        {"as-entered": "as they were typed", "by-name": "one order for every policy, whatever was typed"},
    ),
    **OPENSHIFT,
}


class UnknownVariantError(ValueError):
    """A variant or form that is not in the table; the message names those that are."""


def chosen(asked: Mapping[str, str]) -> dict[str, str]:
    """The form of every variant, the first one where nothing is asked. Raises UnknownVariantError."""
    for name, form in asked.items():
        if name not in VARIANTS:
            raise UnknownVariantError(f"unknown variant {name!r}; known are {', '.join(VARIANTS)}")
        if form not in VARIANTS[name].forms:
            raise UnknownVariantError(f"variant {name} has no form {form!r}, but {', '.join(VARIANTS[name].forms)}")
    return {name: asked.get(name, next(iter(variant.forms))) for name, variant in VARIANTS.items()}

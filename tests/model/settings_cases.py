"""Wrong boot orders, disks, vNICs and further policies of a role: settings, place below it, message and hint."""

from typing import Any

SAN = {"type": "vnic.SanConnectivityPolicy", "children": {"fc0": {"type": "vnic.FcIf"}}}
IPMI = {"type": "ipmioverlan.Policy"}


def san(**references: Any) -> dict[str, Any]:
    child = {"type": "vnic.FcIf", "references": references}
    return {"policies": {"san": {**SAN, "children": {"fc0": child}}, "ipmi": IPMI}}


POOL = {"type": "resourcepool.Pool"}
GPUS = {
    "type": "resourcepool.QualificationPolicy",
    "properties": {"Qualifiers": [{"ObjectType": "resource.GpuQualifier"}]},
}


def pool(target: Any) -> dict[str, Any]:
    """Settings with a pool of servers whose qualifiers are these."""
    return {"policies": {"gpus": {**POOL, "references": {"QualificationPolicies": target}}, "with": GPUS, "ipmi": IPMI}}


def mail(password: Any) -> dict[str, Any]:
    """Settings with a policy that holds a password."""
    return {"policies": {"snmp": {"type": "snmp.Policy", "properties": {"SnmpUsers": [{"Name": "x", **password}]}}}}


SECRET = ("policies", "snmp", "properties", "SnmpUsers", 0, "AuthPassword")
OBJECTS: dict[str, tuple[dict[str, Any], tuple[Any, ...], str, str]] = {
    "a reason that says nothing": (
        {"smt": {"enabled": False, "reason": "x"}},
        ("smt", "reason"),
        '"x" is too short: it needs 10 characters',
        "write a sentence of 10 to 200 characters",
    ),
    "a VLAN that cannot be, alone in its list": (
        {"vnics": {"eth1": {"vlans": [4095]}}},
        ("vnics", "eth1", "vlans", 0),
        "4095 is out of range",
        "write a whole number from 2 to 3967",
    ),
    "a device nobody has": (
        {"boot": {"BootDevices": [{"ObjectType": "boot.Nvm", "Name": "disk"}]}},
        ("boot", "BootDevices", 0, "ObjectType"),
        "must name a kind that fits here",
        "`boot.Nvme`",
    ),
    "a property of disks nobody has": (
        {"disks": {"M2VirtualDriv": {"Enable": True}}},
        ("disks", "M2VirtualDriv"),
        "has no property",
        "`M2VirtualDrive`",
    ),
    "a fabric that is none": (
        {"vnics": {"eth1": {"properties": {"Placement": {"SwitchId": "C"}}}}},
        ("vnics", "eth1", "properties", "Placement", "SwitchId"),
        "must be one of",
        "write one of these",
    ),
    "the boot address": (
        {"vnics": {"eth0": {"properties": {"StaticMacAddress": "00:25:B5:00:00:01"}}}},
        ("vnics", "eth0", "properties", "StaticMacAddress"),
        "is the design's",
        "`boot_mac`",
    ),
    "a VLAN that the frontend has not": (
        {"vnics": {"eth1": {"vlans": [20, 21]}}},
        ("vnics", "eth1", "vlans", 1),
        "the frontend has no VLAN 21",
        "VLANs: 10, 20, 30",
    ),
    "a type nobody has": (
        {"policies": {"ipmi": {"type": "ipmioverlan.Polic"}}},
        ("policies", "ipmi", "type"),
        "no policy or pool of the table",
        "`ipmioverlan.Policy`",
    ),
    "a type with a field of its own": (
        {"policies": {"more": {"type": "bios.Policy"}}},
        ("policies", "more", "type"),
        "is the design's",
        "under `bios`",
    ),
    "a value of a further policy": (
        {"policies": {"ipmi": {**IPMI, "properties": {"Privilege": "root"}}}},
        ("policies", "ipmi", "properties", "Privilege"),
        "must be one of",
        "write one of these",
    ),
    "two of a type": (
        {"policies": {"one": IPMI, "two": IPMI}},
        ("policies", "two", "type"),
        "a profile takes one of a type",
        "delete one",
    ),
    "a type of standalone servers": (
        {"policies": {"clock": {"type": "ntp.Policy"}}},
        ("policies", "clock", "type"),
        "behind Fabric Interconnects, takes no ntp.Policy",
        "other servers",
    ),
    "a child of another parent": (
        {"policies": {"san": {**SAN, "children": {"eth2": {"type": "vnic.EthIf"}}}}},
        ("policies", "san", "children", "eth2", "type"),
        "does not live in a vnic.SanConnectivityPolicy",
        "`vnic.FcIf`",
    ),
    "a tag of owners": (
        {"tags": {"podwright-adopted": "no"}},
        ("tags", "podwright-adopted"),
        "marks of owners",
        "another",
    ),
    "an entry that is none": (
        san(FcNetworkPolicy="ipm"),
        ("policies", "san", "children", "fc0", "references", "FcNetworkPolicy"),
        "there is no entry ipm",
        "`ipmi`",
    ),
    "an entry of another type": (
        san(FcNetworkPolicy="ipmi"),
        ("policies", "san", "children", "fc0", "references", "FcNetworkPolicy"),
        "takes a vnic.FcNetworkPolicy",
        "name an entry",
    ),
    "an entry of another type in a list": (
        pool(["with", "ipmi"]),
        ("policies", "gpus", "references", "QualificationPolicies", 1),
        "takes a resourcepool.QualificationPolicy",
        "name an entry",
    ),
    "an entry twice": (
        pool(["with", "with"]),
        ("policies", "gpus", "references", "QualificationPolicies", 1),
        "in this list already",
        "once",
    ),
    "no name at all": (
        pool([{"name": "with"}]),
        ("policies", "gpus", "references", "QualificationPolicies"),
        "by name",
        "list of names",
    ),
    "a list where one is taken": (
        {"policies": {**san(FcNetworkPolicy=["vsan"])["policies"], "vsan": {"type": "vnic.FcNetworkPolicy"}}},
        ("policies", "san", "children", "fc0", "references", "FcNetworkPolicy"),
        "takes one entry",
        "alone",
    ),
    "a password in clear": (mail({"AuthPassword": "Hunter2-Hunter2"}), SECRET, "only its name", "{secret: NAME}"),
    "a name of a secret that is none": (
        mail({"AuthPassword": {"secret": "Hunter2-Hunter2"}}),
        SECRET,
        "only its name",
        "{secret: NAME}",
    ),
    "a generation that is none": (
        mail({"AuthPassword": {"secret": "snmp-auth", "generation": True}}),
        SECRET,
        "only its name",
        "{secret: NAME}",
    ),
    "a key of drives in clear": (
        {"drive_security": {"KeySetting": {"KeyType": "Manual", "ManualKey": {"NewKey": "Hunter2-Hunter2"}}}},
        ("drive_security", "KeySetting", "ManualKey", "NewKey"),
        "only its name",
        "{secret: NAME}",
    ),
}

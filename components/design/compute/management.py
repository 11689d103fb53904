"""Management controllers: what `intersight.management` becomes, policy by policy."""

from collections.abc import Iterator
from typing import Any

from podwright.components.design.compute.bucket import Bucket
from podwright.components.design.compute.directory import ldap
from podwright.components.design.compute.model import Child, IntersightObject
from podwright.components.design.compute.secrets import ROLES, secret
from podwright.components.model import Site
from podwright.components.model.management import Addresses, ConsoleSnmp, ConsoleUser, Ipmi, Mail, ServerManagement


def management_policies(management: ServerManagement, bucket: Bucket) -> Iterator[IntersightObject]:
    """Every policy of the section; which of them a server's profile has follows from its platform."""
    if management.addresses:
        yield access(management.addresses, bucket)
    if management.users:
        yield _users(management.users, bucket)
    if management.ssh:
        values: dict[str, Any] = {
            "Enabled": management.ssh.enabled,
            "Port": management.ssh.port,
            "Timeout": management.ssh.timeout_seconds,
        }
        yield bucket.add("ssh.Policy", "ssh", values)
    if management.serial_console:
        port = management.serial_console
        values = {"Enabled": port.enabled, "BaudRate": port.baud, "ComPort": port.com_port, "SshPort": port.ssh_port}
        yield bucket.add("sol.Policy", "serial-console", values)
    if management.ipmi:
        yield bucket.add("ipmioverlan.Policy", "ipmi", _ipmi(management.ipmi))
    if management.snmp:
        yield snmp(management.snmp, bucket)
    if management.ldap:
        yield ldap(management.ldap, bucket)
    if management.smtp:
        yield bucket.add("smtp.Policy", "smtp", _mail(management.smtp))
    if management.lockout is not None:
        yield bucket.add("deviceconnector.Policy", "device-connector", {"LockoutEnabled": management.lockout})


def syslog(host: str, bucket: Bucket) -> IntersightObject:
    """Warnings and worse to the site's collector."""
    local, remote = "syslog.LocalFileLoggingClient", "syslog.RemoteLoggingClient"
    properties = {
        "LocalClients": [{"ClassId": local, "ObjectType": local, "MinSeverity": "warning"}],
        "RemoteClients": [
            {
                "ClassId": remote,
                "ObjectType": remote,
                "Enabled": True,
                "Hostname": host,
                "MinSeverity": "warning",
                "Port": 514,
                "Protocol": "udp",
            }
        ],
    }
    return bucket.add("syslog.Policy", "syslog", properties)


def interconnect_policies(management: ServerManagement, site: Site, bucket: Bucket) -> Iterator[IntersightObject]:
    """What the profile of a domain has of this section."""
    if management.interconnects is None:
        return
    if management.interconnects.syslog and site.syslog is not None:
        yield syslog(site.syslog, bucket)
    if management.interconnects.snmp and management.snmp is not None:
        yield snmp(management.snmp, bucket)


def address_pool(role: str, addresses: Addresses, site: Site) -> IntersightObject:
    """The addresses that controllers of attached servers take, each server one."""
    size = int(addresses.last) - int(addresses.first) + 1
    block = "ippool.IpV4Block"
    dns = dict(zip(("PrimaryDns", "SecondaryDns"), map(str, site.dns), strict=False))
    properties = {
        "AssignmentOrder": "sequential",
        "IpV4Blocks": [{"ClassId": block, "ObjectType": block, "From": str(addresses.first), "Size": size}],
        "IpV4Config": {
            "Gateway": str(addresses.gateway or addresses.network[1]),
            "Netmask": str(addresses.network.netmask),
            **dns,
        },
    }
    return IntersightObject("ippool.Pool", f"{role}-management", properties)


def access(addresses: Addresses, bucket: Bucket) -> IntersightObject:
    """An address of the pool for a controller behind interconnects."""
    inband = addresses.vlan is not None
    pool = {"object_type": "ippool.Pool", "name": f"{bucket.role}-management"}
    properties = {
        "AddressType": {"EnableIpV4": True, "EnableIpV6": False},
        "ConfigurationType": {"ConfigureInband": inband, "ConfigureOutOfBand": not inband},
        **({"InbandVlan": addresses.vlan} if inband else {}),
    }
    return bucket.add("access.Policy", "access", properties, {"InbandIpPool" if inband else "OutOfBandIpPool": pool})


def _users(users: dict[str, ConsoleUser], bucket: Bucket) -> IntersightObject:
    """A user is an object of its own, whose name is the one to log in with; what it may do hangs off the policy."""
    for name in users:
        bucket.objects.setdefault(name, IntersightObject("iam.EndPointUser", name, {}))
    children = tuple(
        Child(
            "iam.EndPointUserRole",
            name,
            {"Enabled": True, "Password": secret(user.password, user.generation)},
            {
                "EndPointUser": {"object_type": "iam.EndPointUser", "name": name},
                "EndPointRole": ({"object_type": "iam.EndPointRole", "name": ROLES[user.role]},),
            },
        )
        for name, user in users.items()
    )
    # A password lasts until it is rotated: a controller that let it expire would lock everybody out.
    properties = {"PasswordProperties": {"EnforceStrongPassword": True, "EnablePasswordExpiry": False}}
    return bucket.add("iam.EndPointUserPolicy", "users", properties, children=children)


def _ipmi(ipmi: Ipmi) -> dict[str, Any]:
    key = {"EncryptionKey": secret(ipmi.key, ipmi.generation)} if ipmi.key else {}
    return {"Enabled": ipmi.enabled, "Privilege": ipmi.privilege, **key}


def snmp(settings: ConsoleSnmp, bucket: Bucket) -> IntersightObject:
    """SNMPv3 alone, of servers and of interconnects."""
    person, receiver = "snmp.User", "snmp.Trap"
    users = [
        {
            "ClassId": person,
            "ObjectType": person,
            "Name": name,
            "SecurityLevel": "AuthPriv",
            "AuthType": user.hash,
            "AuthPassword": secret(user.authentication, user.generation),
            "PrivacyType": "AES",
            "PrivacyPassword": secret(user.privacy, user.generation),
        }
        for name, user in settings.users.items()
    ]
    traps = [
        {
            "ClassId": receiver,
            "ObjectType": receiver,
            "Destination": trap.host,
            "Enabled": True,
            "Port": trap.port,
            "Type": "Inform" if trap.confirmed else "Trap",
            "User": trap.user,
            "Version": "V3",
        }
        for trap in settings.traps
    ]
    properties = {
        "Enabled": True,
        "V2Enabled": False,
        "V3Enabled": True,
        "CommunityAccess": "Disabled",
        "SnmpPort": settings.port,
        "SnmpUsers": users,
        "SnmpTraps": traps,
        **({"SysContact": settings.contact} if settings.contact else {}),
        **({"SysLocation": settings.location} if settings.location else {}),
    }
    return bucket.add("snmp.Policy", "snmp", properties)


def _mail(mail: Mail) -> dict[str, Any]:
    return {
        "Enabled": True,
        "SmtpServer": mail.server,
        "SmtpPort": mail.port,
        "SenderEmail": mail.sender,
        "SmtpRecipients": list(mail.recipients),
        "MinSeverity": mail.severity,
    }

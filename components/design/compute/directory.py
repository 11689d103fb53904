"""Log-in to management controllers by LDAP: the policy, its servers and its groups."""

from podwright.components.design.compute.bucket import Bucket
from podwright.components.design.compute.model import Child, IntersightObject
from podwright.components.design.compute.secrets import ROLES, secret
from podwright.components.model.management import Directory


def ldap(directory: Directory, bucket: Bucket) -> IntersightObject:
    """Local users stay first: they are for the day on which no directory answers."""
    bind = {"BindMethod": "LoginCredentials"}
    if directory.bind_dn is not None and directory.bind_password is not None:
        bind = {
            "BindMethod": "ConfiguredCredentials",
            "BindDn": directory.bind_dn,
            "Password": secret(directory.bind_password, directory.generation),
        }
    base = {
        "BaseDn": directory.base_dn,
        "Domain": directory.domain,
        "Filter": directory.filter,
        "GroupAttribute": directory.group_attribute,
        "EnableGroupAuthorization": True,
        "EnableEncryption": directory.encrypted,
        "Timeout": directory.timeout_seconds,
        **bind,
    }
    servers = tuple(
        Child("iam.LdapProvider", each.host, {"Server": each.host, "Port": each.port, "Vendor": each.vendor})
        for each in directory.servers
    )
    groups = tuple(
        Child(
            "iam.LdapGroup",
            name,
            {"Domain": directory.domain, "GroupDn": group.dn},
            {"EndPointRole": ({"object_type": "iam.EndPointRole", "name": ROLES[group.role]},)},
        )
        for name, group in directory.groups.items()
    )
    properties = {"Enabled": True, "EnableDns": False, "UserSearchPrecedence": "LocalUserDb", "BaseProperties": base}
    return bucket.add("iam.LdapPolicy", "ldap", properties, children=(*servers, *groups))

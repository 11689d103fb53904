"""Log-in to management controllers by LDAP: the policy, its servers and its groups."""

from podwright.components.design.compute.bucket import Bucket
from podwright.components.design.compute.model import Child, IntersightObject
from podwright.components.design.compute.secrets import ROLES, secret
from podwright.components.model.management import Directory


def ldap(said: Directory, bucket: Bucket) -> IntersightObject:
    """Local users stay first: they are for the day on which no directory answers."""
    bind = {"BindMethod": "LoginCredentials"}
    if said.bind_dn is not None and said.bind_password is not None:
        bind = {
            "BindMethod": "ConfiguredCredentials",
            "BindDn": said.bind_dn,
            "Password": secret(said.bind_password, said.generation),
        }
    base = {
        "BaseDn": said.base_dn,
        "Domain": said.domain,
        "Filter": said.filter,
        "GroupAttribute": said.group_attribute,
        "EnableGroupAuthorization": True,
        "EnableEncryption": said.encrypted,
        "Timeout": said.timeout_seconds,
        **bind,
    }
    servers = tuple(
        Child("iam.LdapProvider", each.host, {"Server": each.host, "Port": each.port, "Vendor": each.vendor})
        for each in said.servers
    )
    groups = tuple(
        Child(
            "iam.LdapGroup",
            name,
            {"Domain": said.domain, "GroupDn": group.dn},
            {"EndPointRole": ({"object_type": "iam.EndPointRole", "name": ROLES[group.role]},)},
        )
        for name, group in said.groups.items()
    )
    properties = {"Enabled": True, "EnableDns": False, "UserSearchPrecedence": "LocalUserDb", "BaseProperties": base}
    return bucket.add("iam.LdapPolicy", "ldap", properties, children=(*servers, *groups))

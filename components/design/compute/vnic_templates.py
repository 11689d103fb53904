"""Templates of vNICs that are derived: one for each vNIC of a role, or of a server that sets it itself.

The vNIC still lists all that it has: what a change costs is classed there, as for one that is rendered.
"""

import hashlib
from dataclasses import replace

from podwright.components.design.compute.model import Child, IntersightObject, Reference

_LONGEST = 31
"""Characters of a name (SDK, vnic.VnicTemplate.Name)."""
_SHARED = ("Cdn", "FailoverEnabled", "PinGroupName", "SriovSettings", "UsnicSettings", "VmqSettings")
"""Properties that a vNIC has from its template, beside the policies (SDK, vnic.EthIf and vnic.VnicTemplate)."""


def template(role: str, vnic: Child, owner: str, pool: Reference) -> IntersightObject:
    """What the vNIC is derived from. `owner` is the role or server that wants it so.

    It has a MAC address pool in any case, which Intersight asks of a template; a vNIC with a boot address takes none.
    """
    properties = {name: value for name, value in vnic.properties.items() if name in _SHARED}
    fabric = vnic.properties["Placement"]["SwitchId"]
    return IntersightObject(
        "vnic.VnicTemplate",
        _name(f"{role}-nic-{vnic.name}-{owner}"),
        {"EnableOverride": False, "SwitchId": fabric, **properties},
        {**vnic.references, "MacPool": pool},
        repeated=True,
    )


def attached(vnic: Child, source: IntersightObject) -> Child:
    """The vNIC, derived from the template."""
    return replace(vnic, references={**vnic.references, "SrcTemplate": source.reference})


def _name(whole: str) -> str:
    if len(whole) <= _LONGEST:
        return whole
    end = hashlib.sha256(whole.encode()).hexdigest()[:6]
    return f"{whole[: _LONGEST - len(end) - 1]}-{end}"

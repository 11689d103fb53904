"""Where a control of a framework is mapped to the very check that a rule makes.

A control is a tag only where a published mapping has this check, on this kind of device: whoever filters findings by a
framework reads them as its findings.
"""

from typing import Final

_STIGS: Final = "https://github.com/mitre/inspec-profile-update-action/blob/98e6e5798b1a1bdd6825ac4270d75ea96dda55b2/benchmarks/inspec_stubs/"
KNOWN: Final = (
    "https://github.com/mitre/inspec-profile-update-action/",
    "https://github.com/ComplianceAsCode/content/",
    "https://public.cyber.mil/stigs/",
    "https://csrc.nist.gov/",
    "https://media.defense.gov/",
    "https://www.cisecurity.org/",
    "https://attack.mitre.org/",
)
"""Who publishes mappings: MITRE's edition of DISA's STIGs, ComplianceAsCode, DISA, NIST, NSA and CISA, CIS, MITRE."""
SOURCES: Final = {
    # Ports that are not in use are to be shut; the same file has its NIST control.
    "DISA STIG CISC-RT-000060": f"{_STIGS}U_Cisco_NX-OS_Switch_RTR_STIG_V2R3/controls/SV-221076.rb",
    "NIST 800-53 AC-4": f"{_STIGS}U_Cisco_NX-OS_Switch_RTR_STIG_V2R3/controls/SV-221076.rb",
}
"""Address of the mapping of each control that some rule has."""

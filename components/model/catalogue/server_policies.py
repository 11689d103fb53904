"""Which policies the profile of a server takes, by platform.

Sources: Cisco, "Intersight policies" solution overview and the server profile chapters of the Intersight help centre
(Standalone) and of the Intersight Managed Mode configuration guide (FIAttached), which list the policies of each
wizard; terraform-intersight-profiles, `locals.bucket`, which leaves the same ones out of a profile of the other
platform. What is not listed here goes to no server.
"""

from collections.abc import Mapping

STANDALONE, ATTACHED = "Standalone", "FIAttached"

SERVER_POLICIES: Mapping[str, tuple[str, ...]] = {
    "access.Policy": (ATTACHED,),
    "adapter.ConfigPolicy": (STANDALONE,),
    "bios.Policy": (STANDALONE, ATTACHED),
    "boot.PrecisionPolicy": (STANDALONE, ATTACHED),
    "certificatemanagement.Policy": (STANDALONE, ATTACHED),
    "compute.ScrubPolicy": (ATTACHED,),
    "deviceconnector.Policy": (STANDALONE,),
    "firmware.Policy": (STANDALONE, ATTACHED),
    "iam.EndPointUserPolicy": (STANDALONE, ATTACHED),
    "iam.LdapPolicy": (STANDALONE,),
    "ipmioverlan.Policy": (STANDALONE, ATTACHED),
    "kvm.Policy": (STANDALONE, ATTACHED),
    "memory.Policy": (ATTACHED,),
    "networkconfig.Policy": (STANDALONE,),
    # A blade has the time of its interconnects.
    "ntp.Policy": (STANDALONE,),
    "power.Policy": (STANDALONE, ATTACHED),
    "smtp.Policy": (STANDALONE,),
    "snmp.Policy": (STANDALONE, ATTACHED),
    "sol.Policy": (STANDALONE, ATTACHED),
    "ssh.Policy": (STANDALONE,),
    "storage.DriveSecurityPolicy": (STANDALONE, ATTACHED),
    "storage.StoragePolicy": (STANDALONE, ATTACHED),
    "syslog.Policy": (STANDALONE, ATTACHED),
    # A blade is cooled by its chassis, whose profile has this policy.
    "thermal.Policy": (STANDALONE,),
    "vmedia.Policy": (STANDALONE, ATTACHED),
    "vnic.LanConnectivityPolicy": (STANDALONE, ATTACHED),
    "vnic.SanConnectivityPolicy": (STANDALONE, ATTACHED),
}
"""Platforms whose servers take a policy, by its type."""

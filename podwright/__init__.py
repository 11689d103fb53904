"""podwright: an enterprise AI cluster on Cisco hardware, from switch to workload, as one Pulumi graph.

In the repository the rooms of this package stand beside it (`components/`, `policies/`, `cli/`, `lab/`, `toolchain/`)
and are linked from here; an installed package holds them themselves.
"""

__version__ = "0.1.0"
"""Of the package, the plugin and the policy pack; the one place it is written."""

"""A Nexus switch as it would behave, read from a plan or from a running configuration."""

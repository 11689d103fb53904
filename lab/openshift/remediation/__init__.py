"""Nodes that fall silent: the Node Health Check and the Self Node Remediation Operators, after medik8s' sources."""

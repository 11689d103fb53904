"""Containers whose command is a script out of a ConfigMap: the lab runs it, as a process on loopback."""

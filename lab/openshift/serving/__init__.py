"""Servers of models whose image the lab knows: they start, listen on loopback and answer as their vendor says."""

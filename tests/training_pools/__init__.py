"""Pods in every spelling against the rule of training pools."""

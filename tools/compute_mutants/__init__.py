"""Mutants of what the compute layer plans, and the rule of the policy pack that stops each."""

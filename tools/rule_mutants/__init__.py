"""Mutants of the conditions of the policy pack's rules, and the case that turns red for each."""

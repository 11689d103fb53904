"""Mutants of device texts and of the code that writes them, and the gate that stops each."""

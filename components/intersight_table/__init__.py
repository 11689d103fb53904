"""Cisco's table of Intersight objects: what each property takes. The stack file and the provider are judged by it."""

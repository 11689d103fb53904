"""What changes a switch: what to type, in which order, under which checkpoint and rollback timer, and whose it is."""

"""Red Hat's JobSet Operator, and JobSet itself as the real program."""

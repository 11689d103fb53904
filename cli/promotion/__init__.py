"""`podwright diff`: in what two stacks differ, and what each difference would do to the second one."""

"""Load the stack's file, build the cluster, export what it became."""

import pulumi

from podwright.components.program import program

pulumi.run(program)

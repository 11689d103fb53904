"""Hand the rules to Pulumi's policy engine, which runs this folder as a program."""

import io
import sys

from pulumi_policy import PolicyPack
from rules import RULES  # type: ignore[import-not-found]  # found beside this file, where the engine starts it
from rules.pack import policies  # type: ignore[import-not-found]

# PolicyPack writes its port to `sys.stdout.buffer` and serves for ever without a flush (pulumi-policy 1.21). Into a
# pipe that buffer keeps the line, and the engine waits for it at "Loading policy packs" without an end. Line buffering
# belongs to the text layer above and changes nothing: the buffer itself has to go, as `python -u` does it.
sys.stdout = io.TextIOWrapper(open(1, "wb", buffering=0, closefd=False), write_through=True)  # noqa: SIM115

PolicyPack("podwright", policies(RULES))

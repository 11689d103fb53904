"""Hand the rules to Pulumi's policy engine, which runs this folder as a program."""

from rules import RULES, WAIVERS  # type: ignore[import-not-found]  # found beside this file, where the engine starts it
from rules.pack import serve  # type: ignore[import-not-found]

serve("podwright", RULES, WAIVERS)

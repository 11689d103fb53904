"""The plugin's start: ``python components/providers <engine address>``.

Python puts this folder first on its path, where our ``intersight`` and ``openshift`` would hide the
libraries of the same names; the folder is taken off, and the project's root put on, before anything is
imported.
"""

import asyncio
import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != _HERE]
sys.path.insert(0, str(_HERE.parents[1]))

from podwright.components.providers.protocol.server import serve  # noqa: E402  (the path had to come first)

asyncio.run(serve(sys.argv[1:]))

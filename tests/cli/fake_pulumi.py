"""A `pulumi` that records how it was called and answers what a test has put beside it."""

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

here = Path(__file__).parent
words = sys.argv[1:]
told = {
    "words": words,
    "python": os.environ.get("PULUMI_PYTHON_CMD"),
    "path": os.environ["PATH"].split(os.pathsep),
}
with (here / "calls").open("a") as calls:
    calls.write(json.dumps(told) + "\n")
answers = json.loads((here / "answers.json").read_text())
asked = (" ".join(words[:length]) for length in (4, 2, 1))
answer: dict[str, Any] = next((answers[each] for each in asked if each in answers), {})
if "--event-log" in words:
    Path(words[words.index("--event-log") + 1]).write_text(answer.get("events", ""))
sys.stdout.write(answer.get("prints", ""))
sys.stdout.flush()
if answer.get("waits"):
    signal.signal(signal.SIGINT, lambda *_: sys.exit(answer["waits"]))
    (here / "waiting").touch()
    time.sleep(60)
sys.exit(answer.get("status", 0))

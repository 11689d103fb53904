"""What a training job saves of its work: where, how often, and how long that may take."""

from typing import Annotated, Final

from pydantic import Field

from podwright.components.model.mounts import SubPath
from podwright.components.model.types import Name, Spec

ENDING_SECONDS: Final = 300
"""What a pod has to end in, unless its checkpoints take longer."""
STEP_SECONDS: Final = 30
"""For the step that is under way when a pod is asked to end, before anything can be saved."""
MARGIN_SECONDS: Final = 30
"""Between the moment a launcher kills its processes and the one kubelet kills the launcher."""


class Checkpoints(Spec):
    """Where a job's pods save their work, how often, and how long they may take for it. They have all of it in their
    environment, and the time that they need to save when they are asked to end."""

    volume: Name
    """Claim that they are written to: a key of the job's `volumes`."""
    path: SubPath | None = None
    """Folder below the path at which the claim is mounted. Null: that path itself."""
    every_seconds: Annotated[int, Field(ge=10, le=86400)] = 1800
    """Seconds from one checkpoint to the next: what a failure loses at most."""
    every_steps: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = None
    """Steps from one checkpoint to the next, if they are made before `every_seconds` are over. Null: time alone."""
    keep: Annotated[int, Field(ge=1, le=1000)] = 3
    """Newest checkpoints that are kept; older ones are deleted."""
    save_seconds: Annotated[int, Field(ge=1, le=3600)] = 60
    """Seconds that writing one may take. A pod that has to go has as many, half a minute more for the step under way,
    and five minutes at least."""

    @property
    def shutdown_seconds(self) -> int:
        """What a launcher leaves its processes between SIGTERM and SIGKILL."""
        return self.save_seconds + STEP_SECONDS

    @property
    def grace_seconds(self) -> int:
        """What kubelet leaves a pod between its deletion and SIGKILL."""
        return max(ENDING_SECONDS, self.shutdown_seconds + MARGIN_SECONDS)

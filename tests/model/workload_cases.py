"""Contradictions of workloads: what they mount, how they start, what their GPUs hold."""

from tests.model.engine_cases import ENGINES
from tests.model.kserve_cases import SERVED
from tests.model.launch_cases import LAUNCHES
from tests.model.mount_cases import MOUNTS
from tests.model.rail_cases import RAILS
from tests.model.saving_cases import SAVING
from tests.model.scaling_cases import SCALING
from tests.model.secret_cases import SECRETS
from tests.model.sizing_cases import SIZINGS
from tests.model.spread_cases import SPREAD

WORKLOADS = [*MOUNTS, *LAUNCHES, *RAILS, *SAVING, *SIZINGS, *ENGINES, *SCALING, *SECRETS, *SERVED, *SPREAD]

"""What changing a field of a stack file does, by its path.

The class, as docs/reference/field-changes.md has it, then what has that class: where it is felt on switches, or which
properties and objects change.
"""

from collections.abc import Mapping
from typing import Final

from podwright.components.changes.fields import platform, workloads

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {**platform.FIELDS, **workloads.FIELDS}

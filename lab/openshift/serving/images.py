"""Which containers the lab knows as servers of models: by the image's name, without its registry's mirror or digest."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

TRITON = re.compile(r"(^|/)tritonserver([:@]|$)")
NIM = re.compile(r"(^|/)nim/[a-z0-9._-]+/[A-Za-z0-9._-]+([:@]|$)")
"""nvcr.io/nim/<publisher>/<model> (https://catalog.ngc.nvidia.com/containers)."""
EITHER = "(^|/)(tritonserver([:@]|$)|nim/[a-z0-9._-]+/[A-Za-z0-9._-]+([:@]|$))"
"""The same for kwok's stages."""


def engine(container: Mapping[str, Any]) -> str:
    """triton, nim, or empty for every other image."""
    image = str(container.get("image") or "")
    if TRITON.search(image):
        return "triton"
    return "nim" if NIM.search(image) else ""

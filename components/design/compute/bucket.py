"""Objects of one role while its plan is made."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from podwright.components.design.compute.model import Child, IntersightObject, Reference


@dataclass
class Bucket:
    """Objects made so far, by name: servers that want the same policy share it."""

    role: str
    """Every object's name begins with it."""
    objects: dict[str, IntersightObject]

    def add(
        self,
        object_type: str,
        name: str,
        properties: Mapping[str, Any],
        references: Mapping[str, Reference | tuple[Reference, ...]] | None = None,
        children: tuple[Child, ...] = (),
    ) -> IntersightObject:
        """The policy of this name, made at first use."""
        made = IntersightObject(object_type, f"{self.role}-{name}", properties, references or {}, children)
        return self.objects.setdefault(made.name, made)

    def take(self, policies: Iterable[IntersightObject], other: "Bucket") -> None:
        """These policies of another bucket, and what they refer to there."""
        wanted = [each.name for each in policies]
        for name in wanted:
            wanted += [
                each for each in sorted(other.objects[name].needs) if each in other.objects and each not in wanted
            ]
        for name, each in other.objects.items():
            if name in wanted:
                self.objects.setdefault(name, each)

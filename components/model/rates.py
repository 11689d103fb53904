"""What a site says about prices, lead times and power: its own dated file, beside the stack file.

It is no part of a stack: a price must not change a resource. Nothing here has a default but its shelf life: what the
file does not say is not known, and is reported as such.
"""

from datetime import date, timedelta
from typing import Annotated

from pydantic import Field, StringConstraints

from podwright.components.model.types import Spec, Words

Product = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9 .,:+/()-]{1,79}$"),
    Words("a product id as the bill of materials prints it, such as N9K-C9364D-GX2A"),
]
"""Product id, or the words a bill prints for what has none."""

Currency = Annotated[
    str, StringConstraints(pattern=r"^[A-Z]{3}$"), Words("a currency by ISO 4217 in three capitals, such as EUR")
]
"""Currency code."""


class Rate(Spec):
    """One product. A key that is left out is not known."""

    price: Annotated[float, Field(ge=0, le=100_000_000)] | None = None
    """Price of one, in the file's currency."""
    lead_days: Annotated[int, Field(ge=0, le=1000)] | None = None
    """Lead time in days."""
    watts: Annotated[float, Field(ge=0, le=50_000)] | None = None
    """Draw of one in W, as the site reckons it."""


class Rates(Spec):
    """Prices, lead times and power as of a day."""

    as_of: date
    """Day the figures are of."""
    good_for_days: Annotated[int, Field(ge=1, le=3650)] = 90
    """Days after which they count as stale."""
    currency: Currency
    """Currency of every price."""
    source: Annotated[str, Field(min_length=1, max_length=200)]
    """Where they come from: a quote, a price list."""
    items: dict[Product, Rate]
    """Figures by product."""

    def of(self, product: str) -> Rate:
        """What the file says of a product; nothing known where it does not name it."""
        return self.items.get(product, Rate())

    def stale(self, today: date) -> str | None:
        """Why the figures cannot be relied on today, or None."""
        if self.as_of > today:
            return f"the figures are of {self.as_of}, which is after today"
        if today > self.as_of + timedelta(days=self.good_for_days):
            age = (today - self.as_of).days
            return f"the figures are {age} days old ({self.as_of}), good for {self.good_for_days}"
        return None

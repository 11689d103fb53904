"""What is defined about a host on the backend: its model, where it stands, and which leaf ports its NICs take."""

from typing import Annotated

from pydantic import Field

from podwright.components.model.types import Derived, Name, PciAddress, Spec, Words

Slot = Annotated[
    str,
    Field(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?/[1-8]$"),
    Words("a chassis and one of its eight slots, such as x-1/3"),
]


class Host(Spec):
    """A machine whose rail NICs are cabled to leaves, whoever installs it; its key in the map is its host name."""

    model: str
    """Product id as in the catalogue, such as UCSC-885A-M8, UCSC-845A-M8, UCSC-C225-M8N or UCSX-210C-M7."""
    index: Annotated[int, Field(ge=1, le=250), Derived("the number its name ends in")]
    """Fixed number of this server among those of its leaf group; its leaf ports and rail addresses follow from it."""
    rack: Name
    """Rack it stands in; a key of `site.racks`."""
    gpus: str | None = None
    """GPU product as NVML prints it, spaces as dashes: NVIDIA-H200. None for servers without."""
    gpu_count: Annotated[int, Field(ge=1, le=16)] | None = None
    """Number of GPUs. None: as many as the model takes."""
    domain: Name | None = None
    """Fabric Interconnect pair the server hangs on; a key of `domains`. A blade has one; a rack server with a VIC may
    have one, and Intersight then manages it attached to the pair. None for standalone servers."""
    slot: Slot | None = None
    """Chassis and slot of a blade, such as x-1/3; the chassis is a key of its domain's `chassis`. An X410c takes the
    next slot too. None: where it stands in its domain is not checked."""
    nics: dict[Annotated[int, Field(ge=0, le=15)], PciAddress] = {}
    """PCI addresses of its rail NICs by rail, where they are not the catalogue's: another riser or card layout. Each is
    compared with what its node shows before anything is made of a NIC."""
    group: Annotated[int, Field(ge=1, le=63)] | None = None
    """Leaf group its rails are cabled to. None for servers without rails."""

"""The pack as the engine's policy plugin: the rules served over Pulumi's analyzer protocol."""

from .server import serve

__all__ = ["serve"]

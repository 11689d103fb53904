"""Programs that run in pods of the cluster."""

from importlib.resources import files

SCRIPT = str(files("podwright.components.programs").joinpath("checks.sh"))

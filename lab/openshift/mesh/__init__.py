"""The service mesh of the lab: its operator, what takes pods in, and who reaches whom through it."""

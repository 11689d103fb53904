"""OpenShift's own monitoring, as far as somebody asks it."""

"""Every leaf of a plan's Kubernetes objects is dropped once: a gate notices, or a source tells why it may go."""

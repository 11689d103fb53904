"""What `podwright audit` finds on a real API server."""

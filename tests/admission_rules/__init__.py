"""Rules that the API server evaluates too: the pack's own cases get the same verdict from both."""

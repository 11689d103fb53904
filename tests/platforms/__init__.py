"""Platforms that nobody wrote: what their stack files plan, asked of other people's programs and of brute force."""

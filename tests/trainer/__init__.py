"""The reference trainer of docs/how-to/trainer: its files, and what becomes of it when processes and pods end."""

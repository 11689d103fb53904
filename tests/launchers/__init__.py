"""Stand-ins for programs that start training processes, written from what the real ones read."""

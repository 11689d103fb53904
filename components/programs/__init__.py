"""Programs that run in pods of the cluster, each with what its image has alone: nothing here is imported."""

"""Sets of pools, teams, jobs and lost nodes by lot, on the real Kueue, against rules read from its manual."""

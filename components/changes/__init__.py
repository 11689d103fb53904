"""What a change of a property does to what runs: one table that provider, preview, docs and tests read.

A row says the class of a change, where it is felt, for how long, why, and which source says so. Stdlib only, no input
and output: `table` holds the rows of every resource, `impact` finds those that lie between two specs of one.
"""

"""A Prometheus exporter for the switches of a stack: what each command says, as time series."""

"""The Custom Metrics Autoscaler: its operator and who answers queries are stand-ins, KEDA is the real one."""

"""The Kubernetes NMState Operator, and hosts whose network its handlers change."""

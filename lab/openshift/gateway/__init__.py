"""OpenShift's Gateway API: its operator, Istio and Envoy are stand-ins, the endpoint picker is the real one."""

"""KServe as the real program, as the operator of Red Hat OpenShift AI runs it."""

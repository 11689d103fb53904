"""Red Hat OpenShift AI's operator: a stand-in. Its components are Deployments whose pods do nothing."""

"""Nodes of every role lose their power at moments by lot, under gangs in queues and a service with two replicas."""

"""The Red Hat build of Kueue: its operator is a stand-in, Kueue itself the real program with its webhooks."""

"""Red Hat Connectivity Link, which is Kuadrant: its operator, Authorino and Limitador are stand-ins."""

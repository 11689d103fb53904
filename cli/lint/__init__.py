"""`podwright lint`: existing switch configurations, checked by the rules that check our own plans."""

"""`podwright lint`: existing switch configurations, judged by the rules that judge our own plans."""

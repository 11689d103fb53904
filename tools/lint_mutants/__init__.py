"""Does the lint name what makes switches forward or peer otherwise? Mutants of texts, and the lab as the judge."""

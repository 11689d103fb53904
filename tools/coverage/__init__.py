"""Whether the claims of docs/coverage.md are proven by the tests it names: each claim is broken, its test must fail."""

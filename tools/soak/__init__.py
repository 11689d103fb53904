"""Large seeded counts: `make soak SUITE= SEED= SECONDS=`."""

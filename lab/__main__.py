"""`python -m podwright.lab up|down|status|logs|fault|counters|record|replay`."""

from podwright.lab.command import main

if __name__ == "__main__":
    raise SystemExit(main())

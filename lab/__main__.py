"""`python -m podwright.lab up|down|status|logs|record|replay`."""

from podwright.lab.command import main

if __name__ == "__main__":
    raise SystemExit(main())

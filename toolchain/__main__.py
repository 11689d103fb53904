"""Entry of `python3 -m toolchain`.

Written for any Python from 2.7 on, so that one that is too old is told so instead of
stumbling over the syntax of the rest. Nothing newer may be used in this file.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 -- this file is the gate for older ones
    sys.stderr.write(
        "toolchain: this is Python "
        + sys.version.split()[0]
        + ", podwright needs 3.11 or newer\n"
        + "  what to do: run it with a newer one, for example `make PYTHON=python3.12 ...`\n"
    )
    sys.exit(2)

from podwright.toolchain.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

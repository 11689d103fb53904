"""Runs the pack's rules over manifests of other projects: `python -m tests.policies.third_party [--renew]`.

Modules come with `python3 -m toolchain setup`, where it builds; nothing is downloaded here. `--renew` writes sums and
table anew, after another version of a module or another rule.
"""

import argparse
import os
import tempfile
from collections import Counter
from pathlib import Path

from tests.policies.third_party import reading, table


def main() -> int:
    """1 where a finding has no reason, or the table is another one than found."""
    options = argparse.ArgumentParser(prog="python -m tests.policies.third_party", description=__doc__)
    options.add_argument("--renew", action="store_true", help="write SHA256SUMS and findings.tsv")
    renew = options.parse_args().renew
    with tempfile.TemporaryDirectory() as work:
        cached = reading.module_cache(dict(os.environ), Path(work))
    missing = reading.absent(cached) if cached else ["Go itself"]
    if cached is None or missing:
        print(f"not on this machine: {', '.join(missing)}; `python3 -m toolchain setup` downloads what it builds from")
        return 1
    if renew:
        lines = [f"{digest} {file.module} {file.path}\n" for digest, file in reading.survey(cached)]
        reading.SUMS.write_text("".join(lines), encoding="utf-8")
    files = reading.listed()
    rows = table.evaluated(cached, files)
    if renew:
        table.FINDINGS.write_text("".join(f"{row.line()}\n" for row in rows), encoding="utf-8")
    counts = Counter(row.rule for row in rows)
    print(f"{len(files)} manifests of {len(reading.modules())} modules, {len(rows)} findings")
    for rule, count in counts.most_common():
        print(f"{count:6} {rule}")
    for row in rows:
        if not row.reason:
            print(f"no reason: {row.file}: {row.rule}: {row.message}")
    return int(rows != table.committed() or not all(row.reason for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())

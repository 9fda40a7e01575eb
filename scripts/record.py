"""Note what tables took, for the estimates of `tbgen plan` and `tbgen build`.

Give it what `tbgen build --json` has printed. It puts positions, bytes and CPU seconds into
tbgen/generate/recorded.csv. Seconds are divided by the pace of the machine, which the lines say, so that machines can
take turns.
"""

import argparse
import csv
import io
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tbgen.core.material import build_key, parse
from tbgen.generate.recorded import COLUMNS
from tbgen.system import output_files

FILE: Final = Path(__file__).resolve().parent.parent / "tbgen" / "generate" / "recorded.csv"


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/record", description=__doc__)
    parser.add_argument("built", type=Path, nargs="+", metavar="FILE", help="what tbgen build --json has printed")
    args = parser.parse_args()
    lines = [line for path in args.built for line in path.read_text().splitlines()]
    record(json.loads(line) for line in lines if line.startswith("{"))


def record(built: Iterable[dict[str, Any]]) -> None:
    """Put the figures of these tables into the file, in place of those that it has."""
    with FILE.open(newline="") as file:
        rows = {(row["material"], row["rules"]): row for row in csv.DictReader(file)}
    for one in built:
        known = rows.get((one["material"], one["rules"]))
        if one["pace"]:
            took = f"{one['cpu_seconds'] / one['pace']:.2f}"
        elif known:  # not measured, as other tables were built beside it
            took = known["cpu_seconds"]
        else:
            continue
        row = {column: str(one[column]) for column in COLUMNS[:-1]}
        rows[one["material"], one["rules"]] = row | {"cpu_seconds": took}
    in_order = sorted(rows.values(), key=lambda row: (row["rules"], build_key(parse(row["material"]))))
    write_csv(FILE, COLUMNS, in_order)
    print(f"{len(rows)} tables in {FILE}", file=sys.stderr)


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write these columns of rows, all of them or nothing: what a file has may be nowhere else."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    output_files.replace(path, text.getvalue().encode())


if __name__ == "__main__":
    main()

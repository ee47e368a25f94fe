"""Runs every `bench_*.py` beside it, prints each ratio, and keeps the results in `artifacts/benchmarks`.

A benchmark is a module with `measure(generator, quick)` that yields `Measurement`s. Run by `make bench`, or for some of
them `make bench ARGS="xml"`.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.measurement import Measurement
from distributary.core.generator import Generator

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent


def commit() -> str:
    """Return the commit that is measured, with `+` when the tree has changes, or `unknown` outside a clone."""
    asked = subprocess.run(
        ["git", "-C", str(ROOT), "describe", "--always", "--abbrev=12", "--dirty=+", "--exclude=*"],
        capture_output=True,
        text=True,
    )
    return asked.stdout.strip() or "unknown"


def machine() -> dict[str, str | int | None]:
    """Return what the numbers depend on beside the code."""
    return {"python": platform.python_version(), "processor": platform.machine(), "cores": os.cpu_count()}


def record(found: Measurement, seed: int) -> dict[str, Any]:
    """Return the result as it is kept."""
    rates = {"ratio": found.ratio, "ours_rate": found.ours_rate, "peer_rate": found.peer_rate}
    return {**rates, "seed": seed, "commit": commit(), "machine": machine(), **asdict(found)}


def main() -> None:
    """Run the benchmarks whose name holds one of the words given, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="run only benchmarks whose file name holds one of these")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="small inputs and few rounds: shows that it runs")
    parser.add_argument("--out", type=Path, default=ROOT / "artifacts" / "benchmarks")
    options = parser.parse_args()
    names = [path.stem for path in sorted(FOLDER.glob("bench_*.py"))]
    chosen = [name for name in names if not options.words or any(word in name for word in options.words)]
    if not chosen:
        sys.exit(f"no benchmark among {', '.join(names)} has {' or '.join(options.words)} in its name")
    options.out.mkdir(parents=True, exist_ok=True)
    for name in chosen:
        for found in importlib.import_module(f"benchmarks.{name}").measure(
            Generator(name, options.seed), options.quick
        ):
            kept = msgspec.json.format(msgspec.json.encode(record(found, options.seed)), indent=1)
            (options.out / f"{found.name}.json").write_bytes(kept + b"\n")
            print(
                f"{found.name}: {found.work}: {found.ours_rate:,.0f} {found.piece}/s, "
                f"{found.ratio:.2f} times {found.peer} ({found.peer_rate:,.0f}/s)",
                flush=True,
            )


if __name__ == "__main__":
    main()

"""Writes `constraints.txt`: the exact version of everything that `make install` installs, without addresses.

Run by `make pins`. Each Python that is found among the supported ones resolves the project's `dev` extra on its own;
what differs between them gets an environment marker. Versions that stand in the file are kept as long as they still
fit; `--upgrade` takes the newest ones instead.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / "constraints.txt"
SUPPORTED = ("3.11", "3.12", "3.13")
#: What builds the project itself and the dependencies that come as source.
BUILDERS = ("hatchling", "editables", "setuptools", "wheel")
HEADER = """\
# Exact versions for `make install`, resolved on Python {versions}.
# Written by `make pins`; edit pyproject.toml instead.
"""


def pythons() -> dict[str, str]:
    """Return the interpreters by version: those named in $PYTHONS, else those on the path, else this one."""
    named = os.environ.get("PYTHONS", "").split() or [f"python{version}" for version in SUPPORTED] + [sys.executable]
    found: dict[str, str] = {}
    for name in named:
        path = shutil.which(name)
        if path is None:
            continue
        asked = subprocess.run(
            [path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True
        )
        version = asked.stdout.strip()
        if asked.returncode == 0 and version in SUPPORTED:
            found.setdefault(version, path)
    return dict(sorted(found.items()))


def resolve(python: str, constraints: Path | None) -> dict[str, str]:
    """Return the version of each package that pip would install for the `dev` extra on this interpreter."""
    command = [python, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-"]
    if constraints is not None:
        command += ["-c", str(constraints)]
    # An inherited setting would bend the resolution.
    settings = {name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"}
    report = subprocess.run(
        [*command, f"{ROOT}[dev]", *BUILDERS], check=True, stdout=subprocess.PIPE, text=True, env=settings
    ).stdout
    versions = {}
    for found in json.loads(report)["install"]:
        name = re.sub(r"[-_.]+", "-", found["metadata"]["name"]).lower()
        if name != "distributary":
            versions[name] = found["metadata"]["version"]
    return versions


def lines(resolved: dict[str, dict[str, str]]) -> list[str]:
    """Return the file's lines: one per package where all interpreters agree, else one per version with a marker."""
    written = []
    for name in sorted({name for versions in resolved.values() for name in versions}):
        wanted: dict[str, list[str]] = {}
        for python, versions in resolved.items():
            if name in versions:
                wanted.setdefault(versions[name], []).append(python)
        for version, on in wanted.items():
            marker = " or ".join(f'python_version == "{python}"' for python in on)
            written.append(f"{name}=={version}" + (f" ; {marker}" if len(on) < len(resolved) else ""))
    return written


def main() -> None:
    """Resolve on every interpreter, then write the file at once."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions that pyproject.toml allows")
    options = parser.parse_args()
    found = pythons()
    if not found:
        sys.exit(f"no Python among {', '.join(SUPPORTED)} was found; name some in PYTHONS")
    keep = PINS if PINS.exists() and not options.upgrade else None
    resolved = {version: resolve(python, keep) for version, python in found.items()}
    text = HEADER.format(versions=", ".join(found)) + "\n".join(lines(resolved)) + "\n"
    draft = PINS.with_suffix(".new")
    draft.write_text(text)
    draft.replace(PINS)
    sys.stderr.write(f"{PINS.name}: {len(lines(resolved))} packages for Python {', '.join(found)}\n")


if __name__ == "__main__":
    main()

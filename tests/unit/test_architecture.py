"""The shape of the source tree; which package may import which is import-linter's to say."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "distributary"
MODULES = sorted(SOURCE.rglob("*.py"))
PACKAGES = {
    *("cli", "testing"),
    *("experiments", "web"),
    *("pipeline", "runtime", "simulation"),
    *("client", "conversion", "files"),
    "broker",
    *("merging", "delivery", "matching", "adaptation", "overlay"),
    "algebra",
    "core",
}
MODULE_LINES_MAX = 500
FUNCTION_LINES_MAX = 60
UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX)\b|NotImplementedError")


def named(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def test_packages_are_those_of_the_design() -> None:
    assert {path.parent.name for path in SOURCE.glob("*/__init__.py")} == PACKAGES


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_module_has_a_docstring_and_a_readable_length(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree), f"{named(path)} says nothing about itself"
    assert text.count("\n") <= MODULE_LINES_MAX, f"{named(path)} holds two ideas"
    assert not UNFINISHED.search(text), f"{named(path)} has something unfinished"


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_functions_fit_a_screen(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    long = [
        f"{named(path)}:{node.lineno} {node.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno >= FUNCTION_LINES_MAX
    ]
    assert not long

"""Every file that a document names is there, and every heading that a link points to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")])
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:src|tests|docs|examples|benchmarks|scripts|\.ci)/[\w./-]*\w)`")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def headings(document: Path) -> set[str]:
    """Return the anchors of a document as GitHub makes them."""
    found = re.findall(r"^#+ (.*)$", FENCE.sub("", document.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def broken(document: Path) -> list[str]:
    """Return the links and paths of a document that lead nowhere; addresses outside are not asked."""
    text = FENCE.sub("", document.read_text(encoding="utf-8"))
    missing = [path for path in PATH.findall(text) if not (ROOT / path).exists()]
    for link in LINK.findall(text):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        if not target.exists() or (anchor and anchor not in headings(target)):
            missing.append(link)
    return missing


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_of_a_document_lead_somewhere(document: Path) -> None:
    assert broken(document) == []


def test_links_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# A heading, here\n")
    document = tmp_path / "document.md"
    document.write_text(
        "[a](other.md) [b](other.md#a-heading-here) [c](other.md#nothing) [d](gone.md) [e](https://example.org/x) "
        "`tests/gone.py` `tests/docs`\n\n```\n[f](gone.md)\n```\n"
    )
    assert broken(document) == ["tests/gone.py", "other.md#nothing", "gone.md"]


def test_records_of_decisions_are_numbered_and_have_their_parts() -> None:
    records = sorted(ROOT.glob("docs/adr/[0-9]*.md"))
    numbers = [int(record.name[:4]) for record in records]
    assert len(set(numbers)) == len(numbers)
    for record, number in zip(records, numbers, strict=True):
        text = record.read_text(encoding="utf-8")
        assert text.startswith(f"# {number}. "), record.name
        assert all(f"**{part}.**" in text for part in ("Context", "Decision", "Consequences")), record.name

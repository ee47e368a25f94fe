"""Where the last element of a name ends in a document's bytes, and a document cut there.

No parsing: the last tag of a name is looked for from the end. What only looks like a tag stands in a comment, a CDATA
section or an instruction, and a document that is cut inside one of those is not well-formed with any end tags behind
it: then it is read whole. Only names without a namespace are looked for, and nothing in documents with a DOCTYPE, whose
entities may hold elements.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["cut", "last_end"]

#: What may follow the name in a tag.
_TAG_ENDS = frozenset({b" ", b"\t", b"\r", b"\n", b"/", b">"})


def last_end(body: bytes, name: str) -> int | None:
    """Return the byte after the last element of a name; None where it is not plainly there.

    >>> last_end(b"<a><b/><b>x</b ><bc/></a>", "b")
    16
    """
    if "{" in name or b"<!DOCTYPE" in body:
        return None
    spelled = name.encode()
    closing, opening = _last_tag(body, b"</" + spelled), _last_tag(body, b"<" + spelled)
    last = max(closing, opening)
    if last < 0:
        return None
    end = body.find(b">", last)
    # A start tag behind the last end tag is of an empty element, or only looks like a tag.
    if end < 0 or (last == opening and body[end - 1 : end] != b"/"):
        return None
    return end + 1


def _last_tag(body: bytes, start: bytes) -> int:
    """Return where the last tag begins whose name is all of what `start` has; -1 for none."""
    place = body.rfind(start)
    while place >= 0 and body[place + len(start) : place + len(start) + 1] not in _TAG_ENDS:
        place = body.rfind(start, 0, place)
    return place


def cut(body: bytes, position: int, path: Sequence[str]) -> bytes:
    """Return the document up to a position, with end tags for the elements that are open there.

    >>> cut(b"<a><b><c/><d/></b></a>", 10, ["a", "b"])
    b'<a><b><c/></b></a>'
    """
    return body[:position] + "".join(f"</{name}>" for name in reversed(path)).encode()

"""Hypothesis strategies for XML documents and for XPath texts inside the language of tree patterns.

Documents and patterns draw from the same few names and values, so that they meet often. Numbers are plain decimals of
few digits: on others libxml2, the usual oracle, departs from XPath 1.0 (`1e3` is a number to it).
"""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from hypothesis import strategies as st

__all__ = ["NAMESPACES", "documents", "namespaces", "patterns"]

#: The prefixes that drawn documents and patterns use.
NAMESPACES = {"p": "urn:distributary:p", "q": "urn:distributary:q"}

_NAMES = ["a", "b", "c", "p:a", "p:b", "q:a"]
_VALUES = ["red", "green", "", "5", " 5 ", "05", "-5", "7.5", ".5", "20", "+5", "5 5", "it's <&>"]
_LITERALS = ["5", "7.5", "-5", "0", "20", ".5", "'red'", "'green'", "'5'", "''", "' 5 '", '"it\'s <&>"', "-.5"]
_OPERATORS = ["=", "!=", "<", "<=", ">", ">="]


def namespaces() -> st.SearchStrategy[dict[str, str]]:
    """Return declarations of the same namespaces under other prefixes than `NAMESPACES` has."""
    prefixes = st.lists(st.sampled_from(["x", "y", "n0", "n1", "text", "and"]), min_size=2, max_size=2, unique=True)
    return prefixes.map(lambda names: dict(zip(names, NAMESPACES.values(), strict=True)))


def documents(
    *, encodings: tuple[str, ...] = ("utf-8", "utf-16", "iso-8859-1", "us-ascii")
) -> st.SearchStrategy[bytes]:
    """Return well-formed documents with text, attributes, comments, CDATA sections, instructions and namespaces."""
    declarations = "".join(f" xmlns:{prefix}={quoteattr(uri)}" for prefix, uri in NAMESPACES.items())

    def encoded(body: str, encoding: str) -> bytes:
        root, rest = body[1:].split(" ", 1)  # every start tag has a space after its name
        return f"<?xml version='1.0' encoding='{encoding}'?><{root}{declarations} {rest}".encode(encoding)

    return st.builds(encoded, _elements(), st.sampled_from(encodings))


def _elements() -> st.SearchStrategy[str]:
    leaves = st.builds(_element, _names(), _attributes(), st.lists(_texts(), max_size=2))
    return st.recursive(
        leaves,
        lambda below: st.builds(_element, _names(), _attributes(), st.lists(_texts() | below, max_size=4)),
        max_leaves=12,
    )


def _names() -> st.SearchStrategy[str]:
    return st.sampled_from(_NAMES)


def _attributes() -> st.SearchStrategy[dict[str, str]]:
    return st.dictionaries(_names(), st.sampled_from(_VALUES), max_size=2)


def _texts() -> st.SearchStrategy[str]:
    values = st.sampled_from(_VALUES)
    return st.one_of(
        values.map(escape),
        values.map(lambda value: f"<![CDATA[{value}]]>"),
        st.sampled_from(["<!-- 5 -->", "<?red 5?>", "&#53;"]),
    )


def _element(name: str, attributes: dict[str, str], content: list[str]) -> str:
    written = "".join(f"{key}={quoteattr(value)} " for key, value in attributes.items())
    return f"<{name} {written}>{''.join(content)}</{name}>"


def patterns(*, values: bool = True, branches: bool = True) -> st.SearchStrategy[str]:
    """Return texts of the language, absolute and relative, whole paths and top-level conditions; see `NAMESPACES`.

    Without `values` no comparison is drawn, without `branches` no branch and no `and`.
    """
    inner: st.SearchStrategy[str] = _paths(st.just(""), relative=True)
    if values:
        inner |= _comparisons(inner)
    if branches:
        inner = st.recursive(inner, lambda deeper: _conditions(deeper, values=values), max_leaves=4)
    steps = _branches(inner) if branches else st.just("")
    whole = _paths(steps, relative=False) | _paths(steps, relative=True)
    if values:
        whole |= _comparisons(whole)
    if branches:
        whole |= st.builds("{} and {}".format, whole, whole)
    return whole


def _conditions(deeper: st.SearchStrategy[str], *, values: bool) -> st.SearchStrategy[str]:
    paths = _paths(_branches(deeper), relative=True) | _paths(_branches(deeper), relative=False)
    drawn = paths | _comparisons(paths) if values else paths
    return drawn | st.builds("{} and {}".format, drawn, drawn) | drawn.map("({})".format)


def _branches(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(inner.map("[{}]".format), max_size=2).map("".join)


def _comparisons(paths: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    left, operator = paths | st.just("."), st.sampled_from(_OPERATORS)
    literal = st.sampled_from(_LITERALS)
    return st.builds("{} {} {}".format, left, operator, literal) | st.builds("{}{}{}".format, literal, operator, left)


def _paths(branches: st.SearchStrategy[str], *, relative: bool) -> st.SearchStrategy[str]:
    separators = st.sampled_from(["/", "/", "//"])
    start = st.sampled_from(["", "", ".//", "./"]) if relative else separators
    step = st.builds("{}{}".format, _names() | st.sampled_from(["*", "p:*", "child::a", "descendant::b"]), branches)
    leaf = st.builds(
        "{}{}".format,
        st.sampled_from(["@a", "@p:a", "@*", "@b", "text()", "attribute::c"]),
        branches,
    )
    middle = st.lists(st.tuples(step, separators).map("".join), max_size=3).map("".join)
    return st.builds("{}{}{}".format, start, middle, step | leaf)

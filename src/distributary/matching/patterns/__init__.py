"""All tree patterns at once on a document: a trie of steps and shared filters, walked with sets of elements."""

from distributary.algebra.treepattern import parse_xpath
from distributary.matching.patterns.explanation import Binding, Explanation
from distributary.matching.patterns.matcher import PatternMatcher
from distributary.matching.patterns.rebuilding import Rebuild

__all__ = ["Binding", "Explanation", "PatternMatcher", "Rebuild", "warm"]


def warm() -> None:
    """Load, or the first time compile, all compiled code: a matcher does what it can do on two small documents."""
    matcher: PatternMatcher[str] = PatternMatcher()
    matcher.add_all([("some", parse_xpath("/a[@b > 5]//c[d]"))])
    matcher.add("more", parse_xpath("//e"))
    matcher.match_bodies([b"<a b='7'><c><d/></c></a>", b"<a>" + b"<e/>" * 300 + b"</a>"])
    matcher.match_among(b"<e/>", ["more"])
    matcher.remove("more")

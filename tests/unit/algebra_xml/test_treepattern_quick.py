"""The quick reader says what elementpath's says or nothing, and the normal form is what its plain definition says."""

from __future__ import annotations

import pytest
from elementpath.xpath1 import XPath1Parser
from hypothesis import HealthCheck, given, settings

from distributary.algebra.treepattern_nodes import (
    Axis,
    Branch,
    Kind,
    PatternNode,
    branches_of,
    common_name,
    flatten,
)
from distributary.algebra.treepattern_parser import read_slowly
from distributary.algebra.treepattern_quick import read_quickly
from distributary.algebra.treepattern_values import Comparison
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.testing.documents import NAMESPACES, patterns

_FEW = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])

#: What texts are mutated with: everything that means something in XPath, and what nearly does.
_WRITTEN = (
    "/ // [ ] @ * . .. ( ) = != < <= > >= ! - + | $ , : :: ' \" and or div mod text() text node() comment() "
    "child:: self:: a b p:a p:* q: xml:lang p 5 .5 5. -5 05 5e3 '' '5' \"x\" é \uff15 ² \xb7 _ a.b a-b 1a (: :)"
)
_PIECES = [*_WRITTEN.split(), " ", "\t", "\xa0"]


def _agrees(text: str) -> bool:
    """Tell whether the quick reader reads the text; what it reads must be what elementpath's reader reads."""
    quick = read_quickly(text, NAMESPACES)
    if quick is None:
        return False
    try:
        slow = read_slowly(text, NAMESPACES)
    except InputError as error:
        raise AssertionError(f"{text!r} was read, but is refused: {error}") from None
    assert quick == slow, text
    return True


@pytest.mark.parametrize(
    "text",
    [
        "/nitf/body//block[@id='5']/p[em]/*[@x>5]//y",
        "/p:a/q:*[@p:b]//text()",
        "/xml:a[@xml:lang = 'en']",
        "a",
        ".",
        ". = 'x' and /a and //b",
        ".//a[./b][.//c]/@d",
        '//a[. != -5.50 and . <= 7][text() = "it\'s"]',
        "//a[/r/b = .5]/b[c[d[@e]]] >= 05",
        "//@* = ''",
        "//and/or[div and mod]",
        "and",
        "a[b] and and",
        "//straße-1.a[b = 'größer']",
    ],
)
def test_common_forms_are_read_quickly_and_alike(text: str) -> None:
    assert _agrees(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "/",
        "//",
        "a/",
        "a b",
        "a[",
        "a]",
        "a[]",
        "[a]",
        "a and",
        ".[b]",
        "..",
        "./.",
        "a/.",
        "a*b",
        "a[5]",
        "5 = a",
        "a = b",
        "a = 5 = 6",
        "a = 5[b]",
        "a = 5/b",
        "a = 5e3",
        "a = 5and b",
        "a = 1.2.3",
        "a = '",
        "a[b and]",
        "nowhere:a",
        "p:",
        "p:a:b",
        "child::a",
        "a(b)",
        "(a)",
        "@text()",
        "/a" * 501,
        "a" + "[b" * 17 + "]" * 17,
        "a\t= 5",
        "mod\xb7",
    ],
)
def test_what_is_not_plain_is_left_to_elementpath(text: str) -> None:
    assert read_quickly(text, NAMESPACES) is None


@pytest.mark.slow
@_FEW
@given(patterns())
def test_drawn_patterns_are_read_alike(text: str) -> None:
    _agrees(text)


@pytest.mark.slow
def test_words_of_the_grammar_are_names_where_a_step_stands() -> None:
    words = [word for word in XPath1Parser.symbol_table if word[0].isalpha()]
    assert {"and", "text", "id", "child"} <= set(words)
    forms = ["//{0}", "{0}", "@{0}", "/a/{0}/b", "a[{0}]", "a[{0} = 5]", "a[{0} and {0}]", "{0} = '{0}'", "p:{0}/{0}"]
    forms += ["{0}-a", "{0}.a[{0}_b]", "{0}é", "a-{0}/a.{0}"]
    assert all(_agrees(form.format(word)) for word in words for form in forms)


@pytest.mark.slow
def test_mutated_patterns_are_read_alike_or_declined() -> None:
    chance = Generator("mutated patterns", 1)
    seeds = ["/a/b[@c='5']//p:d[e and f > 7]/text()", ".//a[. = 'x' and b != -5]/@p:c", "//*[@*]/p:*[text()] <= .5"]
    read = 0
    for _ in range(20_000):
        text = chance.choice(seeds)
        for _ in range(1 + chance.below(3)):
            place, kind = chance.below(len(text) + 1), chance.below(3)
            piece = "" if kind == 0 else chance.choice(_PIECES)
            text = text[:place] + piece + text[place + (0 if kind == 1 else 1 + chance.below(4)) :]
        read += _agrees(text)
    assert read > 1000, "hardly any mutation was read: the comparison says nothing"


@pytest.mark.slow
def test_random_pieces_are_read_alike_or_declined() -> None:
    chance = Generator("random pieces", 1)
    read = sum(_agrees("".join(chance.choice(_PIECES) for _ in range(1 + chance.below(7)))) for _ in range(40_000))
    assert read > 1000, "hardly any text was read: the comparison says nothing"


@pytest.mark.slow
@_FEW
@given(patterns())
def test_normal_form_is_that_of_its_definition(text: str) -> None:
    twice = f"{text} and {text}"
    assert flatten(read_slowly(twice, NAMESPACES)) == _plain_flatten(read_slowly(twice, NAMESPACES))


def test_normal_form_of_equal_looking_siblings_is_that_of_its_definition() -> None:
    chance = Generator("siblings", 1)
    for _ in range(150):
        root = Branch(Axis.CHILD, Kind.DOCUMENT)
        made = [root]
        for _ in range(chance.below(14)):
            kind = chance.choice([Kind.ELEMENT, Kind.ELEMENT, Kind.ELEMENT, Kind.ATTRIBUTE])
            made.append(
                chance.choice(made).add(Branch(chance.choice(list(Axis)), kind, chance.choice(["a", "b", "*"])))
            )
        nodes = flatten(_copy(root))
        assert nodes == _plain_flatten(_copy(root))
        assert flatten(branches_of(nodes)) == nodes


def _copy(branch: Branch) -> Branch:
    children = [_copy(child) for child in branch.children]
    return Branch(branch.axis, branch.kind, branch.name, set(branch.comparisons), children)


def _plain_flatten(root: Branch) -> tuple[PatternNode, ...]:
    """Return the normal form as it is defined: join, order by the whole key, drop what is there twice."""
    nodes: list[PatternNode] = []

    def key(branch: Branch) -> tuple[int, int, bool, str]:
        kept: list[Branch] = []
        for child in branch.children:
            for other in kept:
                name = common_name(other.name, child.name)
                if other.kind is child.kind and name is not None and one(branch, other) and one(branch, child):
                    other.name, other.comparisons = name, other.comparisons | child.comparisons
                    other.children += child.children
                    break
            else:
                kept.append(child)
        keys = {key(child): child for child in kept if not nothing(branch, child)}
        branch.children = [keys[each] for each in sorted(keys)]
        written = sorted(comparison.key() for comparison in branch.comparisons)
        text = f"{branch.kind.value}{branch.axis.value}{branch.name!r}{written!r}"
        inner = ";".join(each[3] for each in sorted(keys))
        size = 1 + sum(each[0] for each in keys)
        return (size, list(Kind).index(branch.kind), not branch.comparisons, f"{text}({inner})")

    def one(parent: Branch, child: Branch) -> bool:
        single = parent.kind is Kind.DOCUMENT if child.kind is Kind.ELEMENT else not child.name.endswith("*")
        return child.axis is Axis.CHILD and child.kind is not Kind.TEXT and single

    def nothing(parent: Branch, child: Branch) -> bool:
        empty = not child.children and not child.comparisons and child.kind is Kind.ELEMENT and child.name == "*"
        return empty and parent.kind is Kind.DOCUMENT

    def lay(branch: Branch, parent: int) -> None:
        nodes.append(
            PatternNode(
                parent,
                branch.axis,
                branch.kind,
                branch.name,
                tuple(sorted(branch.comparisons, key=Comparison.key)),
            )
        )
        own = len(nodes) - 1
        for child in branch.children:
            lay(child, own)

    key(root)
    lay(root, -1)
    return tuple(nodes)

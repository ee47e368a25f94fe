"""Reading a document type definition (XML 1.0, 3.2 and 3.3) into a grammar: elements and attribute lists.

Read is what generators need. It is no validator: notations, general entities and types that would need them are passed
over, names with a prefix are refused where they must be drawn, and no file is opened here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files

from distributary.algebra.treepattern_grammar import NAME
from distributary.core.errors import InputError
from distributary.experiments.dtd_text import Declaration, declarations_of
from distributary.experiments.grammar import Attribute, Element, Grammar, Group, Occurs, Part, Use, grammar_of
from distributary.experiments.values import Values, kind_of_attribute, kind_of_text

__all__ = ["bulletin_grammar", "read_dtd"]

#: Groups inside one another.
_NESTING_MAX = 16
#: What stands for character data among the names of a content model.
_TEXT = "#PCDATA"

_QNAME = rf"{NAME}(?::{NAME})?"
_TOKEN = re.compile(rf"\s*(#PCDATA|{_QNAME}|[(),|?*+]|.)", re.DOTALL)
_NMTOKENS = r"\([^()]*\)"
_ATTRIBUTE = re.compile(
    rf"\s+(?P<name>{_QNAME})\s+(?:(?P<type>CDATA|IDREFS?|ID|ENTITY|ENTITIES|NMTOKENS?)|(?P<notation>NOTATION\s*)?"
    rf"(?P<among>{_NMTOKENS}))\s*(?P<use>\#REQUIRED|\#IMPLIED|(?P<fixed>\#FIXED\s+)?(?P<value>\"[^\"]*\"|'[^']*'))"
)


def bulletin_grammar() -> Grammar:
    """Return the grammar of our own: bulletins about a disaster and what is done about it."""
    return read_dtd(files(__package__).joinpath("bulletin.dtd").read_text("utf-8"))


def read_dtd(text: str, root: str | None = None) -> Grammar:
    """Return the grammar that a definition declares.

    The root is the one asked for, else that of a DOCTYPE, else the first element that no other contains, else the
    first. `InputError`, with the line where it has one, for what cannot be read or drawn.
    """
    contents: dict[str, tuple[Part | None, bool]] = {}
    attributes: dict[str, dict[str, Attribute]] = {}
    for declaration in declarations_of(text):
        name, rest = _named(declaration)
        if declaration.keyword == "DOCTYPE":
            root = root or name
        elif declaration.keyword == "ATTLIST":
            own = attributes.setdefault(name, {})
            for attribute in _attributes(name, rest, declaration.line):
                own.setdefault(attribute.name, attribute)  # the first declaration binds (XML 1.0, 3.3)
        elif ":" in name:
            raise InputError(f"the element {name} has a prefix: such names are not drawn", record=declaration.line)
        elif name in contents:
            raise InputError(f"the element {name} is declared twice", record=declaration.line)
        else:
            contents[name] = _content(rest, declaration.line)
    if not contents:
        raise InputError("declares no element")
    anything = Part(Group.CHOICE, Occurs.ANY, parts=tuple(Part(Group.NAME, name=name) for name in contents))
    elements = {
        name: Element(
            name,
            anything if part is _ANYTHING else part,
            kind_of_text(name, alone=part is None) if has_text else None,
            tuple(attributes.get(name, {}).values()),
        )
        for name, (part, has_text) in contents.items()
    }
    return grammar_of(root or _outermost(elements, anything), elements)


#: The content model ANY, until all elements are known.
_ANYTHING = Part(Group.SEQUENCE)


def _outermost(elements: dict[str, Element], anything: Part) -> str:
    inner = {
        child
        for name, element in elements.items()
        if element.content is not None and element.content is not anything
        for child in element.content.names()
        if child != name
    }
    return next((name for name in elements if name not in inner), next(iter(elements)))


def _named(declaration: Declaration) -> tuple[str, str]:
    """Return the name of what is declared, and the rest of the declaration."""
    found = re.match(rf"\s*({_QNAME})(?![\w.\-:])", declaration.body)
    if found is None:
        raise InputError(f"<!{declaration.keyword} without a name", record=declaration.line)
    return found[1], declaration.body[found.end() :]


def _content(text: str, line: int) -> tuple[Part | None, bool]:
    """Return what children a content model allows, and whether text."""
    model = text.strip()
    if model == "EMPTY":
        return None, False
    if model == "ANY":
        return _ANYTHING, True
    part = _model(model, line)
    names = list(part.names())
    if _TEXT not in names:
        return part, False
    # Mixed content: the names may come in any order (XML 1.0, 3.2.2), groups or not.
    children = tuple(Part(Group.NAME, name=name) for name in dict.fromkeys(names) if name != _TEXT)
    return (Part(Group.CHOICE, Occurs.ANY, parts=children) if children else None), True


def _model(model: str, line: int) -> Part:
    """Return the part that a content model is."""
    wrong = InputError(f"the content model {model[:60]!r} cannot be read", record=line)
    #: The groups that are open: their parts so far, and the separator once it is known.
    groups: list[tuple[list[Part], list[str]]] = [([], [])]
    wants_part = True
    marks = _TOKEN.findall(model)
    for index, mark in enumerate(marks):
        parts, separators = groups[-1]
        if mark in "?*+":
            # It belongs to what is right before, and stands there once.
            if wants_part or not parts or marks[index - 1] in "?*+" or marks[index - 1] == _TEXT:
                raise wrong
            parts[-1] = Part(parts[-1].group, Occurs(mark), parts[-1].name, parts[-1].parts)
        elif mark in ",|":
            if wants_part or len(groups) == 1 or (separators and separators[0] != mark):
                raise wrong
            separators.append(mark)
            wants_part = True
        elif mark == ")":
            if wants_part or len(groups) == 1:
                raise wrong
            groups.pop()
            groups[-1][0].append(_group(parts, separators))
        elif not wants_part or (mark == "(" and len(groups) > _NESTING_MAX):
            raise wrong
        elif mark == "(":
            groups.append(([], []))
        elif len(groups) > 1 and (mark == _TEXT or re.fullmatch(_QNAME, mark)):
            parts.append(Part(Group.NAME, name=mark))
            wants_part = False
        else:
            raise wrong
    if len(groups) != 1 or len(groups[0][0]) != 1:
        raise wrong
    return groups[0][0][0]


def _group(parts: list[Part], separators: list[str]) -> Part:
    return Part(Group.CHOICE if "|" in separators else Group.SEQUENCE, parts=tuple(parts))


def _attributes(element: str, text: str, line: int) -> Iterator[Attribute]:
    """Yield the attributes of a list; those that cannot be drawn and need not be there are passed over."""
    place = 0
    while text[place:].strip():
        found = _ATTRIBUTE.match(text, place)
        if found is None:
            raise InputError(
                f"the attributes of {element} cannot be read at {text[place:].strip()[:40]!r}", record=line
            )
        place = found.end()
        attribute = _attribute(element, found)
        # A prefix would have to be declared, but for `xml`; an entity or a notation too.
        foreign = ":" in attribute.name and not attribute.name.startswith("xml:")
        if attribute.values is not Values.NONE and not foreign and attribute.name != "xmlns":
            yield attribute
        elif attribute.use is Use.REQUIRED:
            raise InputError(
                f"the attribute {attribute.name} of {element} must be there and cannot be drawn", record=line
            )


def _attribute(element: str, found: re.Match[str]) -> Attribute:
    name, kind = found["name"], found["type"]
    use = Use.REQUIRED if found["use"] == "#REQUIRED" else Use.FIXED if found["fixed"] else Use.OPTIONAL
    among: tuple[str, ...] = ()
    if use is Use.FIXED:
        values, among = Values.AMONG, (found["value"][1:-1],)
    elif found["among"]:
        values, among = Values.AMONG, tuple(each.strip() for each in found["among"][1:-1].split("|"))
    elif kind in {"ID", "IDREF", "IDREFS"}:
        values = Values.OWN_NAME if kind == "ID" else Values.OTHER_NAME
    else:
        values = kind_of_attribute(element, name)
    if found["notation"] or kind in {"ENTITY", "ENTITIES"} or any(mark in each for each in among for mark in "&<"):
        values = Values.NONE
    return Attribute(name, use, values, among)

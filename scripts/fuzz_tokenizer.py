"""Mutated documents: whatever the tokenizer takes, expat takes too, and the arrays are those of `parse_xml`.

    python scripts/fuzz_tokenizer.py --count 1000000 --seed 1

Documents are drawn from small ones that use everything XML has, from the files given with `--seeds`, and from both
spliced; then bytes are flipped, put in, taken out or repeated, or the end is cut off. Prints each difference and how
many documents were taken, and ends with status 1 if there was a difference. A million takes about a minute.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from pyexpat import ExpatError, ParserCreate

from distributary.algebra.xml import XmlLimits, parse_xml
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.matching.documents import DocumentReader, Vocabulary
from distributary.matching.documents.compiled.tokenizer import tokenize_body

__all__ = ["SEEDS", "Comparison", "found_in", "fuzz", "mutated"]

#: Each uses something of its own, the last ones something that is not allowed.
SEEDS = (
    b"<a x='1' y=\"2\">some <b>text</b> and <c/>more</a>",
    b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a><b c='d'>e</b>\n<b c='f'/></a>\n",
    b"\xef\xbb\xbf<?xml version='1.0' standalone='yes'?><a>\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80<b t='\xc3\xa9'/></a>",
    b'<?xml version="1.0" encoding="ISO-8859-1" standalone="no" ?><a b="\xe9\x80">\xe4\xf6\xff\xfc</a>',
    b'<?xml version = "1.0" encoding = "us-ascii"?><a>x</a>',
    '<?xml version="1.0" encoding="utf-16"?><a b="\u20ac">\U0001f600<c/>x</a>'.encode("utf-16"),
    "<a>\u20ac</a>".encode("utf-16-be"),
    '<?xml version="1.0" encoding="windows-1252"?><a>\u20ac</a>'.encode("cp1252"),
    b'<!DOCTYPE nitf SYSTEM "nitf-2-5.dtd"><nitf><head/>x &amp; y</nitf>',
    b'<!DOCTYPE nitf PUBLIC "-//IPTC//DTD NITF 2.5//EN" \'nitf-2-5.dtd\' ><nitf>&lt;<a b="&quot;&amp;"/></nitf>',
    b"<!DOCTYPE a [<!ENTITY e 'x<b/>y'><!ATTLIST a c CDATA 'd'>]><a>&e;<c/>&e;</a>",
    b"<!DOCTYPE a><!-- a - b --><?go on?><a><!-- in --><?in?>1<!---->2<?out ?? ?>3</a><!--z--><?z?>\n",
    b"<a>&lt;&gt;&amp;&apos;&quot;&#65;&#x42;&#x10FFFF;&#9;&#xd;</a>",
    b"<a b='&lt;&#10;&#xD;x\ty\nz\r\nw\r&apos;&quot;&#233;'>one\r\ntwo\rthree\n</a>",
    b"<a><![CDATA[<b>&amp;]]]]><![CDATA[>\r\n]]>tail]] ]&gt;</a>",
    b"<p:a xmlns:p='urn:p' xmlns='urn:d' p:x='1' x='2'><b xmlns=''><p:c/></b><q:d xmlns:q='urn:p' q:x='3'/></p:a>",
    b"<a xmlns:p='u' xmlns:q='u' xml:lang='en'><p:b p:c='1' q:d='2'><c xmlns:p='v' p:c='1' q:c='2'/></p:b></a>",
    b"<a xmlns='urn:&amp;&#65;' b = 'c'\n d='e'\t><long-name.with_all-0123456789-parts-of.names f='"
    + b"g" * 70
    + b"'/></a>",
    b"<a>" + b"<b>" * 12 + b"deep" + b"</b>" * 12 + b"</a >",
    b"<a>" + b"text that is longer than one block, " * 5 + b"<b c='" + b"values too, " * 6 + b"'/></a>",
    b"<a b0='' b1='' b2='' b3='' b4='' b5='' b6='' b7='' b8='' b9='' b10='' b11='' b12='' />",
    b"<a xmlns:x='http://www.w3.org/1999/XSL/Transform' xmlns:xml='http://www.w3.org/XML/1998/namespace'><x:b/></a>",
    b"<a><b xmlns='urn:d' xmlns:p='u'><p:b><b/></p:b></b><b/><b xmlns='v'/><b/><p:b xmlns:p='v' p:x=''/></a>",
    b"<a xmlns:p='a}b'/>",
    b"<a xmlns='http://www.w3.org/2000/xmlns/'/>",
    b"<a><b xmlns:p='u'/><p:b/></a>",
    b"<a xmlns:p='u' xmlns:q='&#117;' p:x='1' q:x='2'/>",
)
#: What XML is made of: put in whole, they go deeper than single bytes do.
_PIECES = (
    *(bytes([each]) for each in b"<>/=\"'&;:!?-[]#x \t\r\n\0\x0b\x7f\x80\xc3\xa9\xef\xbf\xbe\xff\xed\xa0\xf4\x90}"),
    *(
        b"<!--|-->|--|<![CDATA[|]]>|<?a |<?xml |?>|<a>|</a>|<b/>|<p:b/>|a:b:c|xml|1.1|<!DOCTYPE a>"
        b"|<!DOCTYPE a SYSTEM 'x'>|&amp;|&#0;|&#x1F;|&#xD800;|&#65;|&#xFFFE;|&#x110000;|&e;|\r\n"
        b"|<?xml version='1.0'?>| encoding='UTF-8'"
        b"| xmlns='u'| xmlns:p='u'| xmlns:p=''| xmlns='a}b'| xmlns:xml='u'| xmlns:xmlns='u'| p:x='1'| x='1'| q:x='1'"
        b"| encoding='utf-16'|http://www.w3.org/2000/xmlns/|\xc3\xa9|\xf0\x9f\x98\x80|\xef\xbb\xbf|\xef\xbf\xbe|\xef\xbf\xbf"
        b"|\xed\xa0\x80|\xf4\x90\x80\x80|\xc0\x80|\xe0\x80\x80|\xc2\x85"
    ).split(b"|"),
)
_SEED_BYTES_MAX = 20_000
#: Small, so that they are met.
_LIMITS = XmlLimits(depth=10, elements=40, attributes=16)


def mutated(generator: Generator, seeds: tuple[bytes, ...]) -> bytes:
    """Return one of the documents, or two spliced, with a few changes; some stay whole."""
    body = generator.choice(seeds)
    if generator.below(8) == 0:
        other = generator.choice(seeds)
        body = body[: generator.below(len(body) + 1)] + other[generator.below(len(other)) :]
    for _ in range(generator.below(4)):
        at = generator.below(len(body) + 1)
        match generator.below(7):
            case 0:
                body = body[:at] + bytes([generator.below(256)]) + body[at + 1 :]
            case 1:
                body = body[:at] + body[at + 1 + generator.below(3) :]
            case 2:
                body = body[: max(at, 1)]
            case 3:
                start = generator.below(len(body) + 1)
                body = body[:at] + body[start : start + 1 + generator.below(40)] + body[at:]
            case _:
                body = body[:at] + generator.choice(_PIECES) + body[at:]
    return body


class Comparison:
    """Two readers of one vocabulary: one reads bytes, the other loads what `parse_xml` makes of them."""

    def __init__(self, limits: XmlLimits) -> None:
        vocabulary = Vocabulary()
        # Some names are unknown, and some namespaces are known though no name in them is.
        for name in (
            "a",
            "b",
            "x",
            "nitf",
            "{u}b",
            "{urn:p}x",
            "{urn:d}b",
            "{http://www.w3.org/XML/1998/namespace}lang",
        ):
            vocabulary.add(name)
        vocabulary.namespace("v")
        self._limits = limits
        self._quick = DocumentReader(vocabulary, limits=limits)
        self._plain = DocumentReader(vocabulary, limits=limits)

    def takes(self, body: bytes) -> bool:
        """Tell whether the tokenizer takes the bytes as they are."""
        return tokenize_body(self._quick.prepare(len(body)), body) == 1

    def difference(self, body: bytes) -> str | None:
        """Return what differs between reading the document and parsing it, if anything does."""
        expected: object
        try:
            expected = self._plain.load(parse_xml(body, limits=self._limits)).contents()
        except InputError as error:
            expected = (type(error), str(error))
        found: object
        try:
            found = self._quick.read(body).contents()
        except InputError as error:
            found = (type(error), str(error))
        return None if found == expected else f"read: {found}\nexpected: {expected}"


def well_formed(body: bytes) -> bool:
    """Tell what expat says, without any of our code."""
    try:
        ParserCreate(None, "}").Parse(body, True)
    except (ExpatError, LookupError, ValueError):
        return False
    return True


def fuzz(count: int, seed: int, seeds: tuple[bytes, ...]) -> Iterator[str]:
    """Yield each difference, and at last a line that says how many documents were taken."""
    generator = Generator(seed, "tokenizer")
    comparisons = Comparison(_LIMITS), Comparison(XmlLimits())
    taken = accepted = 0
    for number in range(count):
        body = mutated(generator, seeds)
        comparison = comparisons[number % 2]
        takes, good = comparison.takes(body), well_formed(body)
        taken += takes
        accepted += good
        if takes and not good:
            yield f"taken though malformed: {body!r}"
        # What neither takes is parsed by `parse_xml` anyway, so that one in a few is enough.
        elif takes or good or number % 8 == 0:
            found = comparison.difference(body)
            if found is not None:
                yield f"{body!r}\n{found}"
    yield f"{count} documents: {accepted} well-formed, {taken} taken by the tokenizer"


def found_in(folder: Path) -> tuple[bytes, ...]:
    """Return the documents of a folder and those below it; long ones take the time of many short ones."""
    found = sorted(path for path in folder.rglob("*") if path.suffix in {".xml", ".cap", ".atom", ".svg"})
    return tuple(path.read_bytes() for path in found if path.stat().st_size < _SEED_BYTES_MAX)


def main() -> int:
    """Run as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1_000_000, help="documents (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="(default: %(default)s)")
    parser.add_argument("--seeds", type=Path, help="a folder of XML files to mutate besides the built-in ones")
    options = parser.parse_args()
    seeds = SEEDS if options.seeds is None else SEEDS + found_in(options.seeds)
    *differences, summary = fuzz(options.count, options.seed, seeds)
    for each in differences:
        print(each)
    print(summary)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())

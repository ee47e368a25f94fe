"""Reading a document's bytes gives the arrays and the errors that parsing it gives, whatever the bytes."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from distributary.algebra.treepattern_values import number_of
from distributary.algebra.xml import parse_xml
from distributary.core.errors import InputError
from distributary.matching.documents import DocumentReader, Vocabulary, check_xml
from distributary.matching.documents.compiled.numbers import number_of_bytes
from distributary.matching.documents.layout import PADDING
from distributary.testing.documents import NAMESPACES, documents

_ROOT = Path(__file__).resolve().parents[2]
_DATA = _ROOT.parent / "shared" / "data"
_FEW = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module")
def fuzzing() -> ModuleType:
    """Give the nightly script as a module."""
    spec = importlib.util.spec_from_file_location("fuzz_tokenizer", _ROOT / "scripts" / "fuzz_tokenizer.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@_FEW
@given(st.lists(documents(), min_size=1, max_size=3), st.sets(st.sampled_from(["a", "b", "{urn:distributary:p}a"])))
def test_reading_equals_loading_what_was_parsed(bodies: list[bytes], names: set[str]) -> None:
    vocabulary = Vocabulary()
    for name in sorted(names):
        vocabulary.add(name)
    vocabulary.namespace(NAMESPACES["q"])
    reader, plain = DocumentReader(vocabulary), DocumentReader(vocabulary)
    for body in bodies:
        assert reader.read(body).contents() == plain.load(parse_xml(body)).contents()
        check_xml(body)


@given(st.binary(max_size=60) | st.text("<>/=\"'&;:!?-[]#x1 \r\nab\u00e9", max_size=60).map(str.encode))
def test_check_of_any_bytes_raises_what_parse_xml_raises(body: bytes) -> None:
    errors = []
    for check in (parse_xml, check_xml):
        try:
            check(body)
        except InputError as error:
            errors.append((type(error), str(error)))
    assert len(errors) in {0, 2}
    assert len(set(errors)) <= 1


@settings(max_examples=500)
@given(
    st.text(" \t\n0123456789.-", max_size=30)
    | st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str)
    | st.floats(allow_nan=False, allow_infinity=False).map("{:.12f}".format)
)
def test_number_of_bytes_equals_number_of(text: str) -> None:
    letters = np.frombuffer(text.encode() + b"5" * PADDING, dtype=np.uint8)
    found, decided = number_of_bytes(int(letters.ctypes.data), len(text))
    expected = number_of(text)
    if not decided:
        assert sum(map(str.isdigit, text)) > 15
    elif math.isnan(expected):
        assert math.isnan(found)
    else:
        assert (found, math.copysign(1.0, found)) == (expected, math.copysign(1.0, expected))


@pytest.mark.slow
def test_mutated_documents_differ_in_nothing(fuzzing: ModuleType) -> None:
    *differences, summary = fuzzing.fuzz(12_000, 1, fuzzing.SEEDS)
    assert differences == []
    taken = int(summary.split(", ")[-1].split()[0])
    assert taken > 1_000, summary


@pytest.mark.slow
@pytest.mark.skipif(not _DATA.is_dir(), reason="the collected documents are not here")
def test_collected_documents_and_their_mutations_differ_in_nothing(fuzzing: ModuleType) -> None:
    seeds = fuzzing.found_in(_DATA)
    assert len(seeds) > 10
    *differences, _ = fuzzing.fuzz(300, 2, seeds)
    assert differences == []

from __future__ import annotations

import pytest

from distributary.core.items import is_json, is_xml, media_type


@pytest.mark.parametrize(
    ("content_type", "kind"),
    [
        ("application/json", "application/json"),
        (" Text/XML ; charset=utf-8", "text/xml"),
        ("image/png;;", "image/png"),
        ("", ""),
        (";", ""),
    ],
)
def test_media_type_has_no_parameters_and_lower_case(content_type: str, kind: str) -> None:
    assert media_type(content_type) == kind


@pytest.mark.parametrize("content_type", ["application/json", "application/geo+json", "APPLICATION/JSON; a=b"])
def test_json_types_are_json_and_not_xml(content_type: str) -> None:
    assert is_json(content_type)
    assert not is_xml(content_type)


@pytest.mark.parametrize("content_type", ["application/xml", "text/xml", "application/cap+xml", "Image/SVG+XML;q=1"])
def test_xml_types_are_xml_and_not_json(content_type: str) -> None:
    assert is_xml(content_type)
    assert not is_json(content_type)


@pytest.mark.parametrize(
    "content_type", ["", "text/plain", "text/json5", "application/x-ndjson", "xml", "json", "image/png"]
)
def test_other_types_are_neither(content_type: str) -> None:
    assert not is_json(content_type)
    assert not is_xml(content_type)

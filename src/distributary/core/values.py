"""What an item's parsed content is: a record, a document or bytes that no filter looks into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from distributary.core.documents import Document, UnparsedDocument

__all__ = ["Block", "ColumnType", "Content", "Opaque", "Record", "Schema", "Value"]

#: A field of a record. Timestamps are timezone-aware (UTC where the text named no zone).
Value: TypeAlias = bool | int | float | str | datetime | None


class ColumnType(StrEnum):
    """The types of columns: what type inference tells apart, and all that predicates know."""

    INTEGER = "integer"
    DOUBLE = "double"
    BOOLEAN = "boolean"
    TIMESTAMP = "timestamp"
    STRING = "string"


#: Columns by name, in the order of the file.
Schema: TypeAlias = Mapping[str, ColumnType]

#: A record; names are case-sensitive, and a missing key is null.
Record: TypeAlias = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Block:
    """An item of the delivery and overlay studies: it belongs to numbered blocks and holds nothing else."""

    blocks: frozenset[int]


@dataclass(frozen=True, slots=True)
class Opaque:
    """The content of a file that filters do not look into; only filters that want everything match it."""

    content_type: str


Content: TypeAlias = Record | Document | UnparsedDocument | Block | Opaque

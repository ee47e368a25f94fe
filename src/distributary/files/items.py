"""The items that a command line names: XML files, folders of them, and files of records.

A name with a record format's ending, and `-`, is a file of records; a folder stands for the `.xml` files in it and
below it, in the order of their paths; every other file is one XML document. Other files in folders are passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from distributary.core.errors import InputError
from distributary.core.values import Content, Schema
from distributary.files.inference import Columns
from distributary.files.records import RecordFile, is_record_file, read_records
from distributary.files.text import STANDARD_INPUT, name_of, read_bytes
from distributary.matching.reading import read_document

__all__ = ["FileItem", "FileItems", "open_items"]


@dataclass(frozen=True, slots=True)
class FileItem:
    """One item: its name (a path, or the number of a row from 0), its file, and its content or what is wrong."""

    name: str | int
    file: str
    content: Content | InputError


@dataclass(frozen=True, slots=True)
class FileItems:
    """The items of several paths, in order; every iteration reads the files anew."""

    sources: tuple[RecordFile | tuple[str, ...], ...]
    #: The columns of all record files together; `None` when there are none, and so nothing to check columns against.
    schema: Schema | None

    def __iter__(self) -> Iterator[FileItem]:
        """Yield the items; one that cannot be read comes as an error in its place."""
        for source in self.sources:
            if isinstance(source, RecordFile):
                for number, attempt in enumerate(source.attempts()):
                    yield FileItem(number, source.path, attempt)
            else:
                for document in source:
                    yield FileItem(document, document, _document(document))


def open_items(paths: Sequence[str]) -> FileItems:
    """Return the items of all paths.

    Record files are read once here, for their columns. A path that is not there, a folder without XML files and a
    record file that is not of its format raise `InputError`; single items that cannot be read do not.
    """
    if list(paths).count(STANDARD_INPUT) > 1:
        raise InputError("can be read only once", file=name_of(STANDARD_INPUT))
    sources = tuple(_source(path) for path in paths)
    records = [source for source in sources if isinstance(source, RecordFile)]
    if not records:
        return FileItems(sources, None)
    columns = Columns()
    for file in records:
        columns.widen(file.schema)
    schema = columns.schema()
    return FileItems(
        tuple(replace(source, schema=schema) if isinstance(source, RecordFile) else source for source in sources),
        # Without a row that can be read there is no column to compare with, and no filter is wrong for that.
        schema or None,
    )


def _source(path: str) -> RecordFile | tuple[str, ...]:
    if path != STANDARD_INPUT and os.path.isdir(path):
        documents = _documents_below(path)
        if not documents:
            raise InputError("is a folder that holds no .xml file", file=path)
        return documents
    if is_record_file(path):
        file = read_records(path, strict=False)
        if not file.schema and next(file.attempts(), None) is None:
            raise InputError("is empty: it holds no record", file=name_of(path))
        return file
    if not os.path.exists(path):
        raise InputError("does not exist", file=path)
    return (path,)


def _documents_below(folder: str) -> tuple[str, ...]:
    """Return the XML files in a folder and below it, by path; links to folders are not followed."""
    found = [
        os.path.join(parent, name)
        for parent, _, names in os.walk(folder)
        for name in names
        if Path(name).suffix.lower() == ".xml"
    ]
    return tuple(sorted(found))


def _document(path: str) -> Content | InputError:
    try:
        return read_document(read_bytes(path))
    except InputError as error:
        return error

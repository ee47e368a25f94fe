"""The options of the data source `distributary`, read and checked in one place. It connects to nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from distributary.core.errors import InputError
from distributary.core.ids import check_stream
from distributary.core.units import bytes_of, seconds_of

__all__ = ["SourceOptions", "source_options"]

_T = TypeVar("_T")

_KNOWN = (
    *("node", "stream", "token", "tokenFile"),
    *("where", "xpath", "namespaces", "format", "after", "idle", "failOnDataLoss"),
    *("key", "contentType", "batchBytes", "batchRows"),
)


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What a reader or a writer was told.

    Option names are not case-sensitive. `node` may name several nodes, separated by commas; the first that answers
    serves.
    """

    nodes: tuple[str, ...]
    stream: str
    token: str | None
    #: Reading: what is wanted, and from where on (0: everything retained).
    where: str | None
    xpath: str | None
    namespaces: Mapping[str, str]
    format: str | None
    after: int
    #: Reading in batch with a filter: how long silence must last to be taken for the end.
    idle_seconds: float
    #: Reading: whether a gap ends the query; else it goes on after it.
    fail_on_data_loss: bool
    #: Writing in batch: the name of the job; the same name again publishes nothing twice.
    key: str | None
    #: Writing items rather than records: their type, where no column tells it.
    content_type: str | None
    batch_bytes: int
    batch_rows: int


def source_options(options: Mapping[str, str]) -> SourceOptions:
    """Return the options of a reader or writer; what is missing, unknown or makes no sense is an `InputError`."""
    given = {name.lower(): value for name, value in options.items()}
    known = {name.lower() for name in _KNOWN}
    for name in given:
        # Spark itself adds a path, and a checkpoint's place.
        if name not in known and name not in {"path", "checkpointlocation"}:
            raise InputError(f"there is no such option; there are {', '.join(_KNOWN)}", field=name)

    def read(name: str, convert: Callable[[str], _T], default: _T) -> _T:
        text = given.get(name.lower())
        if text is None:
            return default
        try:
            return convert(text)
        except InputError as error:
            raise error.at(field=name) from None
        except ValueError:
            raise InputError(f"{text[:100]!r} makes no sense", field=name) from None

    nodes = tuple(node.strip() for node in given.get("node", "").split(",") if node.strip())
    if not nodes:
        raise InputError("the address of a node is needed, such as http://127.0.0.1:8000", field="node")
    if "stream" not in given:
        raise InputError("the name of a stream is needed", field="stream")
    if "where" in given and "xpath" in given:
        raise InputError("only one of where and xpath may be given", field="where")
    return SourceOptions(
        nodes=nodes,
        stream=check_stream(given["stream"]),
        token=given.get("token") or read("tokenFile", _file_text, None),
        where=given.get("where"),
        xpath=given.get("xpath"),
        namespaces=read("namespaces", _namespaces, {}),
        format=given.get("format"),
        after=read("after", _whole, 0),
        idle_seconds=read("idle", seconds_of, 5.0),
        fail_on_data_loss=read("failOnDataLoss", _truth, True),
        key=read("key", _job, None),
        content_type=given.get("contenttype"),
        batch_bytes=max(1, read("batchBytes", bytes_of, 1 << 20)),
        batch_rows=max(1, read("batchRows", _whole, 10_000)),
    )


def _file_text(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None


def _whole(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


def _truth(text: str) -> bool:
    if text.lower() not in {"true", "false"}:
        raise ValueError(text)
    return text.lower() == "true"


def _job(text: str) -> str | None:
    if not 0 < len(text) <= 200:
        raise ValueError(text)
    return text


def _namespaces(text: str) -> dict[str, str]:
    found = json.loads(text)
    if not isinstance(found, dict) or not all(isinstance(uri, str) for uri in found.values()):
        raise InputError("is not a JSON object of prefixes and URIs")
    return found

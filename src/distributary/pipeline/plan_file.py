"""`plan.json` of a routed folder: the merge plan, the columns, and what each subscriber applies to its channel.

It needs no Spark and no Arrow, so that `extract` starts fast.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from distributary.core.errors import InputError
from distributary.core.results import MergePlan
from distributary.core.subscriptions import FilterText
from distributary.core.values import ColumnType

__all__ = ["CHANNELS", "PLAN", "ChannelExtractor", "RoutePlan", "channel_folder", "read_plan", "write_plan"]

PLAN, CHANNELS = "plan.json", "channels"


class ChannelExtractor(msgspec.Struct, frozen=True):
    """Where a subscriber's items are, and what makes them its answer: its filter, then its fields (None: all)."""

    channel: str
    filter: FilterText
    fields: tuple[str, ...] | None


class RoutePlan(MergePlan, frozen=True):
    """The result of `merge` for one stream, with what is needed to read the channels again."""

    stream: str | None
    rows: int
    #: The columns in order; None for XML documents.
    schema: dict[str, ColumnType] | None
    extractors: dict[str, ChannelExtractor]


def channel_folder(folder: Path, channel: str) -> Path:
    """Return the folder of a channel's Parquet files; an empty channel has none."""
    return folder / CHANNELS / f"channel={channel}"


def write_plan(folder: Path, plan: RoutePlan) -> None:
    """Write `plan.json` into a folder that nobody reads yet."""
    (folder / PLAN).write_bytes(msgspec.json.format(msgspec.json.encode(plan), indent=1) + b"\n")


def read_plan(folder: str) -> RoutePlan:
    """Return the plan of a routed folder; anything else is an `InputError` that names it."""
    path = Path(folder) / PLAN
    try:
        return msgspec.json.decode(path.read_bytes(), type=RoutePlan)
    except (FileNotFoundError, NotADirectoryError):
        reason = f"is not a folder that `distributary route` wrote: it has no {PLAN}"
        raise InputError(reason if Path(folder).exists() else "does not exist", file=folder) from None
    except OSError as error:
        raise InputError(error.strerror or str(error), file=str(path)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"is not a plan as `distributary route` writes it: {error}", file=str(path)) from None

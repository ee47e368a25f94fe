"""Matching records: predicates and boxes of many subscribers at once, exactly. It knows no Arrow and no documents."""

from distributary.matching.records.columns import AnyColumn, Column, Columns, columns_of
from distributary.matching.records.matcher import RecordMatcher
from distributary.matching.records.rebuild import Fresh, Snapshot, rebuilt
from distributary.matching.records.warming import warm

__all__ = ["AnyColumn", "Column", "Columns", "Fresh", "RecordMatcher", "Snapshot", "columns_of", "rebuilt", "warm"]

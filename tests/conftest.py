"""What holds for all tests: Hypothesis draws the same examples in every run, and there is one Spark session."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

settings.register_profile("repeatable", deadline=None, derandomize=True, database=None, print_blob=True)
#: A longer search by hand: `make test ARGS="--hypothesis-profile search"`.
settings.register_profile("search", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Give the one Spark session of the run: starting another would take five seconds more."""
    from distributary.pipeline.session import session

    running = session("local[2]")
    yield running
    running.stop()

"""Filters, the one language of all planners: boxes, predicates, tree patterns, block sets; parse, compare, measure."""

from __future__ import annotations

from distributary.algebra.anyof import AnyOf, any_of
from distributary.algebra.blocks import Blocks
from distributary.algebra.box import Box
from distributary.algebra.content import content_of
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter, Statistics
from distributary.algebra.parse import filter_of, filter_of_subscription
from distributary.algebra.predicate import Predicate
from distributary.algebra.predicate_parser import parse_where
from distributary.algebra.regions import regions_of
from distributary.algebra.sample import Sample
from distributary.algebra.sql import spark_sql
from distributary.algebra.statistics import BlockCount, UniformDensity
from distributary.algebra.timestamps import timestamp_of
from distributary.algebra.treepattern import TreePattern, parse_xpath
from distributary.algebra.volumes import union_volume
from distributary.algebra.xml import XmlLimits, parse_xml

__all__ = [
    "AnyOf",
    "BlockCount",
    "Blocks",
    "Box",
    "Everything",
    "Filter",
    "Predicate",
    "Sample",
    "Statistics",
    "TreePattern",
    "UniformDensity",
    "XmlLimits",
    "any_of",
    "content_of",
    "filter_of",
    "filter_of_subscription",
    "parse_where",
    "parse_xml",
    "parse_xpath",
    "regions_of",
    "spark_sql",
    "timestamp_of",
    "union_volume",
]

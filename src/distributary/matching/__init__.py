"""Which subscriptions an item matches: one interface, the reference matcher and the compiled one."""

from distributary.matching.compiled_matcher import CompiledMatcher
from distributary.matching.matcher import Matcher
from distributary.matching.preparation import prepare, prepared
from distributary.matching.reading import read_content, read_document
from distributary.matching.reference import ReferenceMatcher

__all__ = [
    "CompiledMatcher",
    "Matcher",
    "ReferenceMatcher",
    "prepare",
    "prepared",
    "read_content",
    "read_document",
]

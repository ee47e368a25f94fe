"""Documents as arrays, from their bytes: what compiled matchers of tree patterns look at. No pattern is known here."""

from distributary.matching.documents.layout import DocumentArrays
from distributary.matching.documents.reader import DocumentReader, check_xml
from distributary.matching.documents.vocabulary import Vocabulary

__all__ = ["DocumentArrays", "DocumentReader", "Vocabulary", "check_xml"]

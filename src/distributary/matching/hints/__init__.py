"""What routers tell one another about a document, and routers that use it: the annotations of paper 002.

The routers are in `router`, which loads compiled code; what is here does not, before there is much to do.
"""

from distributary.matching.hints.annotation import Hints, decode, encode
from distributary.matching.hints.channels import channels_of, compact
from distributary.matching.hints.choice import Annotation, Feedback

__all__ = ["Annotation", "Feedback", "Hints", "channels_of", "compact", "decode", "encode"]

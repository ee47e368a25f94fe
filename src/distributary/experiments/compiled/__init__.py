"""What studies compute so often that it is compiled with numba."""

from distributary import delivery, merging
from distributary.core.kept_code import drop_outdated, package

drop_outdated(package(__file__), delivery.__path__[0], merging.__path__[0])

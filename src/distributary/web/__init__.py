"""The read-only dashboard of a node; it reads records and knows no node."""

from distributary.web.dashboard import CONTENT_SECURITY_POLICY, app, routes

__all__ = ["CONTENT_SECURITY_POLICY", "app", "routes"]

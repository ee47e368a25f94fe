"""What the operator decides for the process of a node, beside the node's own settings: addresses, folders, secrets."""

from __future__ import annotations

import re
import resource
import ssl
from dataclasses import dataclass, field
from pathlib import Path

from distributary.broker.config import NodeConfig
from distributary.core.errors import InputError
from distributary.files.text import check_readable
from distributary.runtime.driver import Converter
from distributary.runtime.links import LinkOptions
from distributary.runtime.server import Dashboard
from distributary.runtime.tokens import Tokens

__all__ = [
    "ListenAddress",
    "ProcessOptions",
    "client_tls",
    "link_options",
    "listen_address",
    "raise_file_limit",
    "tls_contexts",
]

_ADDRESS = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.%]+)\]|(?P<host>[^\s:/\[\]]*)):(?P<port>[0-9]{1,5})")
#: Frames hold bodies, and beside them types, headers and filters.
_FRAME_OVERHEAD_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """Where a node listens; port 0 lets the system choose."""

    host: str
    port: int

    def url(self, scheme: str) -> str:
        """Return the address as a URL.

        >>> ListenAddress("::1", 8000).url("http")
        'http://[::1]:8000'
        """
        return f"{scheme}://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class ProcessOptions:
    """The options of one node's process."""

    listen: ListenAddress
    data: Path
    #: The URL that other nodes use, when it is not the address that this one listens on.
    advertise: str | None = None
    token_file: Path | None = None
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    #: Whom to trust when opening links; the system's authorities without it.
    tls_authorities: Path | None = None
    dashboard: Dashboard = field(default_factory=Dashboard)
    converter: Converter | None = None
    #: How long answers that are owed may take when the node stops.
    settle_seconds: float = 2.0


def listen_address(text: str) -> ListenAddress:
    """Return the address of `HOST:PORT`, `[IPV6]:PORT` or `:PORT`, which is all interfaces.

    >>> listen_address("[::1]:0")
    ListenAddress(host='::1', port=0)
    """
    found = _ADDRESS.fullmatch(text.strip())
    if found is None or int(found["port"]) > 65535:
        raise InputError(f"{text[:100]!r} is no address such as 127.0.0.1:8000", field="--listen")
    return ListenAddress(found["six"] or found["host"] or "0.0.0.0", int(found["port"]))  # noqa: S104 - asked for


def tls_contexts(options: ProcessOptions) -> tuple[ssl.SSLContext | None, ssl.SSLContext]:
    """Return the contexts to listen with, if TLS is asked for, and to open links with."""
    certificate, key = options.tls_certificate, options.tls_key
    if (certificate is None) != (key is None):
        raise InputError("is needed too", field="--tls-key" if key is None else "--tls-cert")
    server = None
    if certificate is not None and key is not None:
        for file in (certificate, key):
            check_readable(str(file))
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            server.load_cert_chain(certificate, key)
        except ssl.SSLError as error:
            raise InputError(
                f"is no certificate with this key: {error.reason or 'not PEM'}", file=str(certificate)
            ) from None
    return server, client_tls(options.tls_authorities)


def client_tls(authorities: Path | None) -> ssl.SSLContext:
    """Return the context to open connections with: the system's authorities, or only those of a file."""
    if authorities is not None:
        check_readable(str(authorities))
    try:
        return ssl.create_default_context(cafile=authorities)
    except ssl.SSLError as error:
        raise InputError(f"holds no certificates: {error.reason}", file=str(authorities)) from None


def link_options(config: NodeConfig, tokens: Tokens | None, client: ssl.SSLContext, tls: bool) -> LinkOptions:
    """Return the limits of links that fit the limits of items."""
    frame_bytes_max = 2 * config.item_bytes_max + _FRAME_OVERHEAD_BYTES
    return LinkOptions(
        frame_bytes_max=frame_bytes_max,
        # A whole window and one item over it are in order; what is more waits for nobody.
        queue_bytes_max=2 * config.window_bytes + frame_bytes_max,
        links_max=max(1024, 4 * config.fanout),
        open_seconds_max=config.join_timeout_seconds,
        token=None if tokens is None else tokens.for_links(),
        tls=client,
        tls_only=tls,
    )


def raise_file_limit() -> int:
    """Let the process have as many open files as it may; return how many connections that allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return max(64, min(soft, 1 << 20) - 64)

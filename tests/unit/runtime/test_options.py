"""Options of the process: addresses and certificates, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from distributary.broker.config import NodeConfig
from distributary.core.errors import InputError
from distributary.runtime.options import ListenAddress, ProcessOptions, link_options, listen_address, tls_contexts


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1:8000", "127.0.0.1", 8000),
        ("localhost:0", "localhost", 0),
        ("[::1]:9", "::1", 9),
        (":8000", "0.0.0.0", 8000),
    ],
)
def test_listen_address_is_read(text: str, host: str, port: int) -> None:
    assert listen_address(text) == ListenAddress(host, port)


@pytest.mark.parametrize(
    "text", ["", "8000", "host", "host:", "host:99999", "http://host:1", "a b:1", "::1:80", "h:-1"]
)
def test_listen_address_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--listen"):
        listen_address(text)


def test_tls_needs_both_files_and_certificates_in_them(tmp_path: Path) -> None:
    listen = ListenAddress("127.0.0.1", 0)
    nonsense = tmp_path / "nonsense.pem"
    nonsense.write_text("nothing")
    with pytest.raises(InputError, match="--tls-key: is needed too"):
        tls_contexts(ProcessOptions(listen, tmp_path, tls_certificate=nonsense))
    with pytest.raises(InputError, match="--tls-cert: is needed too"):
        tls_contexts(ProcessOptions(listen, tmp_path, tls_key=nonsense))
    with pytest.raises(InputError, match=r"nonsense\.pem: is no certificate with this key"):
        tls_contexts(ProcessOptions(listen, tmp_path, tls_certificate=nonsense, tls_key=nonsense))
    with pytest.raises(InputError, match=r"nonsense\.pem: holds no certificates"):
        tls_contexts(ProcessOptions(listen, tmp_path, tls_authorities=nonsense))
    for missing in (
        ProcessOptions(listen, tmp_path, tls_authorities=tmp_path / "missing"),
        ProcessOptions(listen, tmp_path, tls_certificate=tmp_path / "missing", tls_key=nonsense),
    ):
        with pytest.raises(InputError, match="missing: does not exist"):
            tls_contexts(missing)
    assert tls_contexts(ProcessOptions(listen, tmp_path))[0] is None


def test_link_limits_let_a_batch_and_a_window_through(tmp_path: Path) -> None:
    config = NodeConfig("http://x")
    options = link_options(config, None, tls_contexts(ProcessOptions(ListenAddress("h", 0), tmp_path))[1], tls=False)
    assert options.frame_bytes_max > config.item_bytes_max + config.batch_items_max * 100
    assert options.queue_bytes_max > config.window_bytes + options.frame_bytes_max

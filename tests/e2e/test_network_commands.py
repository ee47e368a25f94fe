"""The commands of the network as a user runs them: processes, exit statuses, one clear line for each mistake."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-c", "from distributary.cli.main import main; main()"]


def run(*words: str, status: int = 0, text: str | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*COMMAND, *words], input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    return done


@contextmanager
def node(folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a node; it must end with 0 when it is asked to."""
    arguments = ["node", "--listen", "127.0.0.1:0", "--data", str(folder / "data"), "--json", *words]
    with subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, process.stderr.read() if process.stderr else ""
            yield process, json.loads(line)["url"]
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                assert process.wait(10) == 0
        finally:
            process.kill()


def test_publish_then_subscribe_then_status(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a><b>1</b></a>")
    (tmp_path / "one.json").write_text('{"mag": 1.5}')
    (tmp_path / "rows.csv").write_text("mag,place\n4.5,here\n2.0,\n")
    (tmp_path / "rows.jsonl").write_text('{"mag": 6.10}\n\n{"mag": 0}\n')
    with node(tmp_path, "--name", "river") as (_, url):
        files = [str(tmp_path / name) for name in ("a.xml", "one.json", "rows.csv", "rows.jsonl")]
        done = json.loads(run("publish", "--node", url, "--stream", "quakes", *files, "--json").stdout)
        assert [(row["items"], row["first"], row["last"]) for row in done["files"]] == [
            (1, 1, 1),
            (1, 2, 2),
            (2, 3, 4),
            (2, 5, 6),
        ]
        words = ["subscribe", "--node", url, "--stream", "quakes", "--after", "0", "--json"]
        found = [json.loads(line) for line in run(*words, "--where", "mag >= 1.5", "--count", "4").stdout.splitlines()]
        assert [row["seq"] for row in found] == [2, 3, 4, 5]
        assert found[1]["item"] == {"mag": 4.5, "place": "here"}
        xml = run(*words, "--xpath", "//b", "--count", "1")
        assert json.loads(xml.stdout)["item"] == "<a><b>1</b></a>"
        people = run(
            "subscribe", "--node", url, "--stream", "quakes", "--after", "4", "--where", "mag>6", "--count", "1"
        )
        assert people.stdout == '5  {"mag":6.1}\n'
        status = json.loads(run("status", "--node", url, "--json").stdout)
        assert (status["name"], status["trees"][0]["streams"][0]["head"]) == ("river", 6)
        assert "river" in run("status", "--node", url).stdout
        broken = run("publish", "--node", url, "--stream", "quakes", "-", status=2, text='{"a": 1}\n{broken\n')
        assert "line 2" in broken.stderr
        assert json.loads(run("status", "--node", url, "--json").stdout)["trees"][0]["streams"][0]["head"] == 6
        refused = run("subscribe", "--node", url, "--stream", "quakes", "--where", "mag >", status=2)
        assert refused.stderr.startswith("distributary: where: ")
        assert refused.stderr.count("\n") == 1


def test_node_ends_when_asked_with_readers_connected(tmp_path: Path) -> None:
    with node(tmp_path) as (process, url):
        host, port = url.removeprefix("http://").split(":")
        readers = []
        for _ in range(3):
            reader = socket.create_connection((host, int(port)), timeout=10)
            reader.sendall(b"GET /streams/news/subscribe HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n")
            assert b"200 OK" in reader.recv(1000)
            readers.append(reader)
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 0
        for reader in readers:
            reader.close()


def test_node_remembers_who_it_is_and_what_it_took(tmp_path: Path) -> None:
    with node(tmp_path) as (process, url):
        before = json.loads(run("status", "--node", url, "--json").stdout)
        run("publish", "--node", url, "--stream", "news", "-", text='{"a": 1}\n')
        process.kill()
        process.wait()
    with node(tmp_path) as (_, url):
        after = json.loads(run("status", "--node", url, "--json").stdout)
        assert after["id"] == before["id"]
        found = run("subscribe", "--node", url, "--stream", "news", "--after", "0", "--count", "1", "--json")
        assert json.loads(found.stdout)["item"] == {"a": 1}


def test_node_that_cannot_start_says_why(tmp_path: Path) -> None:
    with node(tmp_path) as (_, url):
        address = url.removeprefix("http://")
        taken = run("node", "--listen", address, "--data", str(tmp_path / "other"), status=1)
        assert taken.stderr == f"distributary: {address}: Address already in use\n"
        assert not (tmp_path / "other").exists()
        up = run("up", "--listen", address, "--data", str(tmp_path / "other"), status=1)
        assert up.stderr == taken.stderr
        held = run("node", "--listen", "127.0.0.1:0", "--data", str(tmp_path / "data"), status=1)
        assert "is in use by another node (process" in held.stderr
    (tmp_path / "empty").write_text("")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "log.sqlite").write_bytes(b"x" * 10_000)
    data = ["--data", str(tmp_path / "third")]
    for words, message in (
        (["--listen", "nowhere", *data], "--listen: 'nowhere' is no address"),
        (["--listen", "no.such.host.invalid:0", *data], "--listen: no.such.host.invalid: "),
        (["--retention", "1week", *data], "--retention: '1week' is not AGE,SIZE"),
        (["--retention", "1w,1GiB", *data], "--retention: '1w' is not a duration"),
        (["--join", "localhost:8000", *data], "'localhost:8000' is no address of a node"),
        (["--token-file", str(tmp_path / "empty"), *data], "empty: holds no token"),
        (["--tls-cert", "x.pem", *data], "--tls-key: is needed too"),
        (["--fanout", "0", *data], "Invalid value for '--fanout'"),
        (["--join", "http://[::1", *data], "--join: 'http://[::1' is no address of a node"),
        (["--token-file", str(tmp_path / "missing"), *data], "missing: does not exist"),
        (["--data", str(tmp_path / "empty")], "empty: cannot hold a log"),
        (["--data", str(tmp_path / "bad")], "log.sqlite: is damaged, or no log of a node"),
    ):
        failed = run("node", *(["--listen", "127.0.0.1:0"] if "--listen" not in words else []), *words, status=2)
        assert message in failed.stderr
        assert failed.stderr.count("\n") == 1
    assert not (tmp_path / "third").exists()


def test_publish_sends_nothing_when_one_of_its_files_is_bad(tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_text("mag\n1\n")
    (tmp_path / "bad.csv").write_text("mag\n1,2\n")
    with node(tmp_path) as (_, url):
        words = ["publish", "--node", url, "--stream", "quakes", str(tmp_path / "good.csv"), str(tmp_path / "bad.csv")]
        assert "bad.csv: line 2: has 2 cells" in run(*words, status=2).stderr
        (tmp_path / "bad.xml").write_text("<a>")
        assert "bad.xml: not well-formed" in run(*words[:-1], str(tmp_path / "bad.xml"), status=2).stderr
        far = run(*words[:-2], "-", "--type", "application/xml", text="<a>", status=2)
        assert "standard input: not well-formed" in far.stderr
        assert json.loads(run("status", "--node", url, "--json").stdout)["trees"][0]["streams"] == []


def test_commands_without_a_node_give_up(tmp_path: Path) -> None:
    gone = run("status", "--node", "http://127.0.0.1:9", status=1)
    assert gone.stderr.startswith("distributary: http://127.0.0.1:9: cannot be reached")
    wrong = run("status", "--node", "nowhere", status=2)
    assert wrong.stderr.count("\n") == 1


def test_up_runs_a_tree_and_stops_all_of_it(tmp_path: Path) -> None:
    words = ["up", "--nodes", "3", "--fanout", "1", "--data", str(tmp_path), "--listen", "127.0.0.1:0", "--json"]
    with subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        text = ""
        while not text.endswith("}\n") or text.count("{") != text.count("}"):
            line = process.stdout.readline()
            assert line
            text += line
        urls = [row["url"] for row in json.loads(text)["nodes"]]
        assert len(urls) == 3
        watching = ["subscribe", "--node", urls[2], "--stream", "news", "--count", "1", "--json"]
        with subprocess.Popen(
            [*COMMAND, *watching], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as reader:
            assert reader.stderr is not None
            assert "subscribed to news" in reader.stderr.readline()
            run("publish", "--node", urls[1], "--stream", "news", "-", text='{"a": 1}\n')
            output, _ = reader.communicate(timeout=20)
            assert json.loads(output)["item"] == {"a": 1}
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    for url in urls:
        host, port = url.removeprefix("http://").split(":")
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((host, int(port)), timeout=1)


def test_up_ends_when_one_of_its_nodes_does(tmp_path: Path) -> None:
    words = ["up", "--nodes", "2", "--data", str(tmp_path), "--listen", "127.0.0.1:0"]
    with subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "dashboard" in line:
                break
        errors: list[str] = []
        assert process.stderr is not None
        listening = threading.Thread(target=lambda: errors.extend(process.stderr or ()))
        listening.start()
        holder = int((tmp_path / "node-1" / "lock").read_text())
        os.kill(holder, signal.SIGKILL)
        assert process.wait(20) == 1
        listening.join(10)
        assert any("a node has ended on its own" in line for line in errors)

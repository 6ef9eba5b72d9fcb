"""What ships: lock files, set-up, container. Nothing here needs a network or a container engine."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from config.settings import load_settings

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = ("requirements.lock", "requirements-dev.lock")


# --- lock files -----------------------------------------------------------------------------------------------------


def locked(name: str) -> dict[str, list[Requirement]]:
    """The entries of a lock file by package; every one has hashes."""
    found: dict[str, list[Requirement]] = {}
    for entry in re.split(r"\n(?=\S)", (ROOT / name).read_text(encoding="utf-8").strip()):
        head, *hashes = re.split(r"\s*\\\n\s*", entry)
        assert hashes, f"{name}: {head} has no hash"
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", one) for one in hashes)
        requirement = Requirement(head)
        found.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return found


def versions(requirements: list[Requirement]) -> list[str]:
    return [next(iter(requirement.specifier)).version for requirement in requirements]


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        ("requirements.lock", PROJECT["project"]["dependencies"]),
        ("requirements-dev.lock", PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["dev"]),
    ],
    ids=LOCKS,
)
def test_a_lock_holds_what_the_project_asks_for(lock: str, wanted: list[str]) -> None:
    entries = locked(lock)

    for requirement in map(Requirement, wanted):
        pinned = versions(entries.get(canonicalize_name(requirement.name), []))
        assert pinned, f"{requirement} is missing; run: make lock"
        assert all(requirement.specifier.contains(version) for version in pinned), f"{requirement}; run: make lock"


def test_the_development_lock_holds_the_other_one() -> None:
    runtime, dev = locked("requirements.lock"), locked("requirements-dev.lock")

    assert {name: versions(entries) for name, entries in runtime.items()} == {
        name: versions(dev.get(name, [])) for name in runtime
    }
    assert "pytest" not in runtime


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_no_address(lock: str) -> None:
    assert "://" not in (ROOT / lock).read_text(encoding="utf-8")


def test_everything_that_is_imported_is_asked_for() -> None:
    ours = {"bot", "config", "memory"}
    asked = {canonicalize_name(Requirement(wanted).name) for wanted in PROJECT["project"]["dependencies"]}
    distributions = packages_distributions()

    imported = {module for package in ours for path in (ROOT / package).rglob("*.py") for module in _imports(path)}

    foreign = imported - ours - sys.stdlib_module_names
    undeclared = {
        module for module in foreign if not asked & set(map(canonicalize_name, distributions.get(module, [])))
    }
    assert not undeclared


def _imports(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    from_ = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level}
    return {name.partition(".")[0] for name in plain | from_}


# --- set-up ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with what `.ci/setup` needs, and a space in its path."""
    folder = tmp_path / "a clone"
    (folder / ".ci").mkdir(parents=True)
    for name in (".ci/setup", *LOCKS):
        shutil.copy(ROOT / name, folder / name)
    return folder


def set_up(clone: Path, *programs: tuple[str, str], **environ: str) -> subprocess.CompletedProcess[str]:
    """Run `.ci/setup` where only these programs (name, shell script) and the basic ones are found."""
    programs_folder = clone / "bin"
    programs_folder.mkdir()
    for name, script in programs:
        (programs_folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs_folder / name).chmod(0o755)
    for name in ("sh", "rm", "mkdir", "cp", "cmp"):
        (programs_folder / name).symlink_to(str(shutil.which(name)))
    return subprocess.run(
        ["sh", ".ci/setup", "requirements.lock"],
        cwd=clone,
        env={"PATH": str(programs_folder), **environ},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_without_a_python_set_up_says_what_is_needed(clone: Path) -> None:
    done = set_up(clone)

    assert done.returncode != 0
    assert "Kith needs Python 3.11, 3.12 or 3.13; there is none called python3" in done.stderr


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.14"])
def test_a_python_that_is_too_old_or_too_new_is_named(clone: Path, version: str) -> None:
    done = set_up(clone, ("python3", f"echo {version}"))

    assert done.returncode != 0
    assert f"python3 is {version}" in done.stderr
    assert not (clone / ".venv").exists()


def test_without_the_venv_package_set_up_says_how_to_get_it(clone: Path) -> None:
    done = set_up(clone, ("python3", 'case "$2" in *ensurepip*) exit 1 ;; *) echo 3.12 ;; esac'))

    assert done.returncode != 0
    assert "apt-get install python3-venv" in done.stderr


def test_a_fitting_python_is_found_beside_one_that_does_not_fit(clone: Path) -> None:
    done = set_up(
        clone,
        ("python3", "echo 3.14"),
        ("python3.12", MAKES_VENV),
    )

    assert "Using python3.12 (python3 is 3.14)" in done.stderr
    assert "made with -m venv .venv" in done.stderr


def test_a_chosen_python_is_the_only_one_tried(clone: Path) -> None:
    done = set_up(clone, ("python3", "echo 3.12"), ("other", "echo 3.9"), PYTHON="other")

    assert done.returncode != 0
    assert "other is 3.9" in done.stderr


PIP = 'case "$*" in *sys.version_info*) echo 3.12 ;; *install*) echo "$@" >>installs; exit ${FAIL:-0} ;; esac'
"""A Python whose pip only takes down what it was asked."""


def make_venv(clone: Path, script: str = PIP) -> None:
    (clone / ".venv/bin").mkdir(parents=True)
    (clone / ".venv/bin/python").write_text(f"#!/bin/sh\n{script}\n")
    (clone / ".venv/bin/python").chmod(0o755)


def test_packages_are_installed_with_hashes_and_only_once(clone: Path) -> None:
    make_venv(clone)

    first = set_up(clone)
    shutil.rmtree(clone / "bin")
    second = set_up(clone)

    assert (first.returncode, second.returncode) == (0, 0)
    assert first.stderr == "Installing the packages of requirements.lock ...\n"
    assert second.stderr == ""
    (install,) = (clone / "installs").read_text().splitlines()
    assert "--require-hashes -r requirements.lock" in install


def test_a_changed_lock_is_installed(clone: Path) -> None:
    make_venv(clone)
    set_up(clone)
    shutil.rmtree(clone / "bin")
    (clone / "requirements.lock").write_text("changed\n")

    set_up(clone)

    assert len((clone / "installs").read_text().splitlines()) == 2


MAKES_VENV = 'case "$1" in -c) echo 3.12 ;; *) echo made with "$@" >&2; exit 1 ;; esac'
"""A Python that tells that it makes an environment, and fails at it."""


def test_a_failed_installation_starts_over(clone: Path) -> None:
    make_venv(clone)

    failed = set_up(clone, FAIL="1")
    shutil.rmtree(clone / "bin")
    again = set_up(clone, ("python3", MAKES_VENV))

    assert failed.returncode != 0
    assert "could not be installed" in failed.stderr
    assert "made with -m venv .venv" in again.stderr


def test_an_interrupted_set_up_starts_over(clone: Path) -> None:
    make_venv(clone)
    (clone / ".venv/unfinished").touch()

    done = set_up(clone, ("python3", MAKES_VENV))

    assert "made with -m venv .venv" in done.stderr


def test_an_environment_of_another_python_than_the_chosen_one_is_made_anew(clone: Path) -> None:
    make_venv(clone)

    done = set_up(clone, ("other", MAKES_VENV.replace("3.12", "3.13")), PYTHON="other")

    assert "made with -m venv .venv" in done.stderr


def test_ci_runs_the_tests_then_the_checks() -> None:
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")

    assert os.access(ROOT / ".ci/run", os.X_OK)
    assert "set -euo pipefail" in script
    assert "for target in test check" in script


# --- container ------------------------------------------------------------------------------------------------------


def example_environment() -> dict[str, str]:
    """The variables of .env.example, those that are commented out too."""
    lines = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    pairs = [match for line in lines if (match := re.fullmatch(r"(?:# )?([A-Z][A-Z0-9_]*)=(.*)", line))]
    return {match[1]: match[2] for match in pairs}


@pytest.fixture
def compose() -> Mapping[str, Any]:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))


def interpolate(text: str, environ: Mapping[str, str]) -> str:
    """What docker compose makes of `${NAME}`, `${NAME:-default}` and `${NAME:?message}`."""

    def value(match: re.Match[str]) -> str:
        if set_value := environ.get(match[1]):
            return set_value
        assert match[2] == ":-", f"{match[1]} has to be set"
        return match[3]

    return re.sub(r"\$\{(\w+)(?:(:[-?])([^}]*))?\}", value, text)


def test_the_example_environment_is_understood() -> None:
    filled = {name: value or "filled-in" for name, value in example_environment().items()}

    settings = load_settings(environ=filled)

    assert settings.model.api_key is not None
    assert settings.discord.token is not None


def test_every_variable_of_the_compose_file_is_in_the_example(compose: Mapping[str, Any]) -> None:
    used = set(re.findall(r"\$\{(\w+)", yaml.safe_dump(compose)))

    assert used
    assert used <= set(example_environment())


def test_the_bot_understands_the_environment_that_compose_gives_it(compose: Mapping[str, Any]) -> None:
    given = {"POSTGRES_PASSWORD": "p4ss", "QDRANT_API_KEY": "k3y"}
    environ = {name: interpolate(value, given) for name, value in compose["services"]["bot"]["environment"].items()}

    settings = load_settings(environ=environ)

    assert settings.database.url is not None
    assert settings.database.url.get_secret_value() == "postgresql://kith:p4ss@postgres:5432/kith"
    assert settings.qdrant.url == "http://qdrant:6333"
    assert settings.data_dir == Path("/data")
    assert settings.log.format == "json"


def test_no_secret_stands_in_the_compose_file(compose: Mapping[str, Any]) -> None:
    for service in compose["services"].values():
        for name, value in service["environment"].items():
            if re.search("PASSWORD|KEY|TOKEN", name):
                assert re.fullmatch(r"\$\{\w+:\?[^}]*\}", value)


@pytest.mark.parametrize("name", ["bot", "postgres", "qdrant"])
def test_every_service_is_pinned_bounded_restarted_and_watched(compose: Mapping[str, Any], name: str) -> None:
    service = compose["services"][name]

    assert re.search(r":v?\d+(\.\d+)*$", service["image"])
    assert service["restart"] == "unless-stopped"
    assert set(service["deploy"]["resources"]["limits"]) == {"cpus", "memory"}
    assert "healthcheck" in service or "HEALTHCHECK" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "ports" not in service
    volumes = [volume.partition(":")[0] for volume in service["volumes"]]
    assert set(volumes) <= set(compose["volumes"])


def test_the_bot_waits_for_healthy_stores(compose: Mapping[str, Any]) -> None:
    services = compose["services"]
    waits = services["bot"]["depends_on"]

    assert waits == {name: {"condition": "service_healthy"} for name in ("postgres", "qdrant")}
    assert all("healthcheck" in services[name] for name in waits)


def test_the_qdrant_server_fits_the_client(compose: Mapping[str, Any]) -> None:
    server = compose["services"]["qdrant"]["image"].rpartition(":v")[2]
    (client,) = versions(locked("requirements.lock")["qdrant-client"])

    assert abs(int(server.split(".")[1]) - int(client.split(".")[1])) <= 1


def test_the_image_is_locked_small_and_not_root() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    bases = re.findall(r"^FROM (\S+)", dockerfile, re.M)
    final = dockerfile.rpartition("\nFROM ")[2]

    assert len(bases) == 2
    for base in bases:
        version = re.fullmatch(r"python:(\d+\.\d+)-slim", base)
        assert version is not None
        assert SpecifierSet(PROJECT["project"]["requires-python"]).contains(version[1])
    assert "--require-hashes -r /tmp/requirements.lock" in dockerfile
    assert re.search(r"^USER (?!root)\w+$", final, re.M)
    assert "HEALTHCHECK" in final
    assert "pip" not in final
    assert "apt-get" not in dockerfile


def test_the_image_holds_the_packages_and_nothing_else() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    copied = set(re.findall(r"^COPY ([a-z]+) ", dockerfile, re.M))
    let_in = set(re.findall(r"^!(\S+)", (ROOT / ".dockerignore").read_text(encoding="utf-8"), re.M))

    packages = {name.rstrip("*") for name in PROJECT["tool"]["setuptools"]["packages"]["find"]["include"]}
    assert copied == packages
    assert let_in == packages | {"requirements.lock"}

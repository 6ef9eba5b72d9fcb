"""What the documentation names exists: links, commands, options, settings, targets."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
from pydantic import BaseModel

from bot.cli import app
from config.settings import WELL_KNOWN, Settings, load_settings

ROOT = Path(__file__).parents[2]
FOLDERS = (".ci", "bot", "config", "docs", "memory", "tests")
ENGLISH, CHINESE = "README.md", "README.zh-CN.md"

_FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_COMMAND = re.compile(r"python -m bot((?: +[a-z]+)*)(.*)")
_MODULE = re.compile(r"python -m ((?:bot|config|memory|tests)[\w.]*)")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_SETTING = re.compile(r"[a-z_]+(?:\.[a-z_]+)+")


@dataclass(frozen=True, slots=True)
class Page:
    """A Markdown file. `code` is what it shows as code, one line each."""

    name: str
    text: str

    @property
    def code(self) -> Iterator[str]:
        for block in _FENCE.finditer(self.text):
            if block["language"] != "text":
                yield from block["text"].splitlines()
        yield from _SPAN.findall(_FENCE.sub("", self.text))

    def blocks(self, language: str) -> list[str]:
        return [block["text"] for block in _FENCE.finditer(self.text) if block["language"] == language]

    @property
    def anchors(self) -> set[str]:
        headings = _HEADING.findall(_FENCE.sub("", self.text))
        return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def pages() -> list[Page]:
    paths = [*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md"))]
    return [Page(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in sorted(paths)]


def page(name: str) -> Page:
    return next(page for page in pages() if page.name == name)


every_page = pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)


# --- links ----------------------------------------------------------------------------------------------------------


@every_page
def test_links_lead_somewhere(page: Page) -> None:
    for link in _LINK.findall(_FENCE.sub("", page.text)):
        if re.match(r"https?://", link):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / page.name).parent / path if path else ROOT / page.name
        assert target.exists(), link
        if anchor:
            assert anchor in Page(link, target.read_text(encoding="utf-8")).anchors, link


def test_decisions_are_one_series_and_all_are_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    files = sorted(path.name for path in folder.glob("*.md") if path.name != "README.md")
    index = re.findall(r"^\| \[(\d+)\]\((\S+)\) \| (.+) \|$", page("docs/decisions/README.md").text, re.MULTILINE)

    assert [name for _, name, _ in index] == files
    for number, (shown, name, title) in enumerate(index, start=1):
        head = (folder / name).read_text(encoding="utf-8").partition("\n")[0]
        assert (shown, name[:5], head) == (str(number), f"{number:04}-", f"# {number}. {title}")


def test_decisions_that_code_refers_to_exist() -> None:
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        for named in re.findall(r"docs/[\w/-]+\.md", path.read_text(encoding="utf-8")):
            assert (ROOT / named).exists(), f"{path.relative_to(ROOT)} names {named}"


# --- commands -------------------------------------------------------------------------------------------------------


def options_of(line: str) -> tuple[list[str], set[str]]:
    """The command that a line calls, as words, and the options it has. Raises KeyError for one that does not exist."""
    called = _COMMAND.search(line)
    assert called is not None
    command: Any = typer.main.get_command(app)
    path: list[str] = []
    for word in called[1].split():
        commands: Mapping[str, Any] | None = getattr(command, "commands", None)
        if commands is None:
            break
        command = commands[word]
        path.append(word)
    return path, {"--help", *(option for parameter in command.params for option in parameter.opts)}


@every_page
def test_commands_and_their_options_exist(page: Page) -> None:
    for line in filter(_COMMAND.search, page.code):
        _, options = options_of(line)
        named = set(_OPTION.findall(line.partition("python -m bot")[2]))
        assert named <= options, line


def test_a_command_or_option_that_does_not_exist_is_seen() -> None:
    with pytest.raises(KeyError):
        options_of("python -m bot memory forget")
    path, options = options_of("python -m bot chat --script FILE")
    assert path == ["chat"] and "--script" in options and "--colour" not in options


@every_page
def test_modules_that_are_run_exist(page: Page) -> None:
    for name in (name for line in page.code for name in _MODULE.findall(line)):
        assert importlib.util.find_spec(name) is not None, name


@every_page
def test_make_targets_exist(page: Page) -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)

    for target in (found[1] for line in page.code if (found := re.match(r"make ([a-z]+)", line))):
        assert target in targets, target


def test_both_readmes_name_the_same_commands() -> None:
    assert _commands(page(ENGLISH)) == _commands(page(CHINESE))


def test_both_readmes_show_the_same_settings_and_links() -> None:
    english, chinese = page(ENGLISH), page(CHINESE)

    assert list(map(_settings_of, english.blocks("toml"))) == list(map(_settings_of, chinese.blocks("toml")))
    assert {link for link in _LINK.findall(english.text) if link.startswith("docs/")} == {
        link for link in _LINK.findall(chinese.text) if link.startswith("docs/")
    }


def _commands(readme: Page) -> list[str]:
    """Shell lines without comments, then `make` targets and slash commands in the text; each README has its script."""
    shell = [line.partition("#")[0].strip() for block in readme.blocks("sh") for line in block.splitlines()]
    spans = [span for span in _SPAN.findall(_FENCE.sub("", readme.text)) if re.match(r"make [a-z]|/[a-z]", span)]
    return [re.sub(r"meetup\.\w+\.jsonl", "meetup.jsonl", command) for command in [*shell, *sorted(set(spans))]]


def _settings_of(block: str) -> list[str]:
    return [line.partition(" #")[0].strip() for line in block.splitlines()]


# --- settings -------------------------------------------------------------------------------------------------------


def setting_names(model: type[BaseModel] = Settings, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The path of every setting and section."""
    for name, field in model.model_fields.items():
        yield (*above, name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from setting_names(field.annotation, (*above, name))


VARIABLES = {"KITH_" + "__".join(name).upper() for name in setting_names()} | set(WELL_KNOWN)
DOTTED = {".".join(name) for name in setting_names()}


@every_page
def test_variables_that_are_named_exist(page: Page) -> None:
    for name in re.findall(r"\b(?:KITH_[A-Z0-9_]*[A-Z0-9]|[A-Z]+_(?:URL|TOKEN|API_KEY))\b", page.text):
        assert name in VARIABLES, name


@every_page
def test_settings_that_are_named_exist(page: Page) -> None:
    sections = {name.partition(".")[0] for name in DOTTED}

    for span in _SPAN.findall(_FENCE.sub("", page.text)):
        name = span.partition(" = ")[0]
        if _SETTING.fullmatch(name) and name.partition(".")[0] in sections and not name.endswith((".py", ".md")):
            assert name in DOTTED or _is_module(name), name


def _is_module(name: str) -> bool:
    return any((ROOT / f"{name.replace('.', '/')}{ending}").exists() for ending in ("", ".py"))


@every_page
def test_settings_files_that_are_shown_are_accepted(page: Page, tmp_path: Path) -> None:
    for block in page.blocks("toml"):
        file = tmp_path / "kith.toml"
        file.write_text(block, encoding="utf-8")
        load_settings(config_file=file, data_dir=tmp_path, environ={})


# --- everything -----------------------------------------------------------------------------------------------------


def test_no_file_names_the_host_of_a_package_registry() -> None:
    # Put together here, so that this file names none either.
    names = "|".join(("py" + "pi", "python" + "hosted", "npm" + "js", "crates", "anaconda"))
    hosts = re.compile(rf"\b(?:{names})\.(?:org|com|io|net)\b")

    files = [path for path in ROOT.iterdir() if path.is_file()]
    files += [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    for path in files:
        if "__pycache__" not in path.parts and path.suffix not in {".npz", ".pyc"}:
            assert not hosts.search(path.read_text(encoding="utf-8", errors="replace")), path.relative_to(ROOT)

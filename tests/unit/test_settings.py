"""Settings: what is read from where, and what a mistake tells."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, SecretStr, ValidationError

from config import reference, sources
from config.settings import WELL_KNOWN, Settings, SettingsError, load_settings

ROOT = Path(__file__).parents[2]
LEAVES = sources.leaves(Settings)
LISTS = [name for name, info in LEAVES.items() if "tuple" in str(info.annotation)]
SECRETS = [name for name, info in LEAVES.items() if "SecretStr" in str(info.annotation)]


def load(toml: Path | None = None, /, **environ: str) -> Settings:
    """Settings from this file and these variables alone."""
    return load_settings(config_file=toml, environ=environ)


def mistakes(toml: Path | None = None, /, **environ: str) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        load(toml, **environ)
    return str(caught.value).splitlines()


def plain(value: object) -> object:
    return value.get_secret_value() if isinstance(value, SecretStr) else value


def at(settings: BaseModel, name: sources.Name) -> object:
    value: object = settings
    for part in name:
        value = getattr(value, part)
    return value


def variable(name: sources.Name) -> str:
    return "KITH_" + "__".join(name).upper()


@pytest.fixture
def toml(tmp_path: Path) -> Path:
    return tmp_path / "kith.toml"


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No `kith.toml` lies in the working folder."""
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")


# --- what is read ---------------------------------------------------------------------------------------------------


def test_without_file_and_variables_the_defaults_hold() -> None:
    settings = load()

    assert settings.model_dump(exclude={"data_dir"}) == Settings().model_dump(exclude={"data_dir"})
    assert settings.data_dir.is_absolute()


def test_importing_reads_nothing(tmp_path: Path) -> None:
    (tmp_path / "kith.toml").write_text("not TOML at all")
    code = "import config.settings, config.sources"

    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONPATH": str(ROOT), "KITH_NONSENSE": "1"}, check=False
    )

    assert done.returncode == 0


def test_nothing_but_the_given_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KITH_NONSENSE", "1")
    monkeypatch.setenv("OPENAI_API_KEY", "from-the-process")

    assert load().model.api_key is None


def test_the_process_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KITH_MODEL__CHAT", "some-model")

    assert load_settings().model.chat == "some-model"


def test_command_line_wins_over_environment_over_file_over_defaults(toml: Path) -> None:
    toml.write_text('data_dir = "/file"\n[model]\nchat = "file"\nsmall = "file"\n')
    environ = {"KITH_DATA": "/environment", "KITH_MODEL__CHAT": "environment"}

    settings = load_settings(config_file=toml, environ=environ, data_dir=toml.parent / "line")

    assert settings.data_dir == toml.parent / "line"
    assert settings.model.chat == "environment"
    assert settings.model.small == "file"
    assert settings.model.retries == Settings().model.retries


def test_the_working_folders_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kith.toml").write_text('[agent]\nname = "小友"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    assert load_settings(environ={}).agent.name == "小友"


def test_sections_of_the_file_nest(toml: Path) -> None:
    toml.write_text("[memory.working]\nkeep_rounds = 5\n[memory.longterm]\nmin_relevance = 0.25\n")

    settings = load(toml)

    assert settings.memory.working.keep_rounds == 5
    assert settings.memory.longterm.min_relevance == 0.25


def test_variables_nest_by_two_underscores() -> None:
    settings = load(KITH_MEMORY__EPISODIC__PROFILE_UPDATE="after_reply", KITH_LOG__LEVEL="debug")

    assert settings.memory.episodic.profile_update == "after_reply"
    assert settings.log.level == "debug"


def test_variables_are_read_in_any_case() -> None:
    assert load(kith_model__chat="some-model").model.chat == "some-model"


@pytest.mark.parametrize("name", LEAVES, ids=sources.dotted)
def test_every_setting_can_come_from_its_variable(name: sources.Name) -> None:
    default = at(Settings(), name)
    text = str(default) if default is not None and name not in LISTS else "7"

    value = at(load(**{variable(name): text}), name)

    value = value.get_secret_value() if isinstance(value, SecretStr) else value
    assert value == (
        ("7",) if name in LISTS else Path("7").absolute() if name == ("data_dir",) and text == "7" else value
    )
    assert value is not None


@pytest.mark.parametrize(("known", "name"), WELL_KNOWN.items())
def test_well_known_variables_are_understood(known: str, name: sources.Name) -> None:
    assert str(plain(at(load(**{known: "/some-value"}), name))) == "/some-value"


@pytest.mark.parametrize(("known", "name"), WELL_KNOWN.items())
def test_an_empty_well_known_variable_counts_as_unset(known: str, name: sources.Name) -> None:
    assert at(load(**{known: ""}), name) == at(load(), name)
    assert at(load(**{known: " \n"}), name) == at(load(), name)


def test_an_empty_variable_leaves_the_files_value(toml: Path) -> None:
    toml.write_text("[model]\nretries = 7\n")

    assert load(toml, KITH_MODEL__RETRIES="").model.retries == 7


def test_a_settings_own_variable_wins_over_its_well_known_one() -> None:
    settings = load(KITH_MODEL__BASE_URL="http://own", OPENAI_BASE_URL="http://well-known")

    assert settings.model.base_url == "http://own"


def test_spaces_around_a_variables_value_do_not_count() -> None:
    settings = load(DISCORD_TOKEN=" token\n")

    assert settings.discord.token == SecretStr("token")


@pytest.mark.parametrize("name", LISTS, ids=sources.dotted)
@given(items=st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1), min_size=1))
def test_lists_may_be_separated_by_commas_or_json(name: sources.Name, items: list[str]) -> None:
    assert at(load_settings(environ={variable(name): " , ".join(items)}), name) == tuple(items)
    assert at(load_settings(environ={variable(name): json.dumps(items)}), name) == tuple(items)


def test_a_json_list_may_be_empty(toml: Path) -> None:
    toml.write_text('[model]\nchat_fallbacks = ["a"]\n')

    assert load(toml, KITH_MODEL__CHAT_FALLBACKS="[]").model.chat_fallbacks == ()


def test_home_and_relative_data_folders_become_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert load(KITH_DATA="~/kith").data_dir == tmp_path / "kith"
    assert load(KITH_DATA="data").data_dir == Path.cwd() / "data"


# --- what a mistake tells -------------------------------------------------------------------------------------------


def test_an_unknown_variable_is_named_with_the_nearest_known_one() -> None:
    assert mistakes(KITH_MODEL__RETRYS="1") == [
        "KITH_MODEL__RETRYS: there is no such setting; did you mean KITH_MODEL__RETRIES?"
    ]
    assert mistakes(KITH_MODEL_CHAT="x")[0].endswith("did you mean KITH_MODEL__CHAT?")
    assert mistakes(KITH_OPENAI_API_KEY="x")[0].endswith("did you mean OPENAI_API_KEY?")


def test_an_unknown_variable_like_no_other_gets_no_hint() -> None:
    assert mistakes(KITH_ZZZZ="x") == ["KITH_ZZZZ: there is no such setting"]


def test_an_unknown_variable_is_a_mistake_even_when_empty() -> None:
    assert mistakes(KITH_MODEL__RETRYS="")


def test_a_variable_for_a_whole_section_names_its_settings() -> None:
    assert mistakes(KITH_LOG="debug") == ["KITH_LOG: is a section; its variables are KITH_LOG__LEVEL, KITH_LOG__FORMAT"]


def test_an_unknown_key_is_named_with_file_and_nearest_known_one(toml: Path) -> None:
    toml.write_text("[memory.longtrem]\nrecall_limit = 3\n[modell]\nchat = 'x'\n")

    lines = mistakes(toml)

    assert len(lines) == 2
    assert lines[0].startswith(f"memory.longtrem (from {toml}): there is no such setting")
    assert lines[1].startswith("modell (from ")


def test_a_key_of_another_section_is_pointed_to_its_own(toml: Path) -> None:
    toml.write_text("retries = 3\n")

    assert mistakes(toml)[0].endswith("did you mean model.retries?")


def test_a_value_where_a_section_belongs_names_its_settings(toml: Path) -> None:
    toml.write_text("log = 'debug'\n")

    assert mistakes(toml)[0].endswith("is a section; its settings are log.level, log.format")


@pytest.mark.parametrize(
    ("known", "value", "wants"),
    [
        (
            "KITH_MODEL__RETRIES",
            "eleven",
            "model.retries (from KITH_MODEL__RETRIES): takes a whole number from 0 to 10",
        ),
        ("KITH_DATABASE__POOL_SIZE", "0", "takes a whole number above 0"),
        ("KITH_QDRANT__TIMEOUT_S", "inf", "takes a number above 0"),
        ("KITH_EMBEDDING__DIMENSIONS", "-1", "takes a whole number above 0"),
        ("KITH_MEMORY__WORKING__COMPRESS_AT", "1", "takes a number above 0.0 and below 1.0"),
        ("KITH_LOG__LEVEL", "loud", "takes debug or info or warning or error"),
        ("KITH_COMMUNITY__TIME_ZONE", "Mars/Base", "use a name such as Asia/Shanghai or Europe/Berlin"),
        ("KITH_COMMUNITY__TIME_ZONE", "/etc", "use a name such as Asia/Shanghai or Europe/Berlin"),
        ("KITH_MODEL__CHAT_FALLBACKS", "[1, ", "starts like a JSON array but is none"),
        ("KITH_MODEL__CHAT_FALLBACKS", "[[1]]", "takes a list (in the environment: separated by commas, or JSON)"),
    ],
)
def test_a_wrong_value_is_named_with_its_variable_and_what_it_takes(known: str, value: str, wants: str) -> None:
    (line,) = mistakes(**{known: value})

    assert known in line
    assert line.endswith(wants)


def test_a_wrong_value_of_the_file_is_named_with_the_file(toml: Path) -> None:
    toml.write_text("[log]\nlevel = 3\n")

    assert mistakes(toml) == [f"log.level (from {toml}): takes debug or info or warning or error"]


def test_all_mistakes_are_told_together(toml: Path) -> None:
    toml.write_text("colour = 1\n[agent]\nmax_message_chars = 'many'\n")

    lines = mistakes(toml, KITH_COLOUR="1", KITH_MODEL__RETRIES="eleven")

    assert [line.split()[0] for line in lines] == ["colour", "KITH_COLOUR:", "model.retries", "agent.max_message_chars"]


@pytest.mark.parametrize("name", SECRETS, ids=sources.dotted)
def test_no_mistake_shows_a_secret(name: sources.Name, toml: Path) -> None:
    toml.write_text(f"[{name[0]}]\n{name[-1]} = ['s3cret']\n")

    assert "s3cret" not in "\n".join(mistakes(toml, **{variable(name) + "S": "s3cret", "KITH_X": "s3cret"}))


def test_no_text_of_settings_shows_a_secret() -> None:
    settings = load(**{variable(name): "s3cret" for name in SECRETS})

    assert "s3cret" not in repr(settings) + str(settings) + settings.model_dump_json()


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there is no settings file"):
        load_settings(config_file=tmp_path / "missing.toml", environ={})


@pytest.mark.parametrize("content", [b"[model", b"\xff\xfe"])
def test_a_file_that_is_not_toml_is_told_so(content: bytes, toml: Path) -> None:
    toml.write_bytes(content)

    assert mistakes(toml)[0].startswith(f"{toml} is not valid TOML")


def test_a_folder_is_no_settings_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is not a file"):
        load_settings(config_file=tmp_path, environ={})


# --- the values themselves ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LEAVES, ids=sources.dotted)
def test_no_setting_can_be_changed(name: sources.Name) -> None:
    settings = load()
    section = at(settings, name[:-1])

    with pytest.raises(ValidationError, match="frozen"):
        setattr(section, name[-1], None)


def test_settings_with_equal_values_are_equal() -> None:
    assert load(KITH_MODEL__CHAT="a") == load(KITH_MODEL__CHAT="a")
    assert load(KITH_MODEL__CHAT="a") != load(KITH_MODEL__CHAT="b")


@pytest.mark.parametrize("name", LEAVES, ids=sources.dotted)
def test_every_setting_says_what_it_is(name: sources.Name) -> None:
    assert LEAVES[name].description, f"{sources.dotted(name)} needs a docstring under it in config/settings.py"


def test_the_documentation_lists_every_setting() -> None:
    written = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")

    assert written == reference.markdown(), "run: python -m config.reference docs/configuration.md"

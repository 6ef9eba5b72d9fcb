"""Where settings come from: a TOML file and the environment. Every value keeps its origin, so that a problem can say
where to mend it. No message holds a value, since any of them may be a secret in the wrong place."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

import annotated_types
from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, EnvSettingsSource, TomlConfigSettingsSource

Name = tuple[str, ...]
"""The path of a setting: `("model", "chat")` for `model.chat`."""


@dataclass(frozen=True)
class Reading:
    """What was read: the value of each setting, what its place is called, and what was wrong."""

    values: Mapping[Name, Any] = field(default_factory=dict[Name, Any])
    origins: Mapping[Name, str] = field(default_factory=dict[Name, str])
    problems: Sequence[str] = ()

    def tree(self) -> dict[str, Any]:
        root: dict[str, Any] = {}
        for name, value in self.values.items():
            section = root
            for part in name[:-1]:
                section = section.setdefault(part, {})
            section[name[-1]] = value
        return root


def merge(readings: Sequence[Reading]) -> Reading:
    """One reading of several; the later ones win."""
    return Reading(
        values={name: value for reading in readings for name, value in reading.values.items()},
        origins={name: origin for reading in readings for name, origin in reading.origins.items()},
        problems=[problem for reading in readings for problem in reading.problems],
    )


# --- the file -------------------------------------------------------------------------------------------------------


def from_toml(settings: type[BaseSettings], path: Path, *, required: bool) -> Reading:
    if not path.exists():
        return Reading(problems=[f"there is no settings file {path}; check the path given to --config"] * required)
    try:
        tree = TomlConfigSettingsSource(settings, toml_file=path)()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return Reading(problems=[f"{path} is not valid TOML: {error}"])
    except OSError as error:
        return Reading(problems=[f"{path} cannot be read: {error.strerror}"])
    if not path.is_file():
        return Reading(problems=[f"{path} is not a file"])
    known = leaves(settings)
    values: dict[Name, Any] = {}
    problems: list[str] = []
    for name, value in _flatten(tree, known):
        if name in known:
            values[name] = value
        elif _below(name, known):
            problems.append(f"{dotted(name)} (from {path}): is a section; its settings are {_list_below(name, known)}")
        else:
            hint = _nearest(dotted(name), [dotted(other) for other in known])
            problems.append(f"{dotted(name)} (from {path}): there is no such setting{hint}")
    return Reading(values=values, origins=dict.fromkeys(values, str(path)), problems=problems)


def _flatten(tree: Mapping[str, Any], known: Mapping[Name, FieldInfo], above: Name = ()) -> Iterator[tuple[Name, Any]]:
    for key, value in tree.items():
        name = (*above, key)
        if isinstance(value, dict) and _below(name, known):
            yield from _flatten(value, known, name)
        else:
            yield name, value


# --- the environment ------------------------------------------------------------------------------------------------


def from_environment(
    settings: type[BaseSettings], environ: Mapping[str, str], well_known: Mapping[str, Name]
) -> Reading:
    """Variables with the prefix of `settings`, and those of `well_known`. Empty ones count as unset."""
    prefix = str(settings.model_config.get("env_prefix"))
    known = leaves(settings)
    regular = {variable(settings, name): name for name in known}
    names = {**well_known, **regular}  # in this order: a setting's regular variable comes last and wins
    origins: dict[Name, str] = {}
    texts: dict[str, str] = {}
    given = {key.upper() if key.upper().startswith(prefix) else key: value.strip() for key, value in environ.items()}
    for key, name in names.items():
        if given.get(key):
            origins[name] = key
            texts[variable(settings, name).lower()] = given[key]
    problems = [
        f"{key}: {_unknown_variable(settings, key, known, list(names))}"
        for key in sorted(given)
        if key.startswith(prefix) and key not in names
    ]
    source = EnvSettingsSource(settings)
    source.env_vars = texts
    return Reading(values=dict(_flatten(source(), known)), origins=origins, problems=problems)


def variable(settings: type[BaseSettings], name: Name) -> str:
    """The regular environment variable of a setting."""
    config = settings.model_config
    return f"{config.get('env_prefix')}{str(config.get('env_nested_delimiter')).join(name)}".upper()


def _unknown_variable(
    settings: type[BaseSettings], key: str, known: Mapping[Name, FieldInfo], variables: Sequence[str]
) -> str:
    section = [name for name in known if variable(settings, name).startswith(f"{key}__")]
    if section:
        return f"is a section; its variables are {', '.join(variable(settings, name) for name in section)}"
    prefix = str(settings.model_config.get("env_prefix"))
    return f"there is no such setting{_nearest(key, variables, common=prefix)}"


def split_list(text: str) -> list[str]:
    """The items of a list that was given as one text: a JSON array, or items between commas."""
    if not text.lstrip().startswith("["):
        return [item.strip() for item in text.split(",") if item.strip()]
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise ValueError("starts like a JSON array but is none") from None


# --- what a setting takes, and what was wrong -----------------------------------------------------------------------


def leaves(model: type[BaseModel], above: Name = ()) -> dict[Name, FieldInfo]:
    """Every setting below `model`, without the sections themselves."""
    found: dict[Name, FieldInfo] = {}
    for key, info in model.model_fields.items():
        kind = info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            found |= leaves(kind, (*above, key))
        else:
            found[(*above, key)] = info
    return found


def dotted(name: Sequence[object]) -> str:
    return ".".join(str(part) for part in name)


def explain(model: type[BaseModel], error: ValidationError, origins: Mapping[Name, str]) -> list[str]:
    """One line for each setting that has a wrong value: its name, where it came from, what it takes."""
    known = leaves(model)
    lines: dict[str, None] = {}
    for problem in error.errors(include_url=False, include_input=False):
        name = next((n for n in known if n == problem["loc"][: len(n)]), None)
        reason = problem["msg"].removeprefix("Value error, ") if problem["type"] == "value_error" else ""
        if name is None:
            lines[reason or problem["msg"]] = None
            continue
        wants = reason or f"takes {takes(known[name])}"
        lines[f"{dotted(name)} (from {origins.get(name, 'the defaults')}): {wants}"] = None
    return list(lines)


_NOUNS: Mapping[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    Path: "a path",
    SecretStr: "a secret text",
}


def takes(info: FieldInfo) -> str:
    """What values a setting has, in words: "a whole number above 0"."""
    return _in_words(info.annotation, info.metadata)


def _in_words(kind: Any, metadata: Sequence[object]) -> str:  # noqa: ANN401 - an annotation may be any object
    if get_origin(kind) is Annotated:
        inner, *extra = get_args(kind)
        return _in_words(inner, [part for e in extra for part in (e.metadata if isinstance(e, FieldInfo) else [e])])
    if get_origin(kind) is Literal:
        return " or ".join(str(value) for value in get_args(kind))
    if get_origin(kind) is tuple:
        return "a list (in the environment: separated by commas, or JSON)"
    options = [option for option in get_args(kind) if option is not NoneType]
    if options:
        return " or ".join(_in_words(option, metadata) for option in options)
    names = {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        Path: "a path",
        SecretStr: "a secret text",
    }
    return f"{names.get(kind, 'text')} {_bounds(metadata)}".strip()


def _bounds(metadata: Sequence[object]) -> str:
    low = high = ""
    for bound in metadata:
        match bound:
            case annotated_types.Gt(limit):
                low = f"above {limit}"
            case annotated_types.Ge(limit):
                low = f"from {limit}"
            case annotated_types.Lt(limit):
                high = f"below {limit}"
            case annotated_types.Le(limit):
                high = f"to {limit}"
            case _:
                pass
    return f"{low} and {high}" if low and high.startswith("below") else f"{low} {high}".strip()


def _below(name: Name, known: Mapping[Name, FieldInfo]) -> bool:
    return any(len(other) > len(name) and other[: len(name)] == name for other in known)


def _list_below(name: Name, known: Mapping[Name, FieldInfo]) -> str:
    return ", ".join(dotted(other) for other in known if other[: len(name)] == name)


def _nearest(word: str, words: Sequence[str], *, common: str = "") -> str:
    """A hint at the known name that looks most like `word`; a prefix that all have in common does not count."""
    bare = {known.removeprefix(common): known for known in words}
    close = difflib.get_close_matches(word.removeprefix(common), bare, n=1)
    last = [known for known in words if known.rpartition(".")[2] == word.rpartition(".")[2]]
    guesses = [bare[match] for match in close] or last[:1]
    return f"; did you mean {guesses[0]}?" if guesses else ""

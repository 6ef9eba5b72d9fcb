"""How one model wants to be asked. Endpoints that call themselves compatible differ in a few fields; what a model
refuses is left out or said differently."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from bot.llm.failures import EndpointFailure
from memory.model import Prompt

JsonMode = Literal["json_schema", "json_object", "text"]

_SIMPLER: Mapping[JsonMode, JsonMode] = {"json_schema": "json_object", "json_object": "text"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """The fields that a model takes. Each step of `after` removes one, so a conversation about it ends."""

    json_mode: JsonMode = "json_schema"
    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    stream_usage: bool = True

    def request(self, prompt: Prompt, model: str, *, temperature: float | None, stream: bool) -> dict[str, Any]:
        """The fields of a chat request."""
        fields: dict[str, Any] = {"model": model, self.limit_field: prompt.max_tokens}
        fields["messages"] = [{"role": role, "content": _sendable(text)} for role, text in self._messages(prompt)]
        if temperature is not None and self.temperature:
            fields["temperature"] = temperature
        if stream and self.stream_usage:
            fields["stream_options"] = {"include_usage": True}
        if prompt.schema is not None and self.json_mode != "text":
            fields["response_format"] = self._response_format(prompt)
        return fields

    def after(self, failure: EndpointFailure, prompt: Prompt) -> Dialect | None:
        """What to try when the model refused a request in this dialect; None when the dialect is not to blame."""
        if failure.code != "bad_request":
            return None
        said = f"{failure.param} {failure.detail}".lower()
        if "max_completion_tokens" in said and self.limit_field == "max_tokens":
            return replace(self, limit_field="max_completion_tokens")
        if "temperature" in said and self.temperature:
            return replace(self, temperature=False)
        if "stream_options" in said and self.stream_usage:
            return replace(self, stream_usage=False)
        if prompt.schema is not None and self.json_mode in _SIMPLER:
            return replace(self, json_mode=_SIMPLER[self.json_mode])
        return None

    def _messages(self, prompt: Prompt) -> list[tuple[str, str]]:
        messages: list[tuple[str, str]] = list(prompt.messages)
        if prompt.schema is None or self.json_mode == "json_schema":
            return messages
        schema = json.dumps(prompt.schema, ensure_ascii=False)
        order = f"Answer with one JSON object and nothing else. It must follow this JSON schema:\n{schema}"
        if messages and messages[0][0] == "system":
            return [("system", f"{messages[0][1]}\n\n{order}"), *messages[1:]]
        return [("system", order), *messages]

    def _response_format(self, prompt: Prompt) -> dict[str, Any]:
        if self.json_mode == "json_object":
            return {"type": "json_object"}
        name = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in prompt.version)[:64]
        return {
            "type": "json_schema",
            "json_schema": {"name": name or "answer", "strict": True, "schema": prompt.schema},
        }


def _sendable(text: str) -> str:
    """Lone surrogates cannot be sent; they become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")

"""What can go wrong with a model endpoint, each with a stable code and the advice that an admin needs."""

from __future__ import annotations

from typing import Literal

Code = Literal[
    "auth",
    "forbidden",
    "not_found",
    "bad_request",
    "too_long",
    "rate_limited",
    "quota",
    "unreachable",
    "unavailable",
    "timeout",
    "empty",
    "truncated",
    "filtered",
    "interrupted",
    "garbled",
]

ADVICE: dict[Code, str] = {
    "auth": "the endpoint refused the key; check OPENAI_API_KEY (or OPENAI_BASE_URL, if the key is another service's)",
    "forbidden": "the key may not use model {model}; give it access at the provider, or choose another model",
    "not_found": "the endpoint knows no model {model}; check the model's name and OPENAI_BASE_URL",
    "bad_request": "the endpoint refused the request for model {model}; check that the model can chat",
    "too_long": "the request is longer than model {model} can read; choose a model with a longer context",
    "rate_limited": "model {model} is over its rate limit; raise the limit at the provider, or add a fallback model",
    "quota": "the account has no credit left; check plan and billing at the provider",
    "unreachable": "the endpoint cannot be reached; check OPENAI_BASE_URL, the network and any proxy",
    "unavailable": "the endpoint had an error of its own with model {model}; it should pass, else add a fallback model",
    "timeout": "model {model} did not answer in time; raise the model section's time-outs, or choose a faster one",
    "empty": "model {model} answered with nothing",
    "truncated": "model {model} used up its token limit before it said anything; raise model.max_reply_tokens",
    "filtered": "the provider's content filter stopped model {model}",
    "interrupted": "model {model} stopped in the middle of its answer",
    "garbled": "the endpoint's answer is no valid response; check that OPENAI_BASE_URL is an OpenAI-compatible API"
    " (it usually ends in /v1)",
}

PASSING: frozenset[Code] = frozenset({"rate_limited", "unreachable", "unavailable", "empty", "garbled", "interrupted"})
"""Failures that may be gone at the next try."""

OF_THE_ENDPOINT: frozenset[Code] = frozenset({"auth", "quota", "unreachable"})
"""Failures that another model of the same endpoint would meet as well."""


class EndpointFailure(Exception):
    """A call to a model endpoint failed. `detail` is the endpoint's own explanation, shortened, without any text of the
    request; `param` names the request's field that it refused, if it says so."""

    def __init__(
        self, code: Code, model: str, *, detail: str = "", param: str = "", retry_after_s: float | None = None
    ) -> None:
        advice = ADVICE[code].format(model=model)
        super().__init__(f"{advice} [{detail}]" if detail else advice)
        self.code: Code = code
        self.detail = detail
        self.param = param
        self.retry_after_s = retry_after_s

    @property
    def passing(self) -> bool:
        return self.code in PASSING

    @property
    def concerns_every_model(self) -> bool:
        return self.code in OF_THE_ENDPOINT

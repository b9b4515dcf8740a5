"""Pinned providers and models, and the names under which they answer."""

import pytest

from judgeprobe.llm.served import pinned_providers, same_model, wrong_server
from judgeprobe.records import Served


@pytest.mark.parametrize(
    ("requested", "served"),
    [
        ("openrouter/anthropic/claude-haiku-4.5", "anthropic/claude-4.5-haiku-20251001"),
        ("openrouter/anthropic/claude-haiku-4.5", "anthropic/claude-haiku-4.5"),
        ("gpt-4o", "gpt-4o-2024-08-06"),
        ("openai/gpt-4o-mini", "gpt-4o-mini-2024-07-18"),
        ("mistralai/mistral-small-24b-instruct", "mistral-small-24b-instruct-2506"),
        ("local/gemma-3-270m", "gemma-3-270m.gguf"),
        ("google/gemma-3-27b-it:free", "google/gemma-3-27b-it"),
        ("my-model", "/models/my-model"),
    ],
)  # fmt: skip
def test_names_of_one_model(requested, served):
    assert same_model(requested, served)


@pytest.mark.parametrize(
    ("requested", "served"),
    [
        ("gpt-4o", "gpt-4o-mini"),
        ("gpt-4o-mini", "gpt-4o"),
        ("claude-3-sonnet", "claude-3.5-sonnet-20240620"),
        ("claude-haiku-4.5", "claude-sonnet-4.5"),
        ("mistral-small-24b", "mistral-small-7b"),
        ("llama-3-8b", "llama-3-70b-instruct"),
        ("m", "other"),
    ],
)
def test_names_of_two_models(requested, served):
    assert not same_model(requested, served)


def test_only_a_pin_without_fallbacks_excludes_a_provider():
    assert pinned_providers({"order": ["anthropic"], "allow_fallbacks": False}) == ("anthropic",)
    assert pinned_providers({"only": ["anthropic", "azure"]}) == ("anthropic", "azure")
    assert pinned_providers({"order": ["anthropic"]}) == ()
    assert pinned_providers(None) == ()


def test_what_answered_is_held_against_the_pin_as_far_as_it_says():
    pin = {"model": "openrouter/x/m", "providers": ("Z.AI", "google-vertex/europe")}
    assert wrong_server(Served(model="m", provider="z-ai"), **pin) == ""
    assert wrong_server(Served(model="m", provider="Google Vertex"), **pin) == ""
    assert "provider 'Novita'" in wrong_server(Served(model="m", provider="Novita"), **pin)
    assert "model 'n'" in wrong_server(Served(model="n", provider="z-ai"), **pin)
    assert wrong_server(Served(), **pin) == ""

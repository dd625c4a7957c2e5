"""Names from elsewhere find the named model, and nothing is guessed between sizes."""

import pytest

from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.models import model_names
from paramproof.resolver import resolve
from paramproof.resolver.lookup import read_request, request_for_name
from paramproof.resolver.spellings import NAMES, folded
from paramproof.sources import data_file

MEANT = {
    "qwen3-8b": (
        "Qwen/Qwen3-8B",
        "Qwen/Qwen3-8B-FP8",
        "https://huggingface.co/Qwen/Qwen3-8B",
        "https://huggingface.co/Qwen/Qwen3-8B/",
        "https://huggingface.co/Qwen/Qwen3-8B/blob/main/config.json",
        "huggingface.co/Qwen/Qwen3-8B/tree/main",
        "hf.co/Qwen/Qwen3-8B-GGUF:Q4_K_M",
        "ollama.com/library/qwen3:8b",
    ),
    "llama-3.1-8b": (
        "llama3.1:8b",
        "llama3.1:8b-instruct-q4_K_M",
        "Llama 3.1 8B",
        "Llama_3.1_8B",
        "meta-llama/Meta-Llama-3.1-8B-Instruct",
        "LLAMA-3.1-8B-instruct-hf",
    ),
    "mistral-7b-v0.3": ("mistralai/Mistral-7B-Instruct-v0.3", "Mistral 7B v0.3"),
    "mixtral-8x7b": ("mistralai/Mixtral-8x7B-Instruct-v0.1", "TheBloke/mixtral-8x7b-v0.1-AWQ"),
    "tinyllama-1.1b": ("TinyLlama/TinyLlama-1.1B-Chat-v1.0",),
    "gemma-2-9b": ("google/gemma-2-9b-it", "gemma2:9b"),
    "deepseek-v3": ("deepseek-ai/DeepSeek-V3-Base", "deepseek-ai/DeepSeek-V3-0324"),
    "bert-base-uncased": ("bert_base", "BERT-Base", "google-bert/bert-base-uncased"),
    "gpt2": ("gpt-2", "openai-community/gpt2"),
    "gpt3-175b": ("gpt3", "GPT-3"),
}


@pytest.mark.parametrize(
    ("name", "text"), [(n, one) for n, texts in MEANT.items() for one in texts]
)
def test_a_name_from_elsewhere(name, text):
    found = read_request(text)
    assert found == request_for_name(text)
    assert (found.name, found.named.name) == (name, name)
    assert found.notes == (f"{text!r} is read as {name}",)
    assert [*resolve(text).remarks()][:1] == [*found.notes]


@pytest.mark.parametrize("name", ["Qwen2-VL", "BERT", "xlm_roberta"])
def test_a_model_type_in_another_spelling_has_default_sizes(name):
    found = read_request(name)
    assert found.is_default
    assert found.notes == (f"{name!r} is read as {found.keys['model_type']}",)


NO_MODELS = """mistral-7b mistralai/Mistral-7B-v0.2 Mixtral-8x7B-v0.3 gemma-22b llama-38b 8x7b 8b
whisper-large-v4 codellama-7b-python bert-base-it gpt2-base-v3 google/bert a/b/llama-3.1-8b
https://example.com/llama-3.1-8b llama-3.1 ./gpt2"""
"""Sizes, releases and languages that no named model has; types that an owner has several of."""


@pytest.mark.parametrize("text", NO_MODELS.split())
def test_nothing_is_guessed(text):
    with pytest.raises(InvalidInput):
        request_for_name(text)


def test_no_two_models_have_the_same_name_once_folded():
    names = [*model_names()]
    assert len({*map(folded, names)}) == len(names)
    also = data_file(NAMES)["also"]
    assert {*also.values()} <= {*names}
    assert {*also} == {*map(folded, also)}
    assert not {*also} & {*map(folded, names)}

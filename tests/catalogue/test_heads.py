"""Heads that a class ties although a field is false are found, built, and loaded untied."""

import json
from copy import deepcopy

import pytest

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("models of many types are built"),
]

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from safetensors.torch import save_file
from transformers import CONFIG_MAPPING

from paramproof.catalogue import entry, model_types
from paramproof.catalogue.entries import TIE
from paramproof.catalogue.names import has_type, usual_class
from sweep.library.model import attempt, model_of
from tests.configs import INTERNVL, without

SMALL = {"vocab_size": 100, "d_model": 16, "d_kv": 8, "d_ff": 24, "num_layers": 1, "num_heads": 2}

T5_KIND = {
    "t5": "T5ForConditionalGeneration",
    "mt5": "MT5ForConditionalGeneration",
    "umt5": "UMT5ForConditionalGeneration",
    "longt5": "LongT5ForConditionalGeneration",
    "udop": "UdopForConditionalGeneration",
}

CONFIGS = [
    *(
        {"model_type": kind, "architectures": [name], **SMALL, "tie_word_embeddings": False}
        for kind, name in T5_KIND.items()
    ),
    INTERNVL,
    INTERNVL | {"text_config": without(INTERNVL["text_config"], "tie_word_embeddings")},
]


WITHOUT = ("blip-2", "csm", "llama", "llava", "qwen2_vl")
"""Types with no such ties: some tie codebooks, in others a part has its own field."""


def is_table(model, name):
    return isinstance(model.get_submodule(name.rpartition(".")[0]), torch.nn.Embedding)


def tied_heads(model):
    """Return the heads that transformers ties although a field is false."""
    if getattr(model.config, TIE, None) is not True:
        return []
    ties = model.all_tied_weights_keys.items()
    return [one for one, of in ties if is_table(model, of) and not is_table(model, one)]


def test_the_heads_are_those_that_transformers_unties():
    """Of types whose class turns the field to true, or whose text part has it false."""
    found = 0
    for name in filter(has_type, model_types()):
        for keys in ({TIE: False}, {"text_config": {TIE: False}}):
            keys = {"model_type": name, **keys}
            try:
                made = entry(keys)
            except ValueError:
                continue
            model = attempt(model_of, name, usual_class(name), keys)
            # Gemma 3n needs timm, and Canary keeps a `text_config` without reading it.
            if model is not None and not made.unknown:
                assert [one.path for one in made.heads] == tied_heads(model), keys
                found += len(made.heads)
    assert found > 30


@pytest.mark.parametrize("model_type", WITHOUT)
def test_other_ties_are_no_heads(model_type):
    assert entry({"model_type": model_type}).heads == ()


def parameters(model):
    return sum(one.numel() for one in model.parameters())


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config["model_type"])
@pytest.mark.parametrize("differs", [True, False], ids=["other values", "the same values"])
def test_a_head_is_untied_only_if_the_checkpoint_differs(config, differs, tmp_path):
    found = entry(config)
    (head,) = found.heads
    model_class = getattr(transformers, found.class_name)
    model = model_class(CONFIG_MAPPING[config["model_type"]].from_dict(deepcopy(config)))
    assert parameters(model) == found.count
    (tmp_path / "config.json").write_text(json.dumps(config))
    weights = {name: one.clone() for name, one in model.state_dict().items()}
    if differs:
        weights[head.path] = torch.randn_like(weights[head.path])
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    loaded = model_class.from_pretrained(tmp_path)
    assert parameters(loaded) == (found.loaded if differs else found.count)
    assert torch.equal(loaded.get_parameter(head.path), weights[head.path])

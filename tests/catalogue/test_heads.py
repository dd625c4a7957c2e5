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

from paramproof.catalogue import entry, model_types, read_type
from paramproof.catalogue.names import transformers_types
from paramproof.tracing.constructors.transformers_class import make_readable
from sweep.library.model import untied_on_loading
from sweep.library.model_types import types_to_check
from sweep.library.seed_values import SEED_VALUES, missing_sizes
from sweep.store import data_digest
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


def written(model_type):
    there = {
        name: one.get("untied_on_loading") for name, one in read_type(model_type).classes.items()
    }
    return {name: heads for name, heads in there.items() if heads}


WITH_HEADS = [model_type for model_type in model_types() if written(model_type)]

WITHOUT = ("bark", "blip-2", "csm", "llama", "llava", "qwen2_vl")
"""Types with no such ties: some tie codebooks, in others a part has its own field."""


def heads_of(model_type):
    start = make_readable(CONFIG_MAPPING[model_type]())
    values = dict(SEED_VALUES.get(model_type, {}))
    classes = {name: getattr(transformers, name) for name in read_type(model_type).classes}
    if model_type in WITH_HEADS:
        values |= missing_sizes(model_type, start, values, next(iter(classes.values())))
    found = {name: untied_on_loading(one, start, values) for name, one in classes.items()}
    return {name: heads for name, heads in found.items() if heads}


@pytest.mark.parametrize("model_type", WITH_HEADS)
def test_the_file_has_the_heads_that_are_found(model_type):
    assert heads_of(model_type) == written(model_type)


def test_other_types_have_no_such_heads():
    """Checks widely used types, a tenth of the others, and types with other ties."""
    some = types_to_check(transformers_types(), data_digest())
    others = {*some, *T5_KIND, *WITHOUT} - {*WITH_HEADS}
    assert {name: heads for name in sorted(others) if (heads := heads_of(name))} == {}


def parameters(model):
    return sum(one.numel() for one in model.parameters())


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config["model_type"])
@pytest.mark.parametrize("differs", [True, False], ids=["other values", "the same values"])
def test_a_head_is_untied_only_if_the_checkpoint_differs(config, differs, tmp_path):
    found = entry(config)
    (head,) = found.heads
    model_class = getattr(transformers, found.derivation.name)
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

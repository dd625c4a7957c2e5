"""Configurations that transformers writes describe the models that it builds from them."""

import pytest

from paramproof.formulas.errors import InvalidInput
from paramproof.resolver import resolve
from paramproof.resolver.models import described_types
from tests.configs import BERT, ERNIE, FOUND, GPT2, LLAMA, ROBERTA, UNNAMED
from tests.frameworks.transformers_configs import OPTIONS, SMALL, config_of, model_of

pytestmark = pytest.mark.framework("transformers")


def count(keys, class_name=""):
    return resolve(keys, class_name).inventory().total()


OLD_NAMES = {"model_type": "gpt2", "vocab_size": 37, "n_positions": 9}
OLD_NAMES |= {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4}
OTHER_TENSORS = [
    {"model_type": kind, **SMALL[kind], "architectures": [name], **change}
    for kind, name, change in OPTIONS
]
CONFIGS = [BERT, ERNIE, ROBERTA, GPT2, LLAMA, *FOUND.values(), OLD_NAMES, *OTHER_TENSORS]


@pytest.mark.parametrize("keys", CONFIGS)
def test_a_configuration_has_the_count_of_its_model(keys):
    # The current name of the class is used: transformers lacks older ones.
    name = resolve(keys).reading.class_name
    assert count(keys) == model_of(config_of(keys), name).num_parameters()


@pytest.mark.parametrize(("keys", "kind", "name"), UNNAMED.values(), ids=UNNAMED)
def test_unnamed(keys, kind, name):
    model = model_of(config_of({"model_type": kind, **keys}), name)
    assert count(keys) == model.num_parameters()


@pytest.mark.parametrize("kind", described_types())
def test_defaults_with_every_key_of_today(kind):
    config = config_of({"model_type": kind})
    found = resolve(config.to_dict())
    assert (found.reading.is_class_named, found.reading.unknown) == (False, ())
    model = model_of(config, found.reading.class_name)
    assert found.inventory().total() == model.num_parameters()


@pytest.mark.parametrize(
    ("kind", "name", "key"),
    [
        ("openai-gpt", "OpenAIGPTLMHeadModel", {"afn": "gelu"}),
        ("ctrl", "CTRLLMHeadModel", {"dff": 4 * SMALL["gpt2"]["n_embd"]}),
    ],
)
def test_other_models_with_the_keys_of_gpt2_would_be_miscounted(kind, name, key):
    sizes = SMALL["gpt2"]
    with pytest.raises(InvalidInput) as caught:
        resolve(sizes | key)
    assert caught.value.key == "model_type"
    config = config_of({"model_type": kind, **sizes, **key})
    assert count(sizes) != model_of(config, name).num_parameters()

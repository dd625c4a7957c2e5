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


@pytest.mark.parametrize("keys", [BERT, ERNIE, ROBERTA, GPT2, LLAMA, *FOUND.values()])
def test_released(keys):
    # The current name of the class is used: transformers lacks older ones.
    name = resolve(keys).reading.class_name
    assert count(keys) == model_of(config_of(keys), name).num_parameters()


@pytest.mark.parametrize(("keys", "kind", "name"), UNNAMED.values(), ids=UNNAMED)
def test_unnamed(keys, kind, name):
    model = model_of(config_of({"model_type": kind, **keys}), name)
    assert count(keys) == model.num_parameters()


@pytest.mark.parametrize("kind", described_types())
def test_defaults(kind):
    config = config_of({"model_type": kind})
    found = resolve(config.to_dict())
    assert not found.reading.is_class_named
    model = model_of(config, found.reading.class_name)
    assert found.inventory().total() == model.num_parameters()


def test_old_names_of_sizes():
    keys = {"model_type": "gpt2", "vocab_size": 37, "n_positions": 9}
    keys |= {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4}
    assert count(keys) == model_of(config_of(keys), "GPT2LMHeadModel").num_parameters()


@pytest.mark.parametrize(("kind", "name", "change"), OPTIONS)
def test_other_tensors_than_the_family_has(kind, name, change):
    """The count agrees with the model that transformers builds, not with the family's."""
    keys = {"model_type": kind, **SMALL[kind], "architectures": [name]}
    number = model_of(
        config_of({"model_type": kind, **SMALL[kind], **change}), name
    ).num_parameters()
    assert count(keys | change) == number != count(keys)


@pytest.mark.parametrize(
    ("kind", "name"), [("openai-gpt", "OpenAIGPTLMHeadModel"), ("ctrl", "CTRLLMHeadModel")]
)
def test_other_models_with_the_keys_of_gpt2_would_be_miscounted(kind, name):
    sizes = SMALL["gpt2"]
    keys = {"ctrl": {"dff": 4 * sizes["n_embd"]}, "openai-gpt": {"afn": "gelu"}}[kind]
    with pytest.raises(InvalidInput) as caught:
        resolve(sizes | keys)
    assert caught.value.key == "model_type"
    config = config_of({"model_type": kind, **sizes, **keys})
    assert count(sizes) != model_of(config, name).num_parameters()


@pytest.mark.parametrize("kind", described_types())
def test_every_key_of_todays_configurations_is_known(kind):
    assert resolve(config_of({"model_type": kind}).to_dict()).reading.unknown == ()

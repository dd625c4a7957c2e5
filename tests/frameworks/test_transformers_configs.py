"""A configuration that Hugging Face writes is read as the model that it builds from it."""

import pytest
from paramproof.sources.configs import read_config, spec_of_config
from paramproof.sources.configs.formats import BY_MODEL_TYPE, FORMATS

from paramproof.formulas import closed_form
from tests.configs import BERT, ERNIE, GPT2, LLAMA, ROBERTA
from tests.found_configs import FOUND, UNNAMED
from tests.frameworks.transformers_configs import CLASSES, SMALL, config_of, model_of

pytestmark = pytest.mark.framework("transformers")


@pytest.mark.parametrize(("kind", "name"), CLASSES)
def test_small(kind, name, tmp_path):
    """By what to_dict says, and by the file that it saves."""
    config = config_of({"model_type": kind, **SMALL[kind], "pad_token_id": None})
    model = model_of(config, name)
    assert read_config(config.to_dict(), name).assumed is False
    count = closed_form(read_config(config.to_dict(), name).spec.letters())
    assert count == model.num_parameters()
    # The file that a saved model has names its class.
    config.architectures = [type(model).__name__]
    config.save_pretrained(tmp_path)
    saved = read_config(tmp_path / "config.json")
    assert (saved.architecture, closed_form(saved.spec.letters())) == (name, count)


@pytest.mark.parametrize("keys", [BERT, ERNIE, ROBERTA, GPT2, LLAMA, *FOUND.values()])
def test_released(keys):
    # Today's name of the class is asked for: transformers has no older one.
    name = read_config(keys).architecture
    assert closed_form(spec_of_config(keys).letters()) == (
        model_of(config_of(keys), name).num_parameters()
    )


@pytest.mark.parametrize(("keys", "kind", "name"), UNNAMED.values(), ids=UNNAMED)
def test_unnamed(keys, kind, name):
    count = closed_form(spec_of_config(keys).letters())
    assert count == model_of(config_of({"model_type": kind, **keys}), name).num_parameters()


@pytest.mark.parametrize("kind", BY_MODEL_TYPE)
def test_defaults(kind):
    config = config_of({"model_type": kind})
    read = read_config(config.to_dict())
    assert read.assumed
    assert closed_form(read.spec.letters()) == model_of(config, read.architecture).num_parameters()


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
@pytest.mark.parametrize("tied", [True, False])
def test_tied_or_not(kind, tied):
    config = config_of({"model_type": kind, **SMALL[kind], "tie_word_embeddings": tied})
    spec = spec_of_config(config.to_dict())
    assert spec.tie_word_embeddings is tied
    name = BY_MODEL_TYPE[kind].default
    assert closed_form(spec.letters()) == model_of(config, name).num_parameters()


def test_old_names_of_sizes():
    keys = {"model_type": "gpt2", "vocab_size": 37, "n_positions": 9}
    keys |= {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4}
    count = closed_form(spec_of_config(keys).letters())
    assert count == model_of(config_of(keys), "GPT2LMHeadModel").num_parameters()


REFUSED = [
    ("bert", "BertLMHeadModel", {"is_decoder": True, "add_cross_attention": True}),
    ("bert", "BertForMaskedLM", {"tie_word_embeddings": False}),
    ("roberta", "RobertaForMaskedLM", {"tie_word_embeddings": False}),
    ("ernie", "ErnieModel", {"use_task_id": True}),
    ("gpt2", "GPT2LMHeadModel", {"add_cross_attention": True}),
    ("llama", "LlamaForCausalLM", {"attention_bias": True}),
    ("llama", "LlamaForCausalLM", {"mlp_bias": True}),
]


@pytest.mark.parametrize(("kind", "name", "change"), REFUSED)
def test_what_is_refused_would_be_miscounted(kind, name, change):
    """It has other parameters than the same model without the change."""
    config = config_of({"model_type": kind, **SMALL[kind], **change})
    found = BY_MODEL_TYPE[kind]
    counted = name if name in found.architectures else found.default
    with pytest.raises(ValueError, match="is not counted"):
        spec_of_config(config.to_dict() | {"architectures": [counted]} | change)
    plain = config_of({"model_type": kind, **SMALL[kind]})
    # A decoder is refused for its attention, which only reads what came before, as well.
    plain.is_decoder = config.to_dict().get("is_decoder", False)
    assert model_of(config, name).num_parameters() != model_of(plain, name).num_parameters()


@pytest.mark.parametrize(
    ("kind", "name"), [("openai-gpt", "OpenAIGPTLMHeadModel"), ("ctrl", "CTRLLMHeadModel")]
)
def test_other_models_with_the_keys_of_gpt2_would_be_miscounted(kind, name):
    sizes = SMALL["gpt2"]
    keys = {"ctrl": {"dff": 4 * sizes["n_embd"]}, "openai-gpt": {"afn": "gelu"}}[kind]
    with pytest.raises(ValueError, match=f"{next(iter(keys))}=.* is not counted"):
        spec_of_config(sizes | keys)
    config = config_of({"model_type": kind, **sizes, **keys})
    count = closed_form(spec_of_config(sizes).letters())
    assert count != model_of(config, name).num_parameters()


def test_every_key_of_todays_configurations_is_known():
    for kind, found in BY_MODEL_TYPE.items():
        assert set(config_of({"model_type": kind}).to_dict()) <= found.keys
    assert len(FORMATS) == len(BY_MODEL_TYPE) + 1

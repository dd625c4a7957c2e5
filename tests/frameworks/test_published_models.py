"""Named configurations compared with transformers: each count, and active parameters by name."""

import re

import pytest

from paramproof.formulas.active import per_token
from paramproof.formulas.models import named_configurations
from paramproof.resolver import resolve
from paramproof.views.conventions import total_and_active
from tests.frameworks.modules import transformers
from tests.frameworks.transformers_configs import built

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("published models are built"),
]

MODELS = named_configurations()
WITH_EXPERTS = [name for name, model in MODELS.items() if model.active]
EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts")
TABLES = ("embed_tokens.weight", "pos_embed.weight")

KINDS = {
    "DeepseekV3ForCausalLM": "packed in one tensor, beside dense layers and shared experts",
    "Ernie4_5_MoeForCausalLM": "a bias of the router that is not trained",
    "Glm4MoeForCausalLM": "packed",
    "GptOssForCausalLM": "packed, with biases, those of the router too",
    "GraniteMoeForCausalLM": "packed, in modules that are not called experts",
    "GraniteMoeHybridForCausalLM": "the same, beside other kinds of layers",
    "JambaModel": "beside dense and Mamba layers",
    "MiniMaxM2ForCausalLM": "packed",
    "MixtralForCausalLM": "packed",
    "NemotronHForCausalLM": "not gated, beside other kinds of layers",
    "OlmoeForCausalLM": "packed",
    "Qwen2MoeForCausalLM": "with one shared expert, and a gate of its own",
    "Qwen3MoeForCausalLM": "in some of the layers",
    "Qwen3NextForCausalLM": "beside linear attention",
}
"""Classes of the catalogue with experts, and the kind of their experts."""

JETMOE = {"model_type": "jetmoe", "architectures": ["JetMoeForCausalLM"], "vocab_size": 96}
JETMOE |= {"hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 3, "kv_channels": 8}
JETMOE |= {"num_key_value_heads": 4, "num_local_experts": 6, "num_experts_per_tok": 2}
"""JetMoe has experts in attention, too, and a router in their own module."""

OF_EXPERTS = re.compile(
    r"\.experts\.(?!router|bias)|block_sparse_moe\.(in|out)put_linear|\.mlp\.(in|out)put_linear"
)
"""Parameters of experts by name, whatever their shapes; JetMoe's experts share a bias."""


def built_parameters(keys):
    return dict(built(keys).named_parameters())


def total(parameters):
    return sum(one.numel() for one in parameters.values() if one.requires_grad)


def active(parameters, experts, chosen):
    """Return the count with k of E experts; each tensor of the experts is divided separately."""
    found = 0
    for name, one in parameters.items():
        number = one.numel() if one.requires_grad else 0
        if OF_EXPERTS.search(name):
            assert number % experts == 0
            number = number // experts * chosen
        found += number
    return found


@pytest.mark.documented("transformers")
@pytest.mark.parametrize("name", MODELS)
def test_a_named_configuration_has_transformers_count(name):
    assert resolve(name).inventory().total() == total(built_parameters(MODELS[name].keys))


@pytest.mark.parametrize("name", WITH_EXPERTS)
def test_a_named_configuration_has_transformers_active_count(name):
    text = MODELS[name].keys.get("text_config", MODELS[name].keys)
    parameters = built_parameters(MODELS[name].keys)
    experts = next(text[k] for k in EXPERTS if k in text)
    counted = [one.active for _, one in sorted(total_and_active(resolve(name)).items()) if one]
    whole = active(parameters, experts, text["num_experts_per_tok"])
    tables = sum(one.numel() for k, one in parameters.items() if k.endswith(TABLES))
    head = next(one.numel() for k, one in parameters.items() if k.endswith("lm_head.weight"))
    assert counted == [whole, whole - tables, whole - tables - head][: len(counted)] != []


@pytest.mark.documented("transformers")
@pytest.mark.parametrize("class_name", KINDS)
def test_experts_of_the_catalogue(class_name):
    config_class = getattr(transformers, class_name).config_class
    keys = {"model_type": config_class.model_type, "architectures": [class_name]}
    model = resolve(keys)
    assert model.seconds is None
    assert_same_counts(model, built_parameters(keys))


def test_experts_in_attention():
    """Derived on demand, since the catalogue lacks the type."""
    assert_same_counts(resolve(JETMOE), built_parameters(JETMOE))


def assert_same_counts(model, parameters):
    ((experts, chosen),) = per_token(model.architecture).items()
    sizes = model.architecture.sizes
    assert any(map(OF_EXPERTS.search, parameters))
    found = total_and_active(model)["embedding-and-head"]
    of_token = active(parameters, sizes[experts], sizes[chosen])
    assert (found.total, found.active) == (total(parameters), of_token)
    assert found.active < found.total

"""Named configurations held to transformers: each count, and what is active, by modules' names."""

import re
from collections.abc import Mapping

import pytest

from paramproof.builders.meta import meta
from paramproof.cli.active import total_and_active
from paramproof.derive.models import resolve
from paramproof.formulas.models import named_configurations

pytestmark = pytest.mark.framework("transformers")

pytest.importorskip("transformers")

MODELS = named_configurations()
WITH_EXPERTS = [name for name, model in MODELS.items() if model.active]

SMALL: dict[str, Mapping[str, object]] = {
    "mixtral": {"num_local_experts": 6, "num_experts_per_tok": 2},
    "qwen3_moe": {"num_experts": 6, "num_experts_per_tok": 3, "moe_intermediate_size": 24},
    "qwen2_moe": {"num_experts": 6, "num_experts_per_tok": 3, "moe_intermediate_size": 24},
    "gpt_oss": {"num_local_experts": 4, "num_experts_per_tok": 2, "head_dim": 8},
    "deepseek_v3": {
        "n_routed_experts": 8,
        "num_experts_per_tok": 2,
        "n_group": 2,
        "topk_group": 1,
        "first_k_dense_replace": 1,
        "moe_intermediate_size": 24,
    },
    "olmoe": {"num_experts": 6, "num_experts_per_tok": 2, "vocab_size": 60000},
    "granitemoe": {"num_local_experts": 6, "num_experts_per_tok": 2},
    "jetmoe": {"num_local_experts": 6, "num_experts_per_tok": 2, "kv_channels": 8},
}
"""Packed in one tensor; with biases; beside dense layers and shared experts; attention's."""

SIZES = {
    "vocab_size": 96,
    "hidden_size": 32,
    "intermediate_size": 40,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
OF_EXPERTS = re.compile(
    r"\.experts\.(?!router|bias)|block_sparse_moe\.(in|out)put_linear|\.mlp\.(in|out)put_linear"
)
"""Parameters of experts by their names, whatever their shapes."""


def built(keys):
    """What transformers makes of the keys of a configuration: parameters by name."""
    import transformers

    named = keys["architectures"][0]
    own = {key: value for key, value in keys.items() if key not in ("model_type", "architectures")}
    config = transformers.CONFIG_MAPPING[keys["model_type"]](**own)
    with meta():
        model = getattr(transformers, named)(config)
    return dict(model.named_parameters())


def total(parameters):
    return sum(one.numel() for one in parameters.values() if one.requires_grad)


def active(parameters, experts, chosen):
    """The same with k of E experts; each of the experts' tensors is divided alone."""
    found = 0
    for name, one in parameters.items():
        number = one.numel()
        if OF_EXPERTS.search(name):
            assert number % experts == 0
            number = number // experts * chosen
        found += number
    return found


@pytest.mark.parametrize("name", MODELS)
def test_named_configuration_has_what_transformers_builds(name):
    assert resolve(name).inventory().total() == total(built(MODELS[name].keys))


@pytest.mark.parametrize("name", WITH_EXPERTS)
def test_named_configuration_has_what_is_active(name):
    keys = MODELS[name].keys
    parameters = built(keys)
    experts = [
        keys[k] for k in ("num_experts", "num_local_experts", "n_routed_experts") if k in keys
    ]
    found = total_and_active(resolve(name))
    whole = active(parameters, experts[0], keys["num_experts_per_tok"])
    table = parameters["model.embed_tokens.weight"].numel()
    assert [one.active for one in found.values()] == [whole, whole - table, whole - 2 * table]


@pytest.mark.parametrize("model_type", SMALL)
def test_experts_of_every_kind(model_type):
    """Packed, in lists and in attention, from the catalogue or derived on the spot."""
    import transformers

    config_class = transformers.CONFIG_MAPPING[model_type]
    (class_name,) = {
        name
        for name in dir(transformers)
        if name.endswith("ForCausalLM")
        and name.lower() == f"{model_type.replace('_', '')}forcausallm"
    }
    sizes = {config_class.attribute_map.get(key, key): value for key, value in SIZES.items()}
    keys = {"model_type": model_type, "architectures": [class_name], **sizes, **SMALL[model_type]}
    experts, chosen = (
        next(value for key, value in keys.items() if re.fullmatch(pattern, key))
        for pattern in (r".*(num|local|routed)_experts", r".*per_tok")
    )
    parameters = built(keys)
    assert any(map(OF_EXPERTS.search, parameters))
    found = total_and_active(resolve(keys))["embedding-and-head"]
    assert (found.total, found.active) == (total(parameters), active(parameters, experts, chosen))
    assert found.active < found.total

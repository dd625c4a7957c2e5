"""Classes of transformers with small configurations, and the models built from them."""

from paramproof.resolver.models import described_types
from tests.configs import without
from tests.frameworks.modules import transformers

CLASSES = [(kind, name) for kind, found in described_types().items() for name in found["classes"]]
SMALL = {
    "bert": {"vocab_size": 37, "hidden_size": 12, "num_hidden_layers": 3, "intermediate_size": 7},
    "gpt2": {"vocab_size": 37, "n_embd": 24, "n_layer": 2, "n_head": 3, "n_positions": 11},
    "llama": {
        **{"vocab_size": 37, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 6},
        **{"num_key_value_heads": 2, "head_dim": 10, "intermediate_size": 17},
    },
}
SMALL["ernie"] = SMALL["bert"] | {"type_vocab_size": 4}
SMALL["phi3"] = SMALL["llama"] | {"head_dim": 4}
SMALL["roberta"] = SMALL["bert"] | {"max_position_embeddings": 19, "type_vocab_size": 1}
OPTIONS = [
    ("bert", "BertForMaskedLM", {"tie_word_embeddings": False}),
    ("roberta", "RobertaForMaskedLM", {"tie_word_embeddings": False}),
    ("ernie", "ErnieModel", {"use_task_id": True}),
    ("gpt2", "GPT2LMHeadModel", {"add_cross_attention": True}),
    ("llama", "LlamaForCausalLM", {"attention_bias": True}),
    ("llama", "LlamaForCausalLM", {"mlp_bias": True}),
]
"""Options with which a model has more tensors than its family."""

NO_IDS = {"pad_token_id": None, "bos_token_id": None, "eos_token_id": None}
"""Of models whose vocabulary is smaller than the ids of special tokens."""


def model_of(config, name):
    from paramproof.builders.meta import meta

    with meta():
        return getattr(transformers, name)(config)


def config_of(keys):
    from transformers import AutoConfig

    return AutoConfig.for_model(keys["model_type"], **without(keys, "model_type"))


def built(keys, **changes):
    return model_of(config_of(keys | changes), keys["architectures"][0])

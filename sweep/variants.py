"""Values of selecting fields with which a class is derived, beside the type's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from transformers import PreTrainedConfig

from paramproof.formulas.path import leaf
from sweep.model import attribute_or_none
from sweep.most_used import WIDELY_USED
from sweep.seed_values import SEED_PARTS

MAX_CHANGES = 4
"""The largest number of changes of a class, beside the public ones, for a widely used type."""

MAX_CHANGES_OTHERS = 1
"""The same for any other type: its ties, if it has any."""

VARIANT_SIZE = 8
"""The size, in a variant, of a field that is null or 0 by default."""

TASK_ENDINGS = ("Classification", "QuestionAnswering")
"""Endings of classes whose variants are composed from a part and a head."""

PUBLIC_CHANGES: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "bert": [{"is_decoder": True}, {"is_decoder": True, "add_cross_attention": True}],
    "t5": [
        {"feed_forward_proj": "gated-gelu"},
        {"feed_forward_proj": "gated-gelu", "is_gated_act": True},
    ],
    "umt5": [
        {"feed_forward_proj": "gated-gelu"},
        {"feed_forward_proj": "gated-gelu", "is_gated_act": True},
    ],
    "falcon": [
        {"new_decoder_architecture": True},
        {"new_decoder_architecture": True, "parallel_attn": True, "multi_query": True},
        {"alibi": True, "bias": True, "multi_query": False, "parallel_attn": False},
    ],
    "deberta-v2": [
        {
            "relative_attention": True,
            "position_buckets": 256,
            "norm_rel_ebd": "layer_norm",
            "share_att_key": True,
            "pos_att_type": ["p2c", "c2p"],
            "position_biased_input": False,
        },
    ],
    "wav2vec2": [
        {"feat_extract_norm": "layer", "do_stable_layer_norm": True, "conv_bias": True},
    ],
    "phi": [{"qk_layernorm": True}],
}
"""Changes of models that many people load."""


class Change(NamedTuple):
    """Values that a variant has instead of the type's own, and null fields that are sizes in it."""

    where: Mapping[str, Any]
    sized: tuple[str, ...] = ()

    def inside(self, part: str) -> Change:
        """Return the change for a part."""
        where = {f"{part}.{path}": value for path, value in self.where.items()}
        return Change(where, tuple(f"{part}.{path}" for path in self.sized))

    def also(self, where: Mapping[str, Any]) -> Change:
        """Return the change with more values."""
        return self._replace(where={**self.where, **where})


WITHOUT_AUDIO = {"audio_config": None}

GEMMA4_GLOBAL = ("global_head_dim", "num_global_key_value_heads")

GEMMA4 = (
    Change({"hidden_size_per_layer_input": 0}, GEMMA4_GLOBAL[:1]),
    Change({"hidden_size_per_layer_input": 0, "attention_k_eq_v": True}, GEMMA4_GLOBAL),
    Change(
        {
            "hidden_size_per_layer_input": 0,
            "attention_k_eq_v": True,
            "enable_moe_block": True,
            "top_k_experts": 8,
        },
        (*GEMMA4_GLOBAL, "num_experts", "moe_intermediate_size"),
    ),
)

LLAMA4 = (Change({"interleave_moe_layer_step": 2}),)

SERVED_CHANGES: Mapping[str, Sequence[Change]] = {
    "gemma4": [one.inside("text_config").also(WITHOUT_AUDIO) for one in GEMMA4],
    "gemma4_text": GEMMA4,
    "kimi_k25": [Change({"tie_word_embeddings": False})],
    "llama4": [one.inside("text_config") for one in LLAMA4],
    "llama4_text": LLAMA4,
    "nemotron_h": [Change({}, ("moe_latent_size",))],
}
"""Changes of models that many people serve, whose configurations differ from the type's own."""


def candidate_changes(
    model_type: str, start: PreTrainedConfig, moved: Mapping[str, Sequence[Any]]
) -> Iterator[tuple[dict[str, Any], dict[str, int]]]:
    """Yield the changes to derive for a class: values, and sizes of null fields.

    ``moved`` has the values that gave other tensors, by field.
    """
    parts = list(SEED_PARTS.get(model_type, ()))
    for number in range(1, len(parts) + 1):
        for absent in combinations(parts, number):
            yield dict.fromkeys(absent), {}
    for public in PUBLIC_CHANGES.get(model_type, ()):
        yield dict(public), {}
    flags: list[tuple[dict[str, Any], dict[str, int]]] = []
    for path, values in moved.items():
        own = attribute_or_none(start, path)
        whole = any(type(one) is int for one in values) and not is_tie(path)
        if own in (None, 0) and own is not False and whole:
            flags.append(({}, {path: VARIANT_SIZE}))
        else:
            flags += [({path: one}, {}) for one in values if type(one) is bool and one != own][:1]
    # Ties are the most common changes.
    flags.sort(key=lambda change: not any(map(is_tie, change[0])))
    most = MAX_CHANGES if model_type in WIDELY_USED.split() else MAX_CHANGES_OTHERS
    number = 0
    for together in range(1, len(flags) + 1):
        if together > 1 and 2 ** len(flags) > 2 * most:
            break
        for chosen in combinations(flags, together):
            where = {path: value for values, _ in chosen for path, value in values.items()}
            sized = {path: size for _, sizes in chosen for path, size in sizes.items()}
            if number < most:
                yield where, sized
            number += 1


def is_tie(path: str) -> bool:
    """Return whether a field ties weights, whatever values beside true and false it accepts."""
    return leaf(path).startswith("tie")

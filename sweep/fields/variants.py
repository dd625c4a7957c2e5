"""Values of selecting fields with which a class is derived, beside the type's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

from transformers import PreTrainedConfig

from paramproof.catalogue.files import type_of
from paramproof.formulas.path import leaf
from sweep.library.model import attribute_or_none
from sweep.library.model_types import WIDELY_USED, parts_of
from sweep.library.seed_values import SEED_PARTS

MAX_CHANGES = 4
"""The largest number of changes of a class, beside the held ones, for a widely used type."""

MAX_CHANGES_OTHERS = 1
"""The same for any other type: its ties, if it has any."""

VARIANT_SIZE = 8
"""The size, in a variant, of a field that is null or 0 by default."""

TASK_ENDINGS = ("Classification", "QuestionAnswering")
"""Endings of classes whose variants are composed from a part and a head."""


class Change(NamedTuple):
    """Values that a variant has instead of the type's own, and null fields that are sizes in it.

    ``at`` has the sizes at which it is derived, if they are others than the type's own. Other sizes
    may have other tensors: ELECTRA projects its embeddings only if two widths differ. ``lists`` has
    lists of sizes that are longer than the type's own.
    """

    where: Mapping[str, Any]
    sized: tuple[str, ...] = ()
    at: Mapping[str, int] = {}
    lists: Mapping[str, Sequence[int]] = {}

    @property
    def items(self) -> dict[str, int]:
        lists = self.lists.items()
        return {f"{path}[{i}]": size for path, sizes in lists for i, size in enumerate(sizes)}

    def inside(self, part: str) -> Change:
        where = {f"{part}.{path}": value for path, value in self.where.items()}
        at = {f"{part}.{path}": size for path, size in self.at.items()}
        lists = {f"{part}.{path}": sizes for path, sizes in self.lists.items()}
        return Change(where, tuple(f"{part}.{path}" for path in self.sized), at, lists)

    def also(self, where: Mapping[str, Any]) -> Change:
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

SLIDING, FULL = "sliding_attention", "full_attention"


def gemma4_shared(pattern: Sequence[str], shared: int, *, wide: bool) -> Change:
    """Return the change of a Gemma 4 whose last ``shared`` layers have no keys and values."""
    layers = [*pattern] * 7
    where = {"layer_types": layers, "use_double_wide_mlp": wide}
    sized = (GEMMA4_GLOBAL[0], "num_kv_shared_layers")
    return Change(where, sized, {"num_hidden_layers": len(layers), "num_kv_shared_layers": shared})


GEMMA4_E = (
    gemma4_shared([*[SLIDING] * 4, FULL], 20, wide=True),
    gemma4_shared([*[SLIDING] * 5, FULL], 18, wide=False),
)


def laguna(periods: int, heads: int) -> Change:
    """Return the change of a Laguna of periods of a full and three sliding layers."""
    layers = [FULL, *[SLIDING] * 3] * periods
    numbers = [48, *[heads] * 3] * periods
    at = {"num_hidden_layers": len(layers)}
    return Change({"layer_types": layers}, (), at, {"num_attention_heads_per_layer": numbers})


LAGUNA = (laguna(10, 64), laguna(12, 72).also({"gating": "per-head"}))

BIASED = {"attention_bias": True, "mlp_bias": True}

LLAMA4 = (Change({"interleave_moe_layer_step": 2}),)

GATED_GELU = (
    Change({"feed_forward_proj": "gated-gelu"}),
    Change({"feed_forward_proj": "gated-gelu", "is_gated_act": True}),
)

GATED_SILU = Change({"feed_forward_proj": "gated-silu", "is_gated_act": True})


def gpt_neo(layers: int) -> Change:
    """Return the change of a GPT-Neo whose layers look at everything and nearby, by turns."""
    return Change(
        {"attention_types": [[["global", "local"], layers // 2]]}, at={"num_layers": layers}
    )


def sam2(*blocks: int, looking: Sequence[int]) -> Change:
    """Return the change of a SAM 2 with so many blocks per stage, of which some look at all."""
    lists = {"blocks_per_stage": [*blocks], "global_attention_blocks": looking}
    return Change({}, lists=lists).inside("vision_config.backbone_config")


SAM2 = (
    sam2(1, 2, 11, 2, looking=[7, 10, 13]),
    sam2(2, 3, 16, 3, looking=[12, 16, 20]),
    sam2(2, 6, 36, 4, looking=[23, 33, 43]),
)

SWIN_HEADS = tuple(
    Change(
        {},
        at={"embed_dim": 32 * heads},
        lists={"num_heads": [heads * 2**stage for stage in range(4)]},
    ).inside("backbone_config")
    for heads in (3, 6)
)

GEMMA3N_E2B = Change(
    {},
    at={"num_hidden_layers": 30, "num_kv_shared_layers": 10},
    lists={"intermediate_size": [8192] * 30},
)

RESNET_BASIC = Change(
    {"layer_type": "basic", "downsample_in_first_stage": False},
    at={"embedding_size": 64},
    lists={"depths": [2, 2, 2, 2], "hidden_sizes": [64, 128, 256, 512]},
)

RT_DETR_BASIC = RESNET_BASIC.inside("backbone_config").also({"hidden_expansion": 0.5})

WEIGHTED = {"use_weighted_layer_sum": True}

BARK_PARTS = ("semantic_config", "coarse_acoustics_config", "fine_acoustics_config")

CONFORMER_POSITIONS = ("relative", "rotary")

WITHOUT_HEAD = Change({"vision_config.vision_use_head": False})

LOOKING = [*range(3, 100, 5)]

DEBERTA_V3 = {
    "relative_attention": True,
    "position_buckets": 256,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": ["c2p", "p2c"],
    "position_biased_input": False,
}

SPEECH_LARGE = {"feat_extract_norm": "layer", "conv_bias": True}

SPEECH_LARGE_STABLE = {**SPEECH_LARGE, "do_stable_layer_norm": True}

NEW_FALCON = {"new_decoder_architecture": True, "parallel_attn": True, "multi_query": True}

CROSS_ATTENTION = Change({"decoder.is_decoder": True, "decoder.add_cross_attention": True})

ENCODER_WIDTH = "decoder.cross_attention_hidden_size"

READING = CROSS_ATTENTION._replace(sized=(ENCODER_WIDTH,), at={ENCODER_WIDTH: 768})

TROCR = (
    READING,
    READING.also({"encoder.qkv_bias": False}),
    READING.also({"decoder.tie_word_embeddings": False}),
    READING.also({"encoder.qkv_bias": False, "decoder.tie_word_embeddings": False}),
)

TIED = {"tie_word_embeddings": True, "text_config.tie_word_embeddings": True}

DINOV3_GATED = {"use_gated_mlp": True}

HELD_CHANGES: Mapping[str, Sequence[Change]] = {
    "aimv2_vision_model": [Change({"use_head": False})],
    "aya_vision": [Change({"alignment_intermediate_size": 28_672})],
    "bark": [
        Change({f"{part}.bias": False for part in BARK_PARTS}),
    ],
    "bert": [
        Change({"is_decoder": True}),
        Change({"is_decoder": True, "add_cross_attention": True}),
    ],
    "clipseg": [Change({"use_complex_transposed_convolution": True})],
    "cohere2_vision": [WITHOUT_HEAD],
    "convbert": [Change({}, at={"embedding_size": 384})],
    "dab-detr": [Change({"activation_function": "relu"})],
    "data2vec-audio": [Change(WEIGHTED)],
    "data2vec-vision": [Change({"use_relative_position_bias": True})],
    "deberta": [
        Change(
            {
                "relative_attention": True,
                "pos_att_type": ["c2p", "p2c"],
                "position_biased_input": False,
            }
        )
    ],
    "deberta-v2": [
        Change(DEBERTA_V3),
        Change(DEBERTA_V3, ("attention_head_size",)),
        Change(DEBERTA_V3, ("attention_head_size", "conv_kernel_size")),
        Change(DEBERTA_V3, ("conv_kernel_size",)),
    ],
    "deepseek_v2": [Change({"q_lora_rank": None}, ("first_k_dense_replace",))],
    "deepseek_v3": [Change({"q_lora_rank": None})],
    "deepseek_vl": [WITHOUT_HEAD],
    "deformable_detr": [
        Change({"with_box_refine": True}),
        Change({"with_box_refine": True, "two_stage": True}),
    ],
    "depth_anything": [Change({"depth_estimation_type": "metric"})],
    "detr": [Change({"backbone_config.backbone": "resnet101"})],
    "dinov3_vit": [
        Change({}, ("num_register_tokens",)),
        Change(DINOV3_GATED, ("num_register_tokens",)),
        Change(
            {**DINOV3_GATED, "query_bias": False, "value_bias": False}, ("num_register_tokens",)
        ),
    ],
    "dots1": [Change({}, ("head_dim",)), Change({}, ("first_k_dense_replace", "head_dim"))],
    "dpt": [
        Change({"use_bias_in_fusion_residual": True}),
        Change({"use_batch_norm_in_fusion_residual": True}),
    ],
    "electra": [Change({}, at={"embedding_size": 256})],
    "encoder-decoder": [CROSS_ATTENTION],
    "esm": [
        Change({"emb_layer_norm_before": False}),
        Change({"emb_layer_norm_before": False, "tie_word_embeddings": False}),
        Change({"position_embedding_type": "rotary"}),
        Change({"position_embedding_type": "rotary", "emb_layer_norm_before": False}),
    ],
    "falcon": [
        Change({"new_decoder_architecture": True}),
        Change(NEW_FALCON),
        Change({**NEW_FALCON, "num_ln_in_parallel_attn": 1}),
        Change({"alibi": True, "bias": True, "multi_query": False, "parallel_attn": False}),
    ],
    "gemma3n": [GEMMA3N_E2B.inside("text_config")],
    "gemma3n_text": [GEMMA3N_E2B],
    "gemma4": [
        *(one.inside("text_config").also(WITHOUT_AUDIO) for one in GEMMA4),
        *(one.inside("text_config") for one in GEMMA4_E),
    ],
    "gemma4_text": [*GEMMA4, *GEMMA4_E],
    "glm4_moe": [
        Change({"attention_bias": True}, ("head_dim",)),
        Change({"attention_bias": True, "use_qk_norm": True}, ("head_dim",)),
    ],
    "glm4v_moe": [
        Change({"text_config.attention_bias": True}, ("text_config.head_dim",)),
    ],
    "glpn": [Change({}, lists={"hidden_sizes": [64, 128, 320, 512]})],
    "gpt_neo": [gpt_neo(layers) for layers in (2, 4, 8, 12, 32)],
    "granitemoehybrid": [
        Change({"num_local_experts": 0}),
        Change({"num_local_experts": 0, "tie_word_embeddings": True}),
    ],
    "hubert": [
        Change(SPEECH_LARGE),
        Change(WEIGHTED),
        Change({**SPEECH_LARGE, **WEIGHTED}),
    ],
    "hunyuan_vl": [
        Change({"tie_word_embeddings": False, "text_config.tie_word_embeddings": False})
    ],
    "idefics": [
        Change({}, ("additional_vocab_size",)),
        Change(
            {
                "alpha_type": "vector",
                "qk_layer_norms": True,
                "use_resampler": True,
                "freeze_text_layers": False,
                "freeze_vision_layers": False,
            },
            ("additional_vocab_size",),
        ),
    ],
    "internvl": [
        Change({"vision_config.attention_bias": True}),
        Change({"vision_config.attention_bias": True, "tie_word_embeddings": False}),
    ],
    "jamba": [
        Change({}, at={"num_experts": 1}),
        Change({"tie_word_embeddings": True}, at={"num_experts": 1}),
    ],
    "kimi_k25": [Change({"tie_word_embeddings": False})],
    "laguna": LAGUNA,
    "lfm2_vl": [WITHOUT_HEAD],
    "llama": [Change(BIASED), Change({**BIASED, "tie_word_embeddings": True})],
    "llama4": [one.inside("text_config") for one in LLAMA4],
    "llama4_text": LLAMA4,
    "llava": [Change(TIED)],
    "llava+qwen2+siglip_vision_model": [
        Change({**TIED, "vision_config.vision_use_head": False}),
    ],
    "llava_next": [Change(TIED)],
    "llava_next+granite+siglip_vision_model": [
        Change({**TIED, "vision_feature_layer": [-24, -20, -12, -1]})
    ],
    "llava_onevision": [Change(TIED), WITHOUT_HEAD],
    "longt5": [
        Change({"encoder_attention_type": "transient-global"}),
        GATED_GELU[1],
        GATED_GELU[1].also({"encoder_attention_type": "transient-global"}),
    ],
    "maskformer": SWIN_HEADS,
    "mllama": [
        Change({}, at={"num_hidden_layers": 100}, lists={"cross_attention_layers": LOOKING}).inside(
            "text_config"
        )
    ],
    "minimax": [Change({}, ("head_dim",))],
    "mobilebert": [Change({"classifier_activation": False})],
    "mobilenet_v1": [Change({"depth_multiplier": width}) for width in (0.75, 0.5, 0.25)],
    "mobilenet_v2": [Change({"depth_multiplier": 1.4})],
    "nemotron_h": [Change({}, ("moe_latent_size",))],
    "opt": [
        Change({"do_layer_norm_before": False}),
        Change({"do_layer_norm_before": False}, at={"word_embed_proj_dim": 384}),
        Change({"enable_bias": False}),
        Change({"enable_bias": False, "layer_norm_elementwise_affine": False}),
    ],
    "patchtst": [Change({}, at={"num_attention_heads": 16})],
    "phi": [Change({"qk_layernorm": True})],
    "phimoe": [
        Change({"attention_bias": True, "lm_head_bias": True}),
        Change({"attention_bias": True, "lm_head_bias": True}, ("head_dim",)),
    ],
    "qwen3_moe": [Change({}, ("head_dim",))],
    "resnet": [RESNET_BASIC],
    "rt_detr": [RT_DETR_BASIC],
    "sam": [
        Change({}, at={"num_hidden_layers": depth}, lists={"global_attn_indexes": places}).inside(
            "vision_config"
        )
        for depth, places in ((24, [5, 11, 17, 23]), (32, [7, 15, 23, 31]))
    ],
    "sam2": SAM2,
    "sam2_video": SAM2,
    "speech-encoder-decoder": [CROSS_ATTENTION],
    "stablelm": [
        Change({"use_qkv_bias": True}),
        Change({"qk_layernorm": True, "use_parallel_residual": True}),
    ],
    "swin2sr": [
        Change({"upsampler": "nearest+conv"}, at={"upscale": 4}),
        Change({"upsampler": "pixelshuffle_aux"}),
        Change(
            {"upsampler": "pixelshuffledirect"}, lists={"depths": [6] * 4, "num_heads": [6] * 4}
        ),
    ],
    "swinv2": [Change({"pretrained_window_sizes": [12, 12, 12, 6]})],
    "switch_transformers": [Change({}, at={"num_experts": 2**i}) for i in range(4, 9)],
    "t5": (*GATED_GELU, GATED_SILU),
    "table-transformer": [Change({"backbone_config.backbone": "resnet18"})],
    "umt5": GATED_GELU,
    "unispeech-sat": [Change(WEIGHTED)],
    "upernet": [Change({}, ("auxiliary_in_channels",))],
    "vision-encoder-decoder": [CROSS_ATTENTION],
    "vision-encoder-decoder+mbart+donut-swin": [
        CROSS_ATTENTION._replace(at={"decoder.d_model": 768}),
    ],
    "vision-encoder-decoder+trocr": TROCR,
    "vision-encoder-decoder+trocr+deit": TROCR,
    "vits": [Change({}, ("speaker_embedding_size",), {"num_speakers": 109})],
    "wav2vec2": [
        Change(SPEECH_LARGE_STABLE),
        Change(SPEECH_LARGE_STABLE, ("adapter_attn_dim",)),
        Change(WEIGHTED),
        Change({**SPEECH_LARGE_STABLE, **WEIGHTED}),
    ],
    "wav2vec2-conformer": [
        Change({**SPEECH_LARGE, "position_embeddings_type": kind}) for kind in CONFORMER_POSITIONS
    ],
    "wavlm": [Change({"feat_extract_norm": "layer"}), Change(WEIGHTED)],
    "xlm": [
        Change({"use_lang_emb": True}, at={"n_langs": 15}),
        Change({"use_lang_emb": False}, at={"n_langs": 100}),
    ],
    "yolos": [Change({"use_mid_position_embeddings": False})],
}
"""Changes of models that many people hold, whose configurations differ from the type's own."""


def held_changes(name: str) -> list[Change]:
    """Return the changes of models that people hold, of an entry.

    They are those of the model type, those of its parts of other types, and both together.
    """
    own = [*HELD_CHANGES.get(type_of(name), ())]
    own += HELD_CHANGES.get(name, ()) if name != type_of(name) else ()
    for part, kind in parts_of(name).items():
        inside = [one.inside(part) for one in HELD_CHANGES.get(kind, ())]
        both = [
            Change(
                {**one.where, **other.where},
                one.sized + other.sized,
                {**one.at, **other.at},
                {**one.lists, **other.lists},
            )
            for one, other in product(own, inside)
        ]
        own += inside + both
    return own


def candidate_changes(
    name: str, start: PreTrainedConfig, moved: Mapping[str, Sequence[Any]]
) -> Iterator[tuple[dict[str, Any], dict[str, int]]]:
    """Yield the changes to derive for a class of an entry: values, and sizes of null fields.

    ``moved`` has the values that gave other tensors, by field.
    """
    model_type = type_of(name)
    parts = list(SEED_PARTS.get(model_type, ()))
    for number in range(1, len(parts) + 1):
        for absent in combinations(parts, number):
            yield dict.fromkeys(absent), {}
    held = [one for one in held_changes(name) if not (one.at or one.lists)]
    yield from ((dict(one.where), dict.fromkeys(one.sized, VARIANT_SIZE)) for one in held)
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
    known = [(one.where, one.sized) for one in held]
    for together in range(1, len(flags) + 1):
        if together > 1 and 2 ** len(flags) > 2 * most:
            break
        for chosen in combinations(flags, together):
            where = {path: value for values, _ in chosen for path, value in values.items()}
            sized = {path: size for _, sizes in chosen for path, size in sizes.items()}
            if number < most and (where, tuple(sized)) not in known:
                yield where, sized
            number += 1


def is_tie(path: str) -> bool:
    """Return whether a field ties weights, whatever values beside true and false it accepts."""
    return leaf(path).startswith("tie")

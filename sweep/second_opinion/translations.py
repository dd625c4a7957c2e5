"""Keys of mlx-lm that say what transformers says by other keys, such as lists of layer kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from paramproof.catalogue.files import TypeFile
from paramproof.catalogue.value_kinds import default_layers
from paramproof.formulas.parsing import expression_in

Config = Mapping[str, Any]
Sizes = Mapping[str, int]


def translated(file: TypeFile, config: Config, sizes: Sizes) -> dict[str, Any]:
    """Return the keys that mlx-lm reads in place of a configuration's own."""
    translate = TRANSLATIONS.get(file.model_type)
    return translate(file, config, sizes) if translate else {}


def _bailing_hybrid(file: TypeFile, config: Config, sizes: Sizes) -> dict[str, Any]:
    return {"q_lora_rank": None, "moe_shared_expert_intermediate_size": sizes["I"]}


def _exaone_moe(file: TypeFile, config: Config, sizes: Sizes) -> dict[str, Any]:
    return {"is_moe_layer": [one == "sparse" for one in _experts(file, config, sizes)]}


def _kimi_linear(file: TypeFile, config: Config, sizes: Sizes) -> dict[str, Any]:
    kinds = _kinds(file, "layer_types", config, sizes)
    full = [place for place, kind in enumerate(kinds, 1) if kind == "full_attention"]
    linear = {
        "num_heads": sizes["lnh"],
        "head_dim": sizes["lhd"],
        "short_conv_kernel_size": sizes["lckd"],
        "full_attn_layers": full,
        "kda_layers": [place for place in range(1, len(kinds) + 1) if place not in full],
    }
    return {"linear_attn_config": linear, "head_dim": sizes["dn"], "first_k_dense_replace": 1}


def _mimo_v2_flash(file: TypeFile, config: Config, sizes: Sizes) -> dict[str, Any]:
    kinds = _kinds(file, "layer_types", config, sizes)
    return {
        "hybrid_layer_pattern": [int(one == "sliding_attention") for one in kinds],
        "moe_layer_freq": [int(one == "sparse") for one in _experts(file, config, sizes)],
        "add_swa_attention_sink_bias": True,
        "add_full_attention_sink_bias": False,
        "n_shared_experts": None,
        "swa_rope_theta": 10000.0,
        "swa_num_attention_heads": sizes["A"],
        "swa_num_key_value_heads": 2 * sizes["G"],
        "swa_head_dim": sizes["K"],
        "swa_v_head_dim": sizes["dv"],
        "sliding_window_size": sizes["sw"],
    }


def _experts(file: TypeFile, config: Config, sizes: Sizes) -> list[str]:
    """Return whether each layer is dense or sparse."""
    if "mlp_layer_types" in config or "mlp_layer_types" in file.layers:
        return _kinds(file, "mlp_layer_types", config, sizes)
    return ["dense"] * sizes["D"] + ["sparse"] * (sizes["L"] - sizes["D"])


def _kinds(file: TypeFile, path: str, config: Config, sizes: Sizes) -> list[str]:
    """Return the kind of each layer, by the names of the catalogue."""
    if config.get(path) is None:
        rule = file.layers[path]
        return default_layers(rule, expression_in(rule["long"]).evaluate(sizes))
    return [file.kinds[path]["names"][one] for one in config[path]]


TRANSLATIONS: Mapping[str, Callable[[TypeFile, Config, Sizes], dict[str, Any]]] = {
    "bailing_hybrid": _bailing_hybrid,
    "exaone_moe": _exaone_moe,
    "kimi_linear": _kimi_linear,
    "mimo_v2_flash": _mimo_v2_flash,
}

"""Translate configurations from before transformers had a ``model_type`` into today's keys.

These are Google's ``bert_config.json`` (google-research/bert, ``modeling.py``, BertConfig), Baidu's
``ernie_config.json`` (PaddlePaddle/ERNIE, ``model/ernie.py`` of release/r2.0 and
``ernie/modeling_ernie.py`` of develop), and BERT and GPT-2 of transformers before version 3. A file
that only names its class gets the model type of that class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paramproof.catalogue.configuration import named_class
from paramproof.catalogue.files import read_type
from paramproof.catalogue.names import type_with_class
from paramproof.catalogue.unknown_keys import find_unknown_keys, is_misspelt
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import shown

GOOGLE = frozenset(
    {
        "directionality",
        "pool_act",
        "pooler_fc_size",
        "pooler_num_attention_heads",
        "pooler_num_fc_layers",
        "pooler_size_per_head",
        "pooler_type",
    }
)
"""Keys of Google's files that its model does not read: its pooler is always (H, H)."""

BAIDU = {"sent_type_vocab_size": "type_vocab_size", "emb_size": "hidden_size"}
"""Keys of Baidu's files, with the names that transformers gives them."""

ERNIE = frozenset({*BAIDU, "task_type_vocab_size", "use_task_id"})

BERT_NEEDS = ("hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size")
GPT2_NEEDS = ("n_embd", "n_layer", "n_head", "vocab_size")

OTHER_MODELS = {
    "afn": "the first GPT, which has no last norm",
    "dff": "CTRL",
    "embedding_size": "ALBERT or ELECTRA",
}
"""Keys that tell other models apart from BERT and GPT-2, with the names of those models."""


LATER = frozenset(
    {
        "d_model",
        "decoder_layers",
        "head_dim",
        "moe_intermediate_size",
        "n_routed_experts",
        "num_decoder_layers",
        "num_experts",
        "num_key_value_heads",
        "num_local_experts",
        "rms_norm_eps",
        "rope_parameters",
        "rope_scaling",
        "rope_theta",
        "text_config",
        "vision_config",
    }
)
"""Keys of models newer than ``model_type``: a file with one of them has lost its model type."""


def as_transformers(keys: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the keys of a configuration with a ``model_type``.

    Raises ``InvalidInput`` for a configuration whose model type cannot be recognised.
    """
    if (model_type := keys.get("model_type")) is not None:
        if not isinstance(model_type, str):
            problem = f"model_type={shown(model_type)} is not a model type of transformers"
            raise InvalidInput(problem, key="model_type")
        return keys
    if class_name := named_class(keys):
        if found := type_with_class(class_name):
            return {**keys, "model_type": found}
        raise InvalidInput(
            f"model_type is missing, and no class of transformers is named {shown(class_name)}",
            key="model_type",
        )
    for key, other in OTHER_MODELS.items():
        if keys.get(key) is not None:
            raise InvalidInput(
                f"model_type is missing, and {key}={shown(keys[key])} could mean {other}: "
                "add the model_type",
                key="model_type",
            )
    if all(name in keys for name in GPT2_NEEDS):
        return _without_unknown_keys(_gpt2(keys))
    if all(name in keys for name in BERT_NEEDS):
        return _without_unknown_keys(_ernie(keys) if _is_baidus(keys) else _bert(keys))
    raise InvalidInput(
        "model_type is missing: add it for a config.json of transformers, or a family for a spec",
        key="model_type",
    )


def _without_unknown_keys(keys: dict[str, Any]) -> dict[str, Any]:
    """Return keys whose model type was recognised by their names.

    Raises ``InvalidInput`` for a misspelt ``model_type``, and for a key of a newer model.
    """
    guess = str(keys["model_type"])
    for key in find_unknown_keys(read_type(guess), keys):
        if is_misspelt(key, "model_type"):
            raise InvalidInput(f"{shown(key)} is not a key: did you mean 'model_type'?", key=key)
    if later := sorted(LATER & keys.keys()):
        raise InvalidInput(
            f"model_type is missing, and early {guess} models have no {later[0]}: add model_type",
            key="model_type",
        )
    return keys


def _gpt2(keys: Mapping[str, Any]) -> dict[str, Any]:
    if keys.get("n_special"):
        given = f"n_special={shown(keys['n_special'])}"
        problem = f"{given} adds a row for each special token, which transformers no longer does"
        raise InvalidInput(problem, key="n_special")
    return {**keys, "model_type": "gpt2"}


def _bert(keys: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **{key: value for key, value in keys.items() if key not in GOOGLE},
        "model_type": "bert",
    }


def _is_baidus(keys: Mapping[str, Any]) -> bool:
    """Return whether a file is Baidu's: it has one of Baidu's keys, or no feed-forward size."""
    return not ERNIE.isdisjoint(keys) or "intermediate_size" not in keys


def _ernie(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return Baidu's keys as transformers spells them; the feed-forward size defaults to 4·H."""
    found: dict[str, Any] = {}
    for key, value in keys.items():
        name = BAIDU.get(key, key)
        if name in found and found[name] != value:
            raise InvalidInput(
                f"{key}={shown(value)} and {name}={shown(found[name])} differ: "
                "transformers has no such model",
                key=key,
            )
        found[name] = value
    hidden = found.get("hidden_size")
    if isinstance(hidden, int):
        found.setdefault("intermediate_size", 4 * hidden)
    return {**found, "model_type": "ernie"}

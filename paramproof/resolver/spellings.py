"""Configurations that were written before transformers had a ``model_type``, in today's keys.

Google's ``bert_config.json`` (google-research/bert, ``modeling.py``, BertConfig), Baidu's
``ernie_config.json`` (PaddlePaddle/ERNIE, ``model/ernie.py`` of release/r2.0 and
``ernie/modeling_ernie.py`` of develop), and the BERT and GPT-2 of transformers before 3. A file
that only names its class has the type of that class.
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
"""Keys of Google's files that its model does not read: its pooler is (H, H)."""

BAIDU = {"sent_type_vocab_size": "type_vocab_size", "emb_size": "hidden_size"}
"""Keys of Baidu's files that transformers spells otherwise."""

ERNIE = frozenset({*BAIDU, "task_type_vocab_size", "use_task_id"})

BERT_NEEDS = ("hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size")
GPT2_NEEDS = ("n_embd", "n_layer", "n_head", "vocab_size")

OTHER_MODELS = {
    "afn": "the first GPT, which has no last norm",
    "dff": "CTRL",
    "embedding_size": "ALBERT or ELECTRA",
}
"""Keys that a file of another model has beside those of BERT or GPT-2."""


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
"""Keys of models that came after ``model_type``: a file with one of them has lost it."""


def as_transformers(keys: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the keys of a configuration with a ``model_type``.

    Raises ``InvalidInput`` for a file that does not say what model it is of.
    """
    if (model_type := keys.get("model_type")) is not None:
        if not isinstance(model_type, str):
            said = f"model_type={shown(model_type)} is not a model type of transformers"
            raise InvalidInput(said, key="model_type")
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
                f"model_type is missing, and {key}={shown(keys[key])} may be of {other}: "
                "add the model_type",
                key="model_type",
            )
    if all(name in keys for name in GPT2_NEEDS):
        return _without_strangers(_gpt2(keys))
    if all(name in keys for name in BERT_NEEDS):
        return _without_strangers(_ernie(keys) if _is_baidus(keys) else _bert(keys))
    raise InvalidInput(
        "model_type is missing: a config.json of transformers has one, and a spec has a family",
        key="model_type",
    )


def _without_strangers(keys: dict[str, Any]) -> dict[str, Any]:
    """Return keys whose model type was recognised by their names.

    Raises ``InvalidInput`` where one of them is not of that type: it may be of any other.
    """
    guess = str(keys["model_type"])
    for key in find_unknown_keys(read_type(guess), keys):
        if is_misspelt(key, "model_type"):
            raise InvalidInput(f"{shown(key)} is not a key: did you mean 'model_type'?", key=key)
    if later := sorted(LATER & keys.keys()):
        raise InvalidInput(
            f"model_type is missing, and no early {guess} has {later[0]}: add the model_type",
            key="model_type",
        )
    return keys


def _gpt2(keys: Mapping[str, Any]) -> dict[str, Any]:
    if keys.get("n_special"):
        said = f"n_special={shown(keys['n_special'])}: each special token has a row of its own"
        raise InvalidInput(f"{said}, which no model of today has", key="n_special")
    return {**keys, "model_type": "gpt2"}


def _bert(keys: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **{key: value for key, value in keys.items() if key not in GOOGLE},
        "model_type": "bert",
    }


def _is_baidus(keys: Mapping[str, Any]) -> bool:
    """Return whether a file is Baidu's: with a key of its own, or without a feed-forward size."""
    return not ERNIE.isdisjoint(keys) or "intermediate_size" not in keys


def _ernie(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return Baidu's keys as transformers': its code takes four hidden sizes for feed-forward."""
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

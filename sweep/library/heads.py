"""Heads that a class ties although a configuration says that they are not tied.

transformers unties such a head when it loads a checkpoint that has both weights with different
values: ``PreTrainedModel.tie_weights`` skips each pair of ``all_tied_weights_keys`` whose target
and source are both in the checkpoint and differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from torch.nn import Embedding
from transformers import PreTrainedConfig

from paramproof.formulas.path import parent
from sweep.library.model import attribute_or_none, full_keys, make_model, sub_configs
from sweep.library.refusal import attempt

FIELD = "tie_word_embeddings"


def untied_on_loading(
    model_class: Any, start: PreTrainedConfig, values: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Return the heads that are tied although a field is false, by the field's path.

    ``start`` is the type's own configuration, and ``values`` are those that it lacks.
    """
    found = {
        path: heads
        for path, config in _untied(start, values)
        if (heads := tied_heads(model_class, config))
    }
    return {path: found[path] for path in sorted(found)}


def _untied(
    start: PreTrainedConfig, values: Mapping[str, Any]
) -> Iterator[tuple[str, PreTrainedConfig]]:
    """Yield a field with a configuration that sets it to false and ties weights all the same.

    The field is at top level if the configuration class turns it to true. It is the text decoder's
    if it stays false there: transformers looks at the field at top level, which is true by default.
    """
    text = start.get_text_config(decoder=True)
    paths = [path for path, part in sub_configs(start) if part is text]
    for path in ["", *paths]:
        field = f"{path}.{FIELD}".removeprefix(".")
        config = attempt(type(start), **full_keys(start, {**values, field: False}))
        is_kept = not path or (config and attribute_or_none(config, field) is False)
        if config and attribute_or_none(config, FIELD) and is_kept:
            yield field, config


def tied_heads(model_class: Any, config: PreTrainedConfig) -> list[str]:
    """Return the names of weights that are tied to an embedding, but belong to no embedding.

    Loading unties these targets. A model that transformers refuses has none.
    """
    model = attempt(make_model, model_class, config)
    return [
        target
        for target, source in (model.all_tied_weights_keys if model else {}).items()
        if _is_of_an_embedding(model, source) and not _is_of_an_embedding(model, target)
    ]


def _is_of_an_embedding(model: Any, name: str) -> bool:
    return isinstance(model.get_submodule(parent(name)), Embedding)

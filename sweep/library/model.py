"""Build a class of transformers on the meta device, compare it with an entry, find its tied heads.

``untied_on_loading`` finds the heads that a class ties although a configuration says that they are
not tied. transformers unties such a head when it loads a checkpoint that has both weights with
different values: ``PreTrainedModel.tie_weights`` skips each pair of ``all_tied_weights_keys`` whose
target and source are both in the checkpoint and differ.

DETR's configuration asks the hub whether it has a model of a timm network's name. It is told that
there is none, and nothing is downloaded.
"""

from __future__ import annotations

import copy
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum
from types import SimpleNamespace
from typing import Any, NamedTuple

from huggingface_hub.errors import StrictDataclassClassValidationError
from torch.nn import Embedding
from transformers import PreTrainedConfig, backbone_utils

from paramproof.builders.meta import meta
from paramproof.catalogue.entries import Entry
from paramproof.formulas.path import leaf, parent
from paramproof.tracing.constructors.transformers_class import part_defaults
from paramproof.tracing.internal_errors import calls_constructor
from paramproof.tracing.tensor_groups import Stored, count_stored, expected
from paramproof.tracing.torch_mode import observed_tensors
from sweep.library.keys import Keys, set_key
from sweep.library.refusal import Attempt, attempt

_HUB = SimpleNamespace(repo_exists=lambda _: False)

backbone_utils.hf_api = lambda: _HUB


class ModelTensors(NamedTuple):
    parameters: Counter[Stored]
    buffers: Counter[Stored]


@calls_constructor
def config_of(config_class: type[PreTrainedConfig], keys: Mapping[str, Any]) -> PreTrainedConfig:
    """Return the configuration for the keys of a file, in which infinity is an object."""
    decoded = config_class._decode_special_floats(copy.deepcopy(dict(keys)))
    config: PreTrainedConfig = config_class.from_dict(decoded)
    return config


@calls_constructor
def make_model(model_class: Any, config: PreTrainedConfig) -> Any:
    """Make a model on the meta device. Its warnings, as of slow widths, are ignored."""
    with meta(), warnings.catch_warnings(action="ignore"):
        return model_class(config)


def build(model_class: Any, config: PreTrainedConfig) -> ModelTensors:
    model = make_model(model_class, config)
    counts = count_stored(observed_tensors(model, None))
    parameters = Counter({key: n for key, n in counts.items() if key.kind.role != "buffer"})
    return ModelTensors(parameters, counts - parameters)


def sub_configs(
    config: PreTrainedConfig, before: str = ""
) -> Iterator[tuple[str, PreTrainedConfig]]:
    """Yield the parts of a configuration with their paths, outer ones first."""
    for name, value in vars(config).items():
        if isinstance(value, PreTrainedConfig) and not name.startswith("_"):
            yield f"{before}{name}", value
            yield from sub_configs(value, f"{before}{name}.")


@calls_constructor
def attribute_at(config: PreTrainedConfig, path: str) -> Any:
    """Return a configuration's attribute at a path, or the configuration for "".

    Raises ``KeyError`` if it is missing.
    """
    value: Any = config
    for part in path.split(".") if path else ():
        name, bracket, index = part.partition("[")
        try:
            value = getattr(value, name)
            value = value[int(index[:-1])] if bracket else value
        except (AttributeError, IndexError, TypeError, ValueError):
            raise KeyError(path) from None
    return value


def attribute_or_none(config: PreTrainedConfig, path: str) -> Any:
    """Return a configuration's attribute at a path, or None if it is missing."""
    try:
        return attribute_at(config, path)
    except KeyError:
        return None


def full_keys(start: PreTrainedConfig, values: Mapping[str, Any]) -> Keys:
    """Return keys with these values by path, and with the parts that contain them.

    ``start`` is the type's own configuration. A part that contains a value also has the values that
    its parent gives it.
    """
    keys: Keys = {}
    for path, part in sub_configs(start):
        if any(name.startswith(f"{path}.") for name in values):
            above = attribute_at(start, parent(path))
            given = copy.deepcopy(part_defaults(type(above), leaf(path), part))
            set_key(keys, path, {"model_type": part.model_type, **given})
    for path, value in values.items():
        set_key(keys, path, copy.deepcopy(value))
    return keys


class MismatchKind(Enum):
    DIVIDES_BY_ZERO = "refused by transformers, which divides by zero"
    INVALID = "refused by transformers, which validates several keys together"
    REFUSED = "refused by transformers"
    OTHER_TENSORS = "other tensors"


class Mismatch(NamedTuple):
    fault: MismatchKind
    why: str

    def __str__(self) -> str:
        return self.why

    @property
    def is_refusal(self) -> bool:
        """Whether transformers refuses the configuration, so that there is no model."""
        return self.fault is not MismatchKind.OTHER_TENSORS

    @property
    def may_be_of_sizes(self) -> bool:
        """Whether sizes alone may cause it, since a part that is given has other defaults."""
        return self.fault in (MismatchKind.DIVIDES_BY_ZERO, MismatchKind.INVALID)


def _refusal(error: Exception) -> Mismatch:
    if isinstance(error, ZeroDivisionError):
        fault = MismatchKind.DIVIDES_BY_ZERO
        return Mismatch(fault, f"{fault.value}: {error}")
    is_of_keys = isinstance(error, StrictDataclassClassValidationError)
    description = f"{MismatchKind.REFUSED.value}: {' '.join(str(error).split())[:150]}"
    return Mismatch(MismatchKind.INVALID if is_of_keys else MismatchKind.REFUSED, description)


def find_mismatch(
    entry: Entry, config_class: type[PreTrainedConfig], model_class: Any, config: Mapping[str, Any]
) -> Mismatch | None:
    """Return how the model of a configuration differs from its entry, or None if it does not."""
    expected_tensors = expected(
        (t for t in entry.derivation.tensors if t.role != "buffer"), entry.sizes
    )
    # A configuration may warn, as Fuyu's does of rope_scaling, without refusing.
    with Attempt() as attempt, warnings.catch_warnings(action="ignore"):
        actual = build(model_class, config_of(config_class, config)).parameters
    if attempt.refusal:
        return _refusal(attempt.refusal)
    apart = {
        key
        for key in expected_tensors.keys() | actual.keys()
        if expected_tensors[key] != actual[key]
    }
    if not apart:
        return None
    kind, shape = sorted(apart, key=str)[0]
    return Mismatch(MismatchKind.OTHER_TENSORS, f"{kind.path} of {shape} differs from the entry")


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

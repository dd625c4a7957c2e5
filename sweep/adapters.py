"""Write what adapters need to know of peft and of model classes: ``python -m sweep.adapters``.

Run it in the checkout, with PyTorch, transformers and peft installed. It writes
``paramproof/following/adapters.json``: the targets that peft takes if none are named, the names of
experts that it translates, and where a model class has its output embeddings, on which
``all-linear`` puts no adapter. Most classes have them at ``lm_head``, or have none, and are not
listed. A class of which no model is built, neither at its defaults nor at drawn sizes, follows the
rule unless it has a method of its own that returns them: then their place is ``UNKNOWN``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from random import Random
from typing import Any, NamedTuple

import peft
import transformers
from peft.utils import transformers_weight_conversion as conversion
from peft.utils.constants import TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING as DEFAULTS
from torch import nn
from transformers.modeling_utils import EmbeddingAccessMixin

from paramproof.catalogue.names import classes_of, has_type, model_types
from paramproof.following.adapters import FILE, HEAD
from sweep.library.model import attempt, model_of
from sweep.samples.adversary import draw_config

MODELS = 5

UNKNOWN = "?"


class Seen(NamedTuple):
    """A class: where it has its output embeddings, and where the rule says; "" is nowhere.

    ``resized`` has the modules with sizes of their own that are not those of their weight, which is
    tied to another; peft takes those. ``unnamed`` is whether peft asks a class for its input
    embeddings, which may be tied, and it cannot say.
    """

    head: str
    usual: str
    resized: tuple[str, ...] = ()
    unnamed: bool = False


def look_at(name: str, types: Sequence[str]) -> Seen:
    """Return what is seen of a class of some types, at the first configurations that build."""
    defaults = ((one, {"model_type": one}) for one in types)
    drawn = ((one, draw_config(one, Random(seed))) for seed in range(2 * MODELS) for one in types)
    every = (attempt(model_of, one, name, keys) for one, keys in chain(defaults, drawn))
    models = [*islice(filter(None, every), MODELS)]
    if not models:
        own = getattr(transformers, name).get_output_embeddings
        return Seen("" if own is EmbeddingAccessMixin.get_output_embeddings else UNKNOWN, "")
    model = models[0]
    head, usual = model.get_output_embeddings(), HEAD if hasattr(model, HEAD) else ""
    path = next((path for path, one in model.named_modules() if one is head), "")
    is_dict = isinstance(model._tied_weights_keys, dict)
    unnamed = is_dict and attempt(model.get_input_embeddings) is None
    return Seen(path, usual, tuple(dict.fromkeys(chain(*map(resized, models)))), unnamed)


def resized(model: nn.Module) -> Iterator[str]:
    for path, one in model.named_modules():
        if isinstance(one, nn.Linear):
            own = one.out_features, one.in_features
        elif isinstance(one, nn.Embedding):
            own = one.num_embeddings, one.embedding_dim
        else:
            continue
        if own != one.weight.shape:
            yield path


def measure() -> dict[str, Any]:
    types, types_of = conversion._MODEL_TO_CONVERSION_PATTERN, dict[str, list[str]]()
    for model_type in filter(has_type, model_types()):
        for name in classes_of(model_type):
            types_of.setdefault(name, []).append(model_type)
    seen = {name: look_at(name, of) for name, of in types_of.items()}
    return {
        "versions": {"peft": peft.__version__, "transformers": transformers.__version__},
        "defaults": DEFAULTS,
        "renamed": [
            {
                "names": names,
                "fused": conversion._MOE_FUSED_TARGETS[base],
                "types": sorted(name for name, of in types.items() if of == base),
            }
            for base, names in conversion._MOE_TARGET_MODULE_MAPPING.items()
        ],
        "heads": {name: one.head for name, one in seen.items() if one.head != one.usual},
        "resized": {name: [*one.resized] for name, one in seen.items() if one.resized},
        "unnamed": [name for name, one in seen.items() if one.unnamed],
    }


if __name__ == "__main__":
    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    FILE.write_text(json.dumps(measure(), indent=1, ensure_ascii=False) + "\n", "utf-8")

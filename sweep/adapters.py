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
from operator import attrgetter
from random import Random
from typing import Any

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

ROWS = ("heads", "resized", "unnamed")

SIZES = {nn.Linear: attrgetter("out_features", "in_features")}
SIZES[nn.Embedding] = attrgetter("num_embeddings", "embedding_dim")


def look_at(name: str, types: Sequence[str]) -> dict[str, Any]:
    """Return the rows of a class of some types, by the first configurations that build it.

    ``heads`` has the place of its output embeddings, if it does not follow the rule; "" is nowhere.
    ``resized`` has the modules whose own sizes, which peft takes, are not those of a tied weight.
    ``unnamed``: peft asks for its input embeddings, which may be tied, and it cannot name them.
    """
    defaults = ((one, {"model_type": one}) for one in types)
    drawn = ((one, draw_config(one, Random(seed))) for seed in range(2 * MODELS) for one in types)
    every = (attempt(model_of, one, name, keys) for one, keys in chain(defaults, drawn))
    if not (models := [*islice(filter(None, every), MODELS)]):
        own = getattr(transformers, name).get_output_embeddings
        return {} if own is EmbeddingAccessMixin.get_output_embeddings else {"heads": UNKNOWN}
    model = models[0]
    head, usual = model.get_output_embeddings(), HEAD if hasattr(model, HEAD) else ""
    path = next((path for path, one in model.named_modules() if one is head), "")
    found: dict[str, Any] = {"heads": path} if path != usual else {}
    if paths := dict.fromkeys(chain(*map(resized, models))):
        found["resized"] = [*paths]
    if isinstance(model._tied_weights_keys, dict) and not attempt(model.get_input_embeddings):
        found["unnamed"] = True
    return found


def resized(model: nn.Module) -> Iterator[str]:
    for path, one in model.named_modules():
        sizes = next((of for kind, of in SIZES.items() if isinstance(one, kind)), None)
        if sizes and sizes(one) != one.weight.shape:
            yield path


def measure() -> dict[str, Any]:
    types, types_of = conversion._MODEL_TO_CONVERSION_PATTERN, dict[str, list[str]]()
    for model_type in filter(has_type, model_types()):
        for name in classes_of(model_type):
            types_of.setdefault(name, []).append(model_type)
    rows = {name: look_at(name, of) for name, of in types_of.items()}
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
        **{kind: {name: row[kind] for name, row in rows.items() if kind in row} for kind in ROWS},
    }


if __name__ == "__main__":
    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    FILE.write_text(json.dumps(measure(), indent=1, ensure_ascii=False) + "\n", "utf-8")

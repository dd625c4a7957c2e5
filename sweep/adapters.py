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
from random import Random
from typing import Any

import peft
import transformers
from peft.utils import transformers_weight_conversion as conversion
from peft.utils.constants import TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING as DEFAULTS
from transformers.modeling_utils import EmbeddingAccessMixin

from paramproof.catalogue.names import classes_of, has_type, model_types
from paramproof.following.adapters import FILE, HEAD
from sweep.library.model import attempt, model_of
from sweep.samples.adversary import draw_config

TRIES = 5

UNKNOWN = "?"


def heads() -> dict[str, str]:
    """Return the path of the output embeddings of each class that does not follow the rule.

    A class may be one of several types, and be built of the configuration of one alone.
    """
    seen: dict[str, list[tuple[str, str]]] = {}
    for model_type in filter(has_type, model_types()):
        for name in classes_of(model_type):
            seen.setdefault(name, []).append(head_of(model_type, name))
    known = {
        name: next((one for one in of if one[0] != UNKNOWN), of[0]) for name, of in seen.items()
    }
    return {name: path for name, (path, usual) in known.items() if path != usual}


def head_of(model_type: str, name: str) -> tuple[str, str]:
    """Return where a class has its output embeddings, and where the rule says; "" is nowhere."""
    for seed in range(TRIES):
        keys = draw_config(model_type, Random(seed)) if seed else {"model_type": model_type}
        if model := attempt(model_of, model_type, name, keys):
            head, usual = model.get_output_embeddings(), HEAD if hasattr(model, HEAD) else ""
            if head is None:
                return "", usual
            return next(path for path, one in model.named_modules() if one is head), usual
    own = getattr(transformers, name).get_output_embeddings
    return "" if own is EmbeddingAccessMixin.get_output_embeddings else UNKNOWN, ""


def measure() -> dict[str, Any]:
    types = conversion._MODEL_TO_CONVERSION_PATTERN
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
        "heads": heads(),
    }


if __name__ == "__main__":
    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    FILE.write_text(json.dumps(measure(), indent=1, ensure_ascii=False) + "\n", "utf-8")

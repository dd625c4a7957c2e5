"""An adapter has the parameters that peft builds, at targets drawn from the modules of a model."""

import re
from copy import deepcopy
from functools import partial
from random import Random

import peft
import pytest
from torch import nn

from paramproof.builders.meta import meta
from paramproof.catalogue.names import classes_of, has_type, model_types
from paramproof.following.adapters import ALL_LINEAR, BIASES, Lora, adapter
from paramproof.resolver import resolve
from sweep.library.model import attempt, model_of
from sweep.samples.adversary import draw_config

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("peft builds each adapter"),
    pytest.mark.filterwarnings("ignore"),  # A warning of peft is not a refusal.
]

LAYERS = (nn.Linear, nn.Embedding)


def drawn(random, model):
    """Return settings of LoRA: targets as a text, as a list, or none, and some of the others."""
    paths = [path for path, one in model.named_modules() if isinstance(one, LAYERS)]
    first, *ends = (random.choice(paths).rsplit(".", random.randint(1, 3)) for _ in range(4))
    names = [".".join(one[1:] or one) for one in ends]
    experts = [path for path, one in model.named_parameters() if one.dim() == 3][:1]
    texts = [ALL_LINEAR, re.escape(".".join(first)), rf".*\.{first[-1]}", None]
    others = {"rank_pattern": {names[0]: 3}, "modules_to_save": names[2:], "use_dora": True}
    others |= {"target_parameters": experts, "bias": random.choice(BIASES)}
    chosen = {name: one for name, one in others.items() if random.random() < 0.25}
    return {"r": 7, "target_modules": random.choice([*texts, names[:1], names[:2]]), **chosen}


def built(model, settings):
    """Return the number of trainable parameters, None if peft refuses."""
    with meta():
        made = attempt(peft.get_peft_model, deepcopy(model), peft.LoraConfig(**deepcopy(settings)))
    return made and made.get_nb_trainable_parameters()[0]


def small(model_type, draw):
    """Return a model of a type with its count, at the first sizes drawn that give a small one."""
    for number in range(4 * draw, 4 * draw + 4):
        random = Random(f"{model_type} {number}")
        name, keys = random.choice(classes_of(model_type)), draw_config(model_type, random)
        model, counted = attempt(model_of, model_type, name, keys), attempt(resolve, keys, name)
        is_small = model is not None and len([*model.parameters()]) <= 400
        if is_small and counted and any(isinstance(one, LAYERS) for one in model.modules()):
            return model, counted
    return pytest.skip("no small model with targets is built and counted at the sizes drawn")


def counted_as(counted, settings):
    return adapter(counted, Lora(**settings)).data["parameters"]


NOT_SUPPORTED = "it is a conv|saved whole|matches no module|head of .* is not|is named|it shares a"
"""Why an adapter that peft builds may be refused: it ignores a name that matches nothing."""


@pytest.mark.parametrize("model_type", [name for name in model_types() if has_type(name)])
def test_drawn_models(model_type, draw, compared):
    model, counted = small(model_type, draw)
    random = Random(f"{model_type}{draw or ''}")
    for settings in [drawn(random, model) for _ in range(6)]:
        ours, theirs = partial(counted_as, counted, settings), built(model, settings)
        compared("adapters", settings, ours, partial(int, theirs), NOT_SUPPORTED)

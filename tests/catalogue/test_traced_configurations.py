"""The program of a configuration class makes the fields that transformers makes.

Settings of execution and `per_layer_config` are rules of their own, and what only they refuse is
left out.
"""

import json
import re
from contextlib import suppress
from copy import deepcopy
from random import Random

import pytest

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("a program of each type, whose classes change only with a release"),
]

transformers = pytest.importorskip("transformers")

from transformers import CONFIG_MAPPING, PreTrainedConfig
from transformers.integrations.heterogeneity.configuration_utils import (
    AmbiguousGlobalPerLayerAttributeError,
)

from paramproof.catalogue.names import irrelevant_keys, programs
from paramproof.catalogue.program import ABSENT, Part, Refused
from sweep.samples.adversary import draw_config

DRAWS = 5
RULES = re.compile(
    "per_layer|rope|'items'|'get'|as an integer|is not iterable|output_attentions|Field 'decoder_"
)
"""What transformers' messages have where a rule refuses. The classes of Moonshine and SeamlessM4T
are among the few that check the type of a key under its other name."""

OTHER_RULES = irrelevant_keys() | {"per_layer_config", "rope_scaling"}

UNKNOWN = {
    "t5gemma2": ".vocab_size",
    **dict.fromkeys(("pp_doclayout_v2", "pp_doclayout_v3", "step3p7"), ".layer_types"),
}
"""Fields that a class sets in a way that is not followed. No model reads them."""

NOT_MADE = {"cohere_compass", "cohere_compass_text", "gemma3n_vision", "gemma4_assistant", "nougat"}
"""Types of which transformers makes no configuration that is drawn, or whose programs refuse it."""


def differences(made, expected, path=""):
    """Yield the fields in which what the reader makes differs from transformers' configuration."""
    if isinstance(made, Part) and isinstance(expected, PreTrainedConfig):
        for name in sorted({*made.program.fields, *made.program.defaults} - OTHER_RULES):
            # With values of single layers, transformers lets nobody read one for all.
            with suppress(AmbiguousGlobalPerLayerAttributeError):
                other = getattr(expected, name, ABSENT)
                yield from differences(made.get(name), other, f"{path}.{name}")
    elif made is not ... and plain(made) != plain(expected):
        yield path, made, expected


def plain(value):
    """Return a value as JSON has it: the reader has no tuples."""
    return value if value is ABSENT else json.loads(json.dumps(value, default=repr))


@pytest.mark.parametrize("name", CONFIG_MAPPING)
def test_a_program_makes_the_fields_that_transformers_makes(name):
    random, compared = Random(name), 0
    for number in range(DRAWS):
        config = draw_config(name, random) if number else {"model_type": name}
        config = {key: value for key, value in config.items() if key not in OTHER_RULES}
        config["model_type"] = name
        try:
            expected = CONFIG_MAPPING[name].from_dict(deepcopy(config))
        except Exception as error:  # Classes raise errors of many kinds.
            is_known = isinstance(error, ImportError) or RULES.search(str(error))
            if not is_known:
                with pytest.raises(Refused):
                    programs().configuration(config)
            continue
        try:
            made = programs().configuration(config)
        except Refused as error:
            # Rotary positions are a rule of their own: models refuse them, too.
            is_rope = any("rope" in key for key in error.keys)
            if not is_rope and error.kind != "limit":
                raise
            continue
        found = differences(made, expected)
        assert [one for one in found if one[0] != UNKNOWN.get(name)] == [], config
        compared += 1
    assert compared or name in NOT_MADE


ODD = {"head_dim": 65, "num_attention_heads": 4}
SHARED = {"rope_theta": 1e4, "partial_rotary_factor": 0.5}


@pytest.mark.parametrize(
    ("name", "keys", "is_refused"),
    [
        ("llama", {"rope_scaling": {"type": "odd"}}, True),
        ("llama", {"rope_scaling": {"type": "linear"}}, True),
        ("llama", {"rope_scaling": {"type": "linear", "factor": 2.0}}, False),
        ("llama", {"rope_theta": None}, True),
        ("llama", ODD, True),
        ("llama", {**ODD, "rope_parameters": SHARED}, False),
        ("llama", {"per_layer_config": {"32": {"intermediate_size": 8}}}, True),
        ("llama", {"quantization_config": 1}, True),
        ("bert", {"rope_scaling": 1}, True),
        ("bert", {"attn_implementation": "odd"}, True),
        ("bert", {"attn_implementation": "eager"}, False),
        ("bert", {"attribute_map": {}}, True),
        ("bert", {"to_dict": 1}, True),
        ("qwen2_vl_text", {"rope_scaling": {"type": "mrope"}}, False),
        ("gemma3_text", {"rope_scaling": {"rope_type": "linear", "factor": 8.0}}, False),
        ("gemma4_text", {"rope_parameters": SHARED}, True),
        ("beam", {"rope_parameters": {}}, True),
    ],
)
def test_keys_of_the_base_class_are_refused_as_configurations_or_models_refuse_them(
    name, keys, is_refused
):
    config = {"model_type": name, **keys}
    if is_refused:
        with pytest.raises(Refused):
            programs().configuration(config)
    else:
        programs().configuration(config)

"""The program of a configuration class makes the fields that transformers makes.

Settings of execution and `per_layer_config` are rules of their own, and what only they refuse is
left out.
"""

import json
import re
from copy import deepcopy
from random import Random

import pytest

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("a program of each type, whose classes change only with a release"),
]

transformers = pytest.importorskip("transformers")

from transformers import CONFIG_MAPPING, PreTrainedConfig

from paramproof.catalogue.names import irrelevant_keys, programs
from paramproof.catalogue.program import ABSENT, Part, Refused
from sweep.samples.adversary import draw_config

DRAWS = 5
RULES = re.compile("per_layer|rope|'items'|'get'|as an integer|is not iterable|output_attentions")
"""What transformers' messages have where a rule refuses."""

OTHER_RULES = irrelevant_keys() | {"per_layer_config"}


def differences(made, expected, path=""):
    """Yield the fields in which what the reader makes differs from transformers' configuration."""
    if isinstance(made, Part) and isinstance(expected, PreTrainedConfig):
        for name in sorted({*made.program.fields, *made.program.defaults} - OTHER_RULES):
            other = getattr(expected, name, ABSENT)
            yield from differences(made.get(name), other, f"{path}.{name}")
    elif made is not ... and plain(made) != plain(expected):
        yield path, made, expected


def plain(value):
    """Return a value as JSON has it: the reader has no tuples."""
    return value if value is ABSENT else json.loads(json.dumps(value, default=repr))


@pytest.mark.parametrize("name", CONFIG_MAPPING)
def test_a_program_makes_the_fields_that_transformers_makes(name):
    random = Random(name)
    for number in range(DRAWS):
        config = draw_config(name, random) if number else {"model_type": name}
        config = {key: value for key, value in config.items() if key not in OTHER_RULES}
        config["model_type"] = name
        try:
            expected = CONFIG_MAPPING[name].from_dict(deepcopy(config))
        except Exception as error:  # Classes raise errors of many kinds.
            if not RULES.search(str(error)):
                with pytest.raises(Refused):
                    programs().configuration(config)
            continue
        assert [*differences(programs().configuration(config), expected)] == [], config

"""The traced program of a configuration class makes the fields that transformers makes.

Rotary positions, settings of execution and `per_layer_config` are rules of their own, and
their keys and refusals are left out.
"""

import json
import re
from copy import deepcopy
from functools import cache
from random import Random

import pytest

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("a program of each type, whose classes change only with a release"),
]

transformers = pytest.importorskip("transformers")

from transformers import CONFIG_MAPPING, PreTrainedConfig

from paramproof.tracing.configuration.program import ROPE, trace
from paramproof.tracing.configuration.terms import MISSING
from sweep.samples.adversary import draw_config
from tests.paramproof.tracing.configuration.evaluation import ABSENT, ERRORS, Evaluation

DRAWS = 5
RULES = re.compile("per_layer|rope|'items'|'get'|as an integer|is not iterable|output_attentions")
"""What transformers' messages have where a rule refuses."""

OTHER_RULES = ROPE | {
    *(
        "_commit_hash",
        "_heterogeneity_spec",
        "_name_or_path",
        "_output_attentions",
        "_post_init_done",
    ),
    *("_attn_implementation", "_attn_implementation_internal", "attn_implementation", "dtype"),
    *("_experts_implementation", "_experts_implementation_internal", "experts_implementation"),
    *("ignore_keys_at_rope_validation", "model_type", "name_or_path", "output_attentions"),
    *("per_layer_config", "torch_dtype", "transformers_version"),
    *("allow_global_per_layer_attribute_access", "serialize_explicit_per_layer_config"),
}


class Refused(Exception):
    pass


class Part(dict):
    """The fields of a configuration object."""

    def __init__(self, kind, fields):
        super().__init__(fields)
        self.kind = kind


@cache
def classes():
    found, left = {}, [PreTrainedConfig]
    for name in CONFIG_MAPPING:
        found[CONFIG_MAPPING[name].__name__] = CONFIG_MAPPING[name]
    while left:
        for one in left.pop().__subclasses__():
            found.setdefault(one.__name__, one)
            left.append(one)
    return found


@cache
def program(kind):
    return trace(classes()[kind])


def accepts(value, kind):
    scalars = {"int": int, "float": float, "str": str, "bool": bool}
    match kind.op:
        case "union":
            return any(accepts(value, one) for one in kind.args)
        case "null":
            return value is None
        case "one of":
            return any(value == one and type(value) is type(one) for one in kind.args)
        case "list":
            return isinstance(value, list) and all(accepts(v, k) for v in value for k in kind.args)
        case "sequence":
            return isinstance(value, list | str) and all(accepts(v, *kind.args) for v in value)
        case "dict":
            pairs = value.items() if isinstance(value, dict) else ()
            every = all(all(map(accepts, pair, kind.args)) for pair in pairs)
            return isinstance(value, dict) and not isinstance(value, Part) and every
        case "tuple" | "set" | "object":
            return kind.args[:1] == ("PreTrainedConfig",) and isinstance(value, Part)
    wanted = scalars.get(kind.op, object)
    return isinstance(value, wanted) and not (wanted is int and isinstance(value, bool))


class Parts(Evaluation):
    def __init__(self, config, part=None, keys=()):
        super().__init__(config)
        self.part, self.keys = part, keys

    def __call__(self, value):  # noqa: C901 - a case for each operation
        match getattr(value, "op", None), getattr(value, "args", ()):
            case "rope" | "opaque", _:
                return None
            case "self", _:
                return self.part
            case "key", (name,):
                if name in self.config:
                    return self.config[name]
                return json.loads(json.dumps(self.keys[name][1]))  # The reader has no tuples.
            case "accepts", (one, kind):
                return accepts(self(one), kind)
            case "known", (name,):
                return self(name) in CONFIG_MAPPING
            case "class of", (name,):
                return CONFIG_MAPPING[self(name)].__name__
            case "new", (kind, keys):
                return make(self(kind), self(keys))
            case "fields", (part,):
                return dict(self(part))
            case "isinstance", (one, *kinds) if "part" in kinds:
                return isinstance(self(one), Part | (dict if "object" in kinds else Part))
            case "field" | "has field", (part, name):
                found = self.read(self(part), name)
                if value.op == "has field":
                    return found is not ABSENT
                if found is ABSENT:
                    raise Refused(name)
                return found
            case "with fields", (part, *pairs):
                found = self(part)
                changed = Part(found.kind, found)
                for name, one in zip(pairs[::2], map(self, pairs[1::2]), strict=True):
                    if one is not ABSENT:
                        changed[program(found.kind).aliases.get(name, name)] = one
                return changed
        return super().__call__(value)

    def read(self, part, name):
        if not isinstance(part, Part):
            return ABSENT
        of = program(part.kind)
        name = of.aliases.get(name, name)
        if name in part:
            return part[name]
        return Parts(None, part)(of.properties[name]) if name in of.properties else ABSENT


def make(kind, keys):
    of = program(kind)
    evaluation = Parts(keys, keys=of.keys)
    try:
        for name, (declared, default) in of.keys.items():
            if not (accepts(keys[name], declared) if name in keys else default is not MISSING):
                raise Refused(name)
        for condition, why in of.refusals.items():
            if evaluation(condition):
                raise Refused(why)
        found = {**(evaluation(of.rest) if of.rest is not None else {})}
        fields = {name: evaluation(value) for name, value in of.fields.items()}
    except ERRORS as error:
        raise Refused(str(error)) from None
    return Part(kind, found | {k: v for k, v in fields.items() if v is not ABSENT})


def plain(value, opaque=()):
    if isinstance(value, PreTrainedConfig | Part):
        made = isinstance(value, Part)
        fields = value if made else {**value.__dict__, "num_labels": value.num_labels}
        kind = value.kind if isinstance(value, Part) else type(value).__name__
        opaque = {
            name for name, one in program(kind).fields.items() if getattr(one, "op", "") == "opaque"
        }
        return {k: plain(v) for k, v in fields.items() if k not in OTHER_RULES | opaque}
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    return [*map(plain, value)] if isinstance(value, list | tuple | range) else value


@pytest.mark.parametrize("name", CONFIG_MAPPING)
def test_a_program_makes_the_fields_that_transformers_makes(name):
    random, config_class = Random(name), CONFIG_MAPPING[name]
    for number in range(DRAWS):
        config = draw_config(name, random) if number else {}
        config = {key: value for key, value in config.items() if key not in OTHER_RULES}
        try:
            expected = config_class(**deepcopy(config))
        except Exception as error:  # Classes raise errors of many kinds.
            if not RULES.search(str(error)):
                with pytest.raises(Refused):
                    make(config_class.__name__, deepcopy(config))
            continue
        found = make(config_class.__name__, deepcopy(config))
        assert plain(found) == plain(expected), config

"""Random configurations that are drawn without any knowledge of how the catalogue counts them.

The keys and values come from transformers' configuration classes and from published files alone:
saved defaults and files with keys changed, dropped and added, or with all sizes drawn anew. The
catalogue's count is then compared with transformers' model, tensor by tensor.
"""

from __future__ import annotations

import dataclasses
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache
from itertools import chain
from random import Random
from typing import Any

from transformers import CONFIG_MAPPING, PreTrainedConfig

from paramproof.catalogue.configurations import entry
from paramproof.catalogue.names import irrelevant_keys
from paramproof.resolver import resolve
from sweep.library.keys import Keys, own_keys, read_configs, with_other_sizes
from sweep.library.model import attempt, judge_entry
from sweep.library.verdict import Judgement, Verdict

SAVED_SHARE = 0.5
"""The share of configurations that start with all keys that transformers saves."""

PUBLISHED_SHARE = 0.5
"""The share that starts with a published file instead, of types that have one."""

PUBLISHED = ("public", "released", "served")
"""The files of published configurations in the tests."""

MAX_FEW_KEYS = 8
"""The largest number of keys with which the other configurations start."""

MAX_CHANGES = 3
"""The largest number of keys that are changed, dropped or added."""

LAYER_KEYS = ("num_hidden_layers", "num_layers", "n_layer", "num_decoder_layers", "encoder_layers")
MAX_LAYERS = 3
"""The largest number of layers of most models. Deep ones take long to build, and add nothing."""

STRINGS = ("gelu", "silu", "relu", "default", "")

SIZES_SHARE = 0.25
"""The share of configurations that get other sizes instead, which meet the formula's conditions."""


def judge_random(names: Sequence[str], number: int, seed: int) -> Iterator[Judgement]:
    """Judge ``number`` random configurations, of one entry after the other."""
    order = Random(seed).sample(list(names), len(names))
    for index in range(number):
        name = order[index % len(order)]
        yield judge(draw_config(name, Random(f"{seed} {index} {name}")))


def judge(config: Keys) -> Judgement:
    """Compare what the catalogue says of a configuration with transformers' model.

    The count that a user gets is compared with the entry's, too.
    """
    try:
        found, counted = entry(config), resolve(config).inventory().total()
    except ValueError as error:
        return Judgement(config, Verdict.NOT_COUNTED, error)
    judged = judge_entry(found, config)
    if judged.verdict is Verdict.EQUAL and counted != found.count:
        why = f"counted as {counted}, and the entry has {found.count}"
        return Judgement(config, Verdict.OTHER, why)
    return judged


def draw_config(name: str, random: Random) -> Keys:
    """Draw a configuration of a type: a published file or saved defaults, with changes."""
    config_class = CONFIG_MAPPING[name]
    saved = saved_defaults(config_class)
    published = published_configs().get(name)
    if published and random.random() < PUBLISHED_SHARE:
        config = deepcopy(random.choice(published))
    else:
        config = {**_draw_defaults(saved, random), "model_type": name}
    if random.random() < SIZES_SHARE and (sized := with_other_sizes(config, random)):
        return sized
    # A class accepts keys that it does not save: fields of its own, and aliases.
    known = {one.name for one in dataclasses.fields(config_class)} | {*config_class.attribute_map}
    others = sorted(known - irrelevant_keys() - saved.keys())
    for _ in range(random.randint(1, MAX_CHANGES)):
        _change(config, saved, others, random)
    return config


def _draw_defaults(saved: Keys, random: Random) -> Keys:
    """Draw all of the saved defaults, or a few keys of them, mostly with few layers."""
    if random.random() < SAVED_SHARE:
        config = deepcopy(saved)
    else:
        few = random.sample(sorted(saved), random.randint(0, min(MAX_FEW_KEYS, len(saved))))
        config = {key: deepcopy(saved[key]) for key in few}
    if random.random() < 0.9:
        for depth in LAYER_KEYS:
            if type(saved.get(depth)) is int:
                config[depth] = random.randint(1, MAX_LAYERS)
    return config


@cache
def published_configs() -> Mapping[str, list[Keys]]:
    """Return the published configurations in the tests, by model type."""
    found = defaultdict[str, list[Keys]](list)
    for one in chain(*map(read_configs, PUBLISHED)):
        found[one["config"]["model_type"]].append(one["config"])
    return dict(found)


def saved_defaults(config_class: type[PreTrainedConfig]) -> Keys:
    """Return the keys that transformers saves for the defaults, or none if it cannot build them."""
    text = attempt(lambda: config_class().to_json_string()) or "{}"
    return {name: one for name, one in json.loads(text).items() if name not in irrelevant_keys()}


def _change(config: Keys, saved: Keys, others: Sequence[str], random: Random) -> None:
    """Change, drop or add one key, at top level or in a part."""
    places = [
        (part, name)
        for part, name in own_keys(config)
        if name not in ("model_type", *irrelevant_keys())
    ]
    kind = random.random()
    if kind < 0.2 and others:
        config[random.choice(others)] = _another(random.choice([1, True, 0.5, None]), random)
    elif kind < 0.4 and (absent := sorted(saved.keys() - config.keys())):
        name = random.choice(absent)
        config[name] = _another(deepcopy(saved[name]), random)
    elif places:
        part, name = random.choice(places)
        if random.random() < 0.3:
            del part[name]
        else:
            part[name] = _another(part[name], random)


def _another(value: Any, random: Random) -> Any:
    """Return a random value, usually of the same kind."""
    if random.random() < 0.1:
        return None
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return random.choice([2 * value, value + 1, value // 2, random.randint(0, 64), value])
    if isinstance(value, float):
        return random.choice([value / 2, value + 1, 0.0, 1.0, 1])
    if isinstance(value, str):
        return random.choice([value, *STRINGS])
    if isinstance(value, list):
        return random.choice([value, value[:-1], [*value, *value[-1:]], value[::-1], []])
    if isinstance(value, dict):
        names = sorted(value)
        gone = random.choice(names) if names else ""
        return {name: one for name, one in value.items() if name != gone}
    return random.choice([1, 8, True, 0.5, []])

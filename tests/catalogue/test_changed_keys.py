"""With every key of a configuration changed at once, programs count what transformers builds.

Each key of a type's defaults gets another value that the program accepts, one after the other:
other sizes, flipped flags, texts that the program compares with, null, fractions, lists of other
lengths. Then the model is built once. A value that the interpreter reads without noting it shows
here, and so does a rule that reads the wrong key. ``--share 1/1``, as at night, takes all types.
"""

import itertools
import json
from collections import Counter
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import ClassVar

import pytest

pytestmark = pytest.mark.framework("transformers")

transformers = pytest.importorskip("transformers")
transformers.logging.set_verbosity_error()

from paramproof.catalogue import program
from paramproof.catalogue.program import Catalogue, Refused
from tests.catalogue.built import build, differences

LEFT = {"_name_or_path", "architectures", "dtype", "model_type", "transformers_version"}
LEFT |= {"attn_implementation", "output_attentions", "rope_type"}
"""Keys that say what a file is or how a model runs, and the kind of rotary positions."""

OTHER_BUFFERS = {"deepseek_v4", "omdet-turbo"}
"""Types with temporary buffers that the programs do not know, or at other sizes."""

MAX_TENSORS = 4000
TRIES = 4
"""Values that are tried for a key until the program accepts one."""


class Text(str):
    """A text that records the texts with which it is compared."""

    __slots__ = ()
    __hash__ = str.__hash__
    seen: ClassVar[set[str]] = set()

    def __eq__(self, other):
        Text.seen |= {other} if isinstance(other, str) else set()
        return str(self) == other


def places(keys, before=()):
    for name, value in keys.items():
        if isinstance(value, dict) and value:
            yield from places(value, (*before, name))
        elif name not in LEFT:
            yield (*before, name)


def value_at(keys, place):
    for name in place:
        keys = keys.get(name) if isinstance(keys, dict) else None
    return keys


def changed(start, changes):
    keys = deepcopy(start)
    for place, value in changes.items():
        if isinstance(part := value_at(keys, place[:-1]), dict):
            part[place[-1]] = value
    return keys


def other_values(value, texts, random):
    """Return other values for a key, mostly of its kind."""
    size = random.choice([1, 2, 3, 4, 6, 8, 16, 24, 32])
    match value:
        case bool():
            own = [not value]
        case int():
            own = [random.choice([value + 1, 2 * min(value, 999), value // 2, size]), size]
        case float():
            own = [value / 2, value + 1, 1]
        case list():
            items = [other_values(one, texts, random)[0] for one in value]
            own = [value[:-1], [*value, *value[-1:]], value[::-1], items]
        case _:
            own = [*texts, *texts]
    others = [None, 0, 0.5, 1.0, True, size, [size, 2 * size], *texts]
    values = random.sample(own, len(own)) + random.sample(others, len(others))
    return [one for one in values if repr(one) != repr(value)]


class Changing:
    """A class of a model type with its defaults, and the changes that its program accepts."""

    def __init__(self, catalogue, model_type, random):
        self.catalogue, self.random = catalogue, random
        self.name = random.choice([*catalogue.file(model_type)["models"]])
        config = transformers.CONFIG_MAPPING[model_type]()
        self.start = json.loads(config.to_json_string(use_diff=False))
        self.places = [*places(self.start)]
        self.changes = {}

    def tensors(self, changes):
        """Return the tensors, or none if the program refuses the changes or they are too many."""
        try:
            part = self.catalogue.configuration(changed(self.start, changes))
            found = [*itertools.islice(part.tensors(self.name), MAX_TENSORS + 1)]
        except Refused:
            return []
        return found if len(found) <= MAX_TENSORS else []

    def texts(self, place):
        """Return the texts with which the program compares the value or the items at a place."""
        value, Text.seen = value_at(self.start, place), set()
        items = [Text(one) for one in value if isinstance(one, str)] if type(value) is list else []
        self.tensors({**self.changes, place: items or Text(value)})
        return sorted(Text.seen)

    def change(self):
        for place in self.random.sample(self.places, len(self.places)):
            texts = self.texts(place)
            texts = self.random.sample(texts, min(len(texts), TRIES))
            for value in other_values(value_at(self.start, place), texts, self.random)[:TRIES]:
                if self.tensors({**self.changes, place: value}):
                    self.changes[place] = value
                    break

    def outcome(self, changes):
        """Return a verdict on the changes, and how the model differs or why there is none."""
        found = self.tensors(changes)
        if not found:
            return "not counted", ""
        try:
            model = build(self.name, changed(self.start, changes))
        except Exception as error:  # Classes raise errors of many kinds.
            return "refused", f"{error!r:.200}"
        lines = differences(found, model)
        return ("wrong", lines[0]) if lines else ("equal", "")

    def smallest(self, verdict):
        """Return few changes with a verdict, by leaving out parts of them."""
        changes, size = self.changes, len(self.changes) + 1
        while size > 1:
            size = (size + 1) // 2
            for part in [[*changes][i : i + size] for i in range(0, len(changes), size)]:
                fewer = {place: value for place, value in changes.items() if place not in part}
                changes = fewer if self.outcome(fewer)[0] == verdict else changes
        return changes


def test_no_count_is_wrong_with_every_key_changed(share):
    catalogue = Catalogue(Path(program.__file__).parent / "programs")
    built = [one for one in catalogue.types if catalogue.file(one)["models"]]
    types = [one for one in share.take(built) if one not in OTHER_BUFFERS]
    verdicts, problems, keys_changed, keys_there = Counter(), [], 0, 0
    for model_type in types:
        seed = f"{model_type} {len(catalogue.file(model_type)['nodes'])}"
        try:
            one = Changing(catalogue, model_type, Random(seed))
        except Exception:  # Some classes have no defaults.
            continue
        if one.outcome({})[0] in ("not counted", "refused"):
            continue
        one.change()
        keys_there, keys_changed = keys_there + len(one.places), keys_changed + len(one.changes)
        for _ in range(TRIES):
            verdict, why = one.outcome(one.changes)
            verdicts[verdict] += 1
            if verdict in ("equal", "not counted"):
                break
            cause = one.smallest(verdict)
            keys = json.dumps({".".join(place): value for place, value in cause.items()})
            problems.append(f"{verdict}: {one.name} {keys}: {one.outcome(cause)[1] or why}")
            one.changes = {k: v for k, v in one.changes.items() if k not in cause}
    print(*problems, f"{keys_changed} of {keys_there} keys, {verdicts}", sep="\n")
    assert [one for one in problems if one.startswith("wrong")] == []
    assert keys_changed > 0.9 * keys_there
    assert verdicts["equal"] > 0.7 * len(types)
    assert verdicts["refused"] < 0.4 * len(types)

"""Named models with every way to count them, as data and in words, and what is published of them.

``index.jsonl`` has a line for each model, sorted by name, so that a number is looked up without
counting anything. ``python -m docs.writers explain --measure`` writes it, and a test compares it
with the models. ``known.json`` has names, formulas and phrases.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from paramproof.explanation.number import WrittenNumber, read
from paramproof.formulas.path import LAYER, has_layer, leaf, lies_in

FILE = Path(__file__).with_name("index.jsonl")

UNDER = " under "
"""What stands between a component and the conventions under which it is counted."""


class Way(NamedTuple):
    """A way to count a model: its kind, what it counts, the number, and the number in letters.

    ``what`` is a component (kinds ``one`` and ``all``: in one layer, or in all), conventions
    (``under`` and ``active``), a class, or words; ``equal`` are other components with the same
    formula. With a ``step``, the way counts ``number`` + n·``step`` parameters: n is the number of
    labels, or the rank of an adapter.
    """

    kind: str
    what: str
    number: int
    formula: str
    step: int = 0
    equal: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PublishedNumber:
    """A number that was published for a ``model``, with the verdict on it.

    It counts all parameters, or those that ``of`` names; ``includes`` is what the source says that
    it includes. ``conventions`` are the ways of counting that give it, and ``verdict`` says how. It
    is ``withdrawn`` if its publisher has corrected it.
    """

    model: str
    published: str
    source: str
    verdict: str
    conventions: tuple[str, ...] = ()
    of: str = ""
    includes: str = ""
    withdrawn: bool = False

    def is_written(self, number: WrittenNumber) -> bool:
        """Return whether this is ``number``, written in whatever way."""
        own = read(self.published)
        return own.rounds_as(number) if self.withdrawn else own.same_as(number)


@dataclass(frozen=True)
class Described:
    """A model with the ways to count it, its total first, and the letters of their formulas.

    ``letters`` has the field and the size of each letter. The rest is known of named models:
    ``has_family`` is set if a family describes it, and a ``synthetic`` one was never released.
    """

    name: str
    ways: tuple[Way, ...]
    letters: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    year: int | None = None
    has_family: bool = False
    synthetic: bool = False
    short_names: tuple[str, ...] = ()
    published: tuple[PublishedNumber, ...] = ()

    @property
    def total(self) -> int:
        return self.ways[0].number

    @property
    def order(self) -> tuple[object, ...]:
        """The sort key: released models, the older first, and the better known of a year."""
        return (self.synthetic, self.year or 9999, not self.has_family, not self.short_names)


def _from_line(line: str) -> Described:
    data: dict[str, Any] = json.loads(line)
    data["ways"] = tuple(Way(*way) for way in data["ways"])
    data["published"] = tuple(PublishedNumber(**one) for one in data["published"])
    return Described(**data)


@cache
def named() -> Mapping[str, Described]:
    """Return all named models by name, the best known first."""
    models = map(_from_line, FILE.read_text("utf-8").splitlines())
    return {model.name: model for model in sorted(models, key=lambda one: (one.order, one.name))}


KNOWN: Mapping[str, Any] = json.loads(Path(__file__).with_name("known.json").read_text("utf-8"))
"""Names of components and of sizes, the usual sums as formulas, and what adapters go beside."""


def words(way: Way, n: int = 0) -> str:
    """Return a way as a person would state it, with ``n`` labels or at rank ``n``."""
    if way.kind in ("one", "all"):
        return component(way)
    if way.what == "trainable":
        return "the whole model"
    return str(KNOWN["kinds"][way.kind].format(what=way.what, n=n))


def component(way: Way, base: Way | None = None, *, noun: bool = True) -> str:
    """Return a component in words; one of the same layers as ``base`` by the rest of its path."""
    path, _, under = way.what.partition(UNDER)
    name = leaf(path) if "{" not in path else f"{{{path.partition('{')[2]}"
    if base and base.kind == way.kind and has_layer(base.what) and lies_in(path, base.what):
        return path.removeprefix(f"{base.what}.")
    if name == LAYER:
        text = f"one layer of {path.removesuffix(f'.{LAYER}')}"
    elif has_layer(path):
        text = f"{path} in {'one layer' if way.kind == 'one' else 'all layers'}"
    else:
        text = path
    text += f" ({under})" if under else ""
    nouns = KNOWN["nouns"].items() if noun and not base else ()
    kind = next((kind for kind, names in nouns if re.fullmatch(names, name)), "")
    return f"{kind}: {text}" if kind else text


def notes(way: Way, formula: str, letters: Mapping[str, tuple[str, int]]) -> Iterator[str]:
    """Yield what else people ask about attention: the number of heads, and what Keras has."""
    name = leaf(way.what.partition(UNDER)[0])
    is_attention = re.fullmatch(KNOWN["nouns"]["an attention block"], name)
    if way.kind not in ("one", "all") or not is_attention:
        return
    for heads, (of, size) in letters.items():
        is_number = re.fullmatch(KNOWN["number of heads"], leaf(of))
        if is_number and heads not in re.findall(r"[^\W\d]\w*", formula):
            yield (
                f"The number of heads changes nothing: {heads} = {of} = {size} is not in the "
                f"formula, since {heads} heads of H/{heads} are H wide together."
            )
    if way.kind == "one" and formula == "4·H² + 4·H":
        yield str(KNOWN["keras"])

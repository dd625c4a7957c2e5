"""Explanations in words, and what ``known.json`` has of names, formulas and phrases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from paramproof.explanation.index import UNDER, Way
from paramproof.formulas.path import LAYER, has_layer, leaf, lies_in

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

"""Measure all answers of one framework by running it in this process."""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from paramproof.algebra.symbols import folded, symbols
from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework
from paramproof.differences import measure
from paramproof.differences.answer import COUNTED, Answer
from paramproof.differences.measure import Call, entries
from paramproof.formulas import FAMILIES, EncoderLetters, EncoderSpec, closed_form, inventory
from paramproof.formulas.expression import text
from paramproof.formulas.models import named_model
from paramproof.formulas.printing import shape_text
from paramproof.verify.cases import supported_cases
from paramproof.verify.proof import NamedTensor, read

DECODER = "mlm_head.decoder.weight"
QUESTIONS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("questions.toml").read_text("utf-8")
)
OURS = "paramproof.builders.frameworks."
PROBES = "paramproof.differences.probes."

MAX_TERMS = 2
"""So many quantities may make up a difference in letters."""


def answers(chosen: Framework, builder: Builder) -> Iterator[Answer]:
    """Yield the answers of ``chosen``, in the order of the page.

    Raises ``measure.Unknown`` if the framework does something that has no name here. A framework
    from another package has no probe, so its answers are about shapes only.
    """
    canonical = {one.path: _shape(one.shape) for one in inventory(symbols(EncoderLetters))}
    order = [*canonical]
    shapes = _shapes(chosen, builder, canonical)
    yield from sorted(shapes, key=lambda answer: order.index(answer.components[0]))
    if chosen.module.startswith(OURS):
        yield from defaults(chosen, QUESTIONS["defaults"])
        yield from _counts(chosen, builder)


def counted_spec(model: str) -> EncoderSpec:
    """Return the named model with both heads, the MLM head tied: it can be counted twice."""
    encoder: Any = named_model(model).spec
    counted: EncoderSpec = replace(encoder, mlm_head=True, nsp_head=True)
    return counted


def _probe(chosen: Framework) -> ModuleType:
    return importlib.import_module(PROBES + chosen.module.removeprefix(OURS))


def _shapes(chosen: Framework, builder: Builder, shapes: Mapping[str, str]) -> Iterator[Answer]:
    """Yield an answer for each canonical tensor, and two for the decoder's table: tied and not."""
    supported = supported_cases(builder, FAMILIES["encoder"], chosen.fixed)
    tied = next(case for case in supported if not case.parts["untied"])
    for case in (tied, *(case for case in supported[:1] if case.parts["untied"])):
        for tensor in read(builder, case).tensors:
            stored = _stored(tensor)
            for part in tensor.parts:
                if case == tied or part == DECODER:
                    yield Answer(chosen.name, "shapes", part, shapes[part], stored, (part,))
            if DECODER in tensor.aliases:
                facts = stored | {"layout": "a second name of the table"}
                row = f"{DECODER}, tied"
                yield Answer(chosen.name, "shapes", row, shapes[DECODER], facts, (DECODER,))


def _stored(tensor: NamedTensor) -> dict[str, str]:
    several = [f"{len(tensor.parts)} concatenated"] if len(tensor.parts) > 1 else []
    layout = ", ".join([*several, *tensor.layout]) or "as it is"
    return {"path": tensor.path, "shape": _shape(tensor.shape), "layout": layout}


def _shape(shape: Sequence[Any]) -> str:
    return shape_text(text(folded(length)) for length in shape)


def defaults(chosen: Framework, rows: Iterable[str]) -> Iterator[Answer]:
    """Yield the answers to ``rows``, names of questions that the framework's probe can ask."""
    probe = _probe(chosen)
    for row in rows:
        question = QUESTIONS["defaults"][row]
        found = probe.ASKED.get(row) or probe.ASKED.get(question.get("call"))
        if found is not None:
            asked, call = found
            given = [_on_arrays(probe, call)]
            if question.get("call") == "attend":
                given.append(_on_arrays(probe, probe.ASKED["mask.shape"][1]))
            answer = getattr(measure, question["measure"])(*given)
            facts = {"answer": answer, "asked": asked}
            components = tuple(question["components"])
            yield Answer(chosen.name, "defaults", row, question["text"], facts, components)


def _on_arrays(probe: ModuleType, call: Call) -> Call:
    """Return a framework's call as one that takes and returns NumPy arrays.

    It draws the same numbers each time. Sizes, text and None stay as they are.
    """

    def arrays(found: Any) -> Any:
        if isinstance(found, list | tuple):
            return [*map(arrays, found)]
        return found if isinstance(found, str | float | None) else probe.array(found)

    def on_arrays(*given: Any) -> Any:
        with probe.same_draws():
            tensors = (probe.tensor(x) if isinstance(x, np.ndarray) else x for x in given)
            return arrays(call(*tensors))

    return on_arrays


def _counts(chosen: Framework, builder: Builder) -> Iterator[Answer]:
    """Yield an answer for each way of counting that the framework has."""
    probe = _probe(chosen)
    specs = [counted_spec(model) for model in COUNTED]
    models = [builder.build(spec) for spec in specs]
    for kind, question in QUESTIONS["counts"].items():
        if kind in probe.COUNTS:
            how, count = probe.COUNTS[kind]
            numbers = [entries(count(model)) for model in models]
            facts = {"how": how, "difference": count_in_letters(numbers, specs)}
            facts[COUNTED[-1]] = f"{numbers[-1]:,}"
            yield Answer(chosen.name, "counts", f"count.{kind}", question["text"], facts)


def count_in_letters(numbers: Sequence[int], specs: Sequence[EncoderSpec]) -> str:
    """Return ``numbers`` minus the formula of ``specs`` in symbols: ``0``, ``+ V·H + V``.

    The result is the shortest sum of named quantities that is right for all models: at the sizes of
    real models, no two short sums agree on both. Raises ``ValueError`` if there is none. A number
    that is the same for all models is returned as a number.
    """
    if len(set(numbers)) == 1:
        return f"{numbers[0]:,}, whatever the model"
    letters = [spec.letters() for spec in specs]
    differences = [number - closed_form(own) for number, own in zip(numbers, letters, strict=True)]
    named = {
        "V·H": [own.V * own.H for own in letters],
        "V": [own.V for own in letters],
        "(V + P + T)·H": [(own.V + own.P + own.T) * own.H for own in letters],
    }
    signed = {f"+ {name}": values for name, values in named.items()}
    signed |= {f"− {name}": [-value for value in values] for name, values in named.items()}
    for count in range(MAX_TERMS + 1):
        for terms in combinations(signed, count):
            sums = [sum(signed[term][model] for term in terms) for model in range(len(specs))]
            if sums == differences:
                return " ".join(terms) or "0"
    raise ValueError(f"{differences}, beyond the formula, have no meaning in letters")

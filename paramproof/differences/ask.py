"""Measure all answers of one framework by running it in this process."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

from paramproof.algebra.symbols import folded, symbols
from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework
from paramproof.differences.answer import COUNTED, Answer
from paramproof.differences.count_in_letters import count_in_letters
from paramproof.differences.questions import COUNTS, QUESTIONS
from paramproof.formulas import FAMILIES, EncoderLetters, EncoderSpec, inventory
from paramproof.formulas.models import named_model
from paramproof.formulas.notation import text
from paramproof.formulas.printing import shape_text
from paramproof.proof.builder_tensors import NamedTensor, read
from paramproof.proof.cases import known_sizes, plain, supported_cases

DECODER = "mlm_head.decoder.weight"
IMPOSSIBLE = 10**6
"""Features of a dense layer from as many: 4 TB in float32, which no machine here allocates."""

OURS = "paramproof.builders.frameworks."
PROBES = "paramproof.differences.probes."


def answers(chosen: Framework, builder: Builder) -> Iterator[Answer]:
    """Yield the answers of ``chosen``, in the order of the page.

    Raises ``measure.Unknown`` if the framework does something that has no name here. A framework
    from another package has no probe, so its answers are about shapes only.
    """
    probe = _probe(chosen)
    order = [tensor.path for tensor in inventory(symbols(EncoderLetters))]
    shapes = _shapes(chosen, builder, probe)
    yield from sorted(shapes, key=lambda answer: order.index(answer.components[0]))
    if probe:
        yield from defaults(chosen, QUESTIONS)
        yield from _counts(chosen, builder, probe)
        yield _abstract(chosen, probe)


def counted_spec(model: str) -> EncoderSpec:
    """Return the named model with both heads, the MLM head tied: it can be counted twice."""
    encoder: Any = named_model(model).spec
    counted: EncoderSpec = replace(encoder, mlm_head=True, nsp_head=True)
    return counted


def _probe(chosen: Framework) -> ModuleType | None:
    if not chosen.module.startswith(OURS):
        return None
    return importlib.import_module(PROBES + chosen.module.removeprefix(OURS))


def _shapes(chosen: Framework, builder: Builder, probe: ModuleType | None) -> Iterator[Answer]:
    """Yield an answer for each canonical tensor, and two for the decoder's table: tied and not."""
    family = FAMILIES["encoder"]
    known = known_sizes(chosen.fixed, family)
    supported = supported_cases(builder, family, known)
    named = inventory(supported[0].symbols(known))
    shapes = {tensor.path: _shape(tensor.shape) for tensor in named}
    tied = next(case for case in supported if not case.parts["untied"])
    for case in (tied, *(case for case in supported[:1] if case.parts["untied"])):
        encoder: Any = plain(case.spec({**case.sizes, **known}))
        spec = replace(encoder, num_hidden_layers=2)
        types = probe.dtypes(builder.build(spec)) if probe else {}
        for tensor in read(builder, case, known).tensors:
            # Layers count from 0 or from 1, so there is always one of the number 1.
            dtype = types.get(tensor.path.replace("*", "1"), "")
            stored = _stored(tensor) | {"dtype": dtype}
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
    return shape_text(map(_text, shape))


def _text(length: Any) -> str:
    return text(folded(length))


def defaults(chosen: Framework, rows: Iterable[str]) -> Iterator[Answer]:
    """Yield the answers to ``rows``, names of questions that the framework's probe can ask."""
    probe = _probe(chosen)
    for row in rows:
        question = QUESTIONS[row]
        function = getattr(probe, question.function, None)
        if function is not None:
            facts = {"answer": question.answer(function), "asked": str(function.__doc__)}
            yield Answer(chosen.name, "defaults", row, question.text, facts, question.components)


def _counts(chosen: Framework, builder: Builder, probe: ModuleType) -> Iterator[Answer]:
    """Yield an answer for each way of counting, with the numbers of both models."""
    specs = [counted_spec(model) for model in COUNTED]
    models = [builder.build(spec) for spec in specs]
    tensors = [len(model.weights()) for model in models]
    pairs = zip(models, specs, strict=True)
    small, large = (probe.counts(model, spec) for model, spec in pairs)
    for kind in sorted(small, key=list(COUNTS).index):
        how, number = small[kind]
        numbers = [number, large[kind][1]]
        facts = {"how": how, "difference": count_in_letters(numbers, specs, tensors)}
        facts |= {model: f"{n:,}" for model, n in zip(COUNTED, numbers, strict=True)}
        yield Answer(chosen.name, "counts", f"count.{kind}", COUNTS[kind], facts)


def _abstract(chosen: Framework, probe: ModuleType) -> Answer:
    """Return how a layer too large to allocate is made, and what its weight is instead."""
    weight = probe.abstract(IMPOSSIBLE)
    facts = {
        "held": probe.held(weight),
        "value": _outcome(probe.value_of, probe.abstract(3)),
        "code": _body(probe.abstract),
    }
    return Answer(chosen.name, "abstract", "abstract", "a dense kernel of 4 TB", facts)


def _outcome(value_of: Any, weight: Any) -> str:
    try:
        size = value_of(weight).size
        return (
            f"an array of {size} values, initialised when asked for" if size else "an empty array"
        )
    except (TypeError, ValueError, RuntimeError, NotImplementedError) as error:
        return f"raises {type(error).__name__}"


def _body(function: Any) -> str:
    """Return the source of ``function`` without its docstring."""
    source = inspect.getsource(function)
    before, _, after = source.partition('"""')
    return before.rstrip() + after.partition('"""')[2].rstrip()

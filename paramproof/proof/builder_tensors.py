"""The tensors of a builder's models in letters: derived of the builder, one case at a time.

The spec's fields are sizes that remember (``paramproof.derivation``), the model is built as for any
comparison, without a weight, and read by its ``weights()``. A PyTorch module's shapes are traced
where they are made; those of any other framework are read from values, since there sizes become
plain ints on the way. What the builder asks of its sizes is recorded all the same, and so a
branch on a size is seen wherever it is.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from paramproof.builders.protocol import Builder
from paramproof.derivation.pipeline import Effort, derive
from paramproof.formulas import Spec, Weight
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.derivation import Consequence, Derivation, Outcome
from paramproof.formulas.expression import Expression, letter
from paramproof.formulas.spec.protocols import head_size_of
from paramproof.proof.cases import Case, Sizes
from paramproof.tracing.constructors.base import LAYER_PACKAGES, Constructor
from paramproof.tracing.recorder import ignoring_array_code
from paramproof.tracing.tensor_groups import ObservedTensor, star_numbers

EFFORT = Effort(generic=2, held=2, deepest=3, far=False)
"""For each case: through two lengths there is always a sum, and layers are what takes time.

No models are made far away, which would take longer than all the others.
"""


@dataclass(frozen=True, slots=True)
class NamedTensor:
    """One native tensor in letters, ``times`` of it where its path has a ``*`` for a number.

    ``parts``, ``layout`` and ``aliases`` are as in ``Weight``, with ``*`` for layers.
    """

    path: str
    shape: tuple[Expression, ...]
    times: Expression
    trainable: bool
    parts: tuple[str, ...]
    layout: tuple[str, ...]
    aliases: tuple[str, ...]
    traced: bool

    @property
    def size(self) -> Expression:
        """Number of entries of all of them, whether trainable or not."""
        return self.times * math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was derived of one case: its tensors, and the conditions under which they are all.

    A condition is a text; ``branches`` are those outside of which other tensors are made, and the
    sizes that could not be varied.
    """

    tensors: tuple[NamedTensor, ...]
    conditions: tuple[str, ...]
    branches: tuple[str, ...]
    source: _Source

    def difference(self, spec: Spec, weights: Iterable[Weight]) -> str:
        """Return what the model of ``spec`` has otherwise than was derived, "" for nothing."""
        sizes = self.source.sizes_of(spec)
        found = Counter(
            (self.source.path(weight), weight.trainable, tuple(map(int, weight.shape)))
            for weight in weights
        )
        due: Counter[tuple[str, bool, tuple[int, ...]]] = Counter()
        for one in self.tensors:
            shape = tuple(length.evaluate(sizes) for length in one.shape)
            due[one.path, one.trainable, shape] += one.times.evaluate(sizes)
        for path, trainable, shape in sorted((found - due) | (due - found)):
            key = path, trainable, shape
            at = ", ".join(f"{name} = {size}" for name, size in sizes.items())
            return (
                f"not as derived at {at}: "
                f"{path} of {shape} is there {found[key]} times, and not {due[key]}"
            )
        return ""


def read(
    builder: Builder,
    case: Case,
    known: Sizes | None = None,
    seed: int = 0,
    outcomes: dict[Condition, Consequence | None] | None = None,
) -> Reading:
    """Derive the tensors of ``builder``'s models of one case.

    ``known`` are fields of the spec that the builder cannot vary, with their values; ``outcomes``
    remembers from case to case, as in ``derive``.

    Raises ``ValueError``, in one line that names the tensor, for a shape that is not explained
    and for what does not hold at other sizes.
    """
    source = _Source(builder, case, known or {})
    constructor = source.constructor()
    try:
        found = derive(constructor, seed, effort=EFFORT, outcomes=outcomes)
    finally:
        # A builder that fails in another way than by refusing is broken, at whatever sizes.
        if source.crash is not None:
            raise source.crash
    found = found.renamed(dict(found.fields))
    heads = source.heads
    return Reading(
        tuple(source.named(found)),
        tuple(
            str(stated.condition)
            for stated in found.conditions
            # That a head has some width goes without saying where heads divide what they split.
            if not stated.condition.substitute(heads).is_settled
            or stated.condition.relation is Relation.DIVIDES
        ),
        (
            *(f"{name} = {found.sizes[name]}: else nothing was derived" for name in found.fixed),
            *(
                f"{stated.condition}: else {stated.outside}"
                for stated in found.conditions
                if stated.outside.outcome is Outcome.OTHERS
            ),
        ),
        source,
    )


@dataclass(slots=True)
class _Source:
    """A builder's models of one case as a constructor, with what their tensors hold.

    ``own`` is the model of its own sizes, which is looked at for its kind and held to later.
    """

    builder: Builder
    case: Case
    known: Sizes
    traces: bool = False
    own: Any = None
    crash: Exception | None = None
    stored: dict[tuple[str, str], tuple[tuple[str, ...], tuple[str, ...]]] = field(
        default_factory=dict
    )

    def constructor(self) -> Constructor:
        known = {self.case.fields[name]: size for name, size in self.known.items()}
        numbers = self.case.in_numbers(self.known)
        sizes = {name: size for name, size in numbers.items() if name not in known}

        def make(chosen: Mapping[str, int]) -> Any:
            # Sizes that remember are not compared: that would be a question.
            if all(type(size) is int for size in chosen.values()) and chosen == sizes:
                model, self.own = self.own, None
                if model is not None:
                    return model
            try:
                return self.builder.build(self.case.of_fields({**chosen, **known}))
            except ValueError:
                raise
            except Exception as error:
                self.crash = self.crash or error
                raise

        self.own = make(sizes)
        self.traces = _module(self.own) is not None
        own = getattr(self.builder, "__name__", type(self.builder).__module__)
        return Constructor(
            self.case.family.name,
            sizes,
            make,
            self.seen,
            self.tracing,
            (own, "transformers.models", *LAYER_PACKAGES),
            is_followed=self.traces,
        )

    @property
    def heads(self) -> dict[str, Expression]:
        """H as A·K, in a family whose heads divide it: so that a head's width is a letter."""
        own = self.case.family.letters._fields
        return {"H": letter("A") * letter("K")} if "A" in own and "K" not in own else {}

    def tracing(self) -> Any:
        if not self.traces:
            return ignoring_array_code()
        from paramproof.tracing.torch_mode import ShapeRecorder

        return ShapeRecorder()

    def seen(self, model: Any, tracing: Any) -> Iterable[ObservedTensor]:
        module = _module(model)
        parameters = dict(module.named_parameters()) if module is not None and tracing else {}
        for weight in model.weights():
            lengths, made = None, ()
            if (parameter := parameters.get(weight.path)) is not None:
                lengths, made = tracing.lengths(parameter), tracing.made(parameter)
            role: Any = "trainable" if weight.trainable else "frozen"
            shape = tuple(map(int, weight.shape))
            yield ObservedTensor(self.path(weight), shape, role, weight.aliases, lengths, made)

    def sizes_of(self, spec: Any) -> dict[str, int]:
        """The sizes of a spec by letter, the width of a head among them."""
        sizes = {name: int(getattr(spec, field)) for field, name in self.case.fields.items()}
        return sizes | {name: int(head_size_of(spec)) for name in ("K",) if self.heads}

    def path(self, weight: Weight) -> str:
        """The native path with ``*`` for layers; told apart by what is stored, if there is more."""
        path, role = star_numbers(weight.path), "trainable" if weight.trainable else "frozen"
        holds = tuple(map(star_numbers, weight.parts)), weight.layout
        if self.stored.setdefault((path, role), holds) != holds:
            path = f"{path} of {', '.join((*holds[0], *holds[1]))}"
            self.stored[path, role] = holds
        return path

    def named(self, found: Derivation) -> Iterable[NamedTensor]:
        heads = self.heads
        for one in found.tensors:
            parts, layout = self.stored[one.path, one.role]
            shape = tuple(length.substitute(heads) for length in one.shape)
            times = one.times.substitute(heads)
            own, how = one.role == "trainable", (one.aliases, one.traced)
            yield NamedTensor(one.path, shape, times, own, parts, layout, *how)


def _module(model: Any) -> Any:
    """The PyTorch module that a model is made of, None of another framework's."""
    torch = sys.modules.get("torch")
    module = getattr(model, "module", None)
    return module if torch is not None and isinstance(module, torch.nn.Module) else None

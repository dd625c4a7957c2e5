"""Derive the tensors of a builder's models in letters, one case at a time.

The fields of the spec are symbolic ints (``paramproof.derivation``). The builder makes the model as
for any comparison, without allocating weights, and ``weights()`` lists its tensors. The shapes of a
PyTorch module are traced. In other frameworks symbolic ints become plain ints on the way, so shapes
are fitted to values instead. In every framework, comparisons in the builder are recorded as guards,
so the derivation sees every branch on a symbolic size.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from paramproof.algebra.letters import field_names
from paramproof.builders.protocol import Builder
from paramproof.builders.registry import layer_packages
from paramproof.derivation.pipeline import Effort, derive
from paramproof.formulas import Weight
from paramproof.formulas.condition import Condition, Consequence, Outcome, Relation
from paramproof.formulas.derivation import DerivedTensor
from paramproof.tracing.constructors import Constructor
from paramproof.tracing.recorder import ignoring_array_code
from paramproof.tracing.tensor_groups import ObservedTensor, star_numbers
from paramproof.verify.cases import Case

EFFORT = Effort(generic=2, held=6, deepest=3, far=False)
"""The effort for each case. Models with distant sizes would take longer than all others together.

Two lengths can always be fitted by a sum, so three are used. Layers take most of the time.
"""


@dataclass(frozen=True, slots=True)
class NamedTensor(DerivedTensor):
    """A native tensor in letters; ``parts`` and ``layout`` are a ``Weight``'s, with ``*``."""

    parts: tuple[str, ...]
    layout: tuple[str, ...]


class Reading(NamedTuple):
    """The derivation of one case: its tensors, and the guards under which a model has just these.

    Guards are text. ``branches`` has the guards outside of which a model has other tensors, and the
    sizes that could not be varied.
    """

    tensors: list[NamedTensor]
    conditions: list[str]
    branches: list[str]


def read(
    builder: Builder,
    case: Case,
    seed: int = 0,
    outcomes: dict[Condition, Consequence | None] | None = None,
) -> Reading:
    """Derive the tensors of ``builder``'s models of one case.

    ``outcomes`` is shared by the cases, as in ``derive``. Raises ``ValueError``, in one line that
    names the tensor, if a shape is not explained or a formula fails at other sizes.
    """
    source = _Source(builder, case)
    try:
        found = derive(
            source.constructor(), seed, effort=EFFORT, outcomes=outcomes, naming=field_names
        )
    finally:
        # An error other than a refusal means that the builder is broken.
        if source.crash is not None:
            raise source.crash
    # H is A·K in a family whose heads divide it, so that a head's width is a letter.
    heads = {"H": case.letters._asdict()["H"]}
    tensors = [
        NamedTensor(
            *(one.path, one.shape, one.times, one.role, one.aliases, one.traced, one.looped),
            *source.stored[one.path, one.role],
        )
        for one in found.substitute(heads).tensors
    ]
    # Guards that always hold for H = A·K are left out, but not those on divisibility.
    conditions = [
        str(stated.condition)
        for stated in found.conditions
        if not stated.condition.substitute(heads).is_settled
        or stated.condition.relation is Relation.DIVIDES
    ]
    branches = [f"{name} = {found.sizes[name]}: else nothing was derived" for name in found.fixed]
    branches += [
        f"{stated.condition}: else {stated.consequence}"
        for stated in found.conditions
        if stated.consequence.outcome is Outcome.OTHERS
    ]
    return Reading(tensors, conditions, branches)


@dataclass(slots=True)
class _Source:
    """A builder's models of one case as a constructor, and the parts that their tensors hold."""

    builder: Builder
    case: Case
    traces: bool = False
    crash: Exception | None = None
    stored: dict[tuple[str, str], tuple[tuple[str, ...], tuple[str, ...]]] = field(
        default_factory=dict
    )

    def constructor(self) -> Constructor:
        sizes = self.case.sizes
        self.traces = _module(self.make(sizes)) is not None
        own = getattr(self.builder, "__name__", type(self.builder).__module__)
        followed = (own, "transformers.models", *layer_packages())
        how = self.make, self.seen, self.tracing, followed
        return Constructor(self.case.spec.family, sizes, *how, is_followed=self.traces)

    def make(self, sizes: Mapping[str, int]) -> Any:
        try:
            return self.builder.build(self.case.at(sizes))
        except ValueError:
            raise
        except Exception as error:  # It is raised again.
            self.crash = self.crash or error
            raise

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
            path = self.path(weight, role)
            yield ObservedTensor(path, shape, role, weight.aliases, lengths, made)

    def path(self, weight: Weight, role: str) -> str:
        """Return the native path with ``*`` for layers, and the parts if paths are ambiguous."""
        path = star_numbers(weight.path)
        holds = tuple(map(star_numbers, weight.parts)), weight.layout
        if self.stored.setdefault((path, role), holds) != holds:
            path = f"{path} of {', '.join((*holds[0], *holds[1]))}"
            self.stored[path, role] = holds
        return path


def _module(model: Any) -> Any:
    """Return the PyTorch module of a model, or None for other frameworks."""
    torch = sys.modules.get("torch")
    module = getattr(model, "module", None)
    return module if torch is not None and isinstance(module, torch.nn.Module) else None

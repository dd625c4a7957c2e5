"""Compare a live model with a formula, tensor by tensor, and render the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from paramproof.formulas import Spec
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.printing import and_more, legible, shape_text, signed, some_of
from paramproof.formulas.report import DIFFERENCE, bounded, totals
from paramproof.live.matching import Matching, match_weights
from paramproof.live.name_matching import match_named
from paramproof.live.units import without_ones
from paramproof.resolver import resolve
from paramproof.sources.live.readers import live_weights
from paramproof.sources.live.weight import LiveWeight
from paramproof.sources.reference import in_one_line, load_reference

MAX_COMPONENTS_NAMED = 4
"""The most components of one shape that a row names."""

MAX_SHARED_NAMED = 10
"""The most shared storages that a report lists."""

ALL_FROZEN = (
    ", which are all parameters; the formula counts trainable ones: unfreeze the model first "
    "(requires_grad_(True) in PyTorch, trainable = True in Keras, unfreeze() in MLX)"
)
"""The note for a model without trainable parameters."""

EVERY_SHAPE = "every tensor has a counterpart of its shape"
"""The last line of a report in which every tensor matches."""

HEADINGS = ("what", "shape", "where", DIFFERENCE, "")


class LiveRow(NamedTuple):
    """A tensor without a counterpart, or a frozen one; ``difference`` is its share of the total."""

    what: str
    shape: str
    where: str
    difference: int
    note: str

    def cells(self) -> tuple[str, ...]:
        """Return the cells of this row as text."""
        return self.what, self.shape, self.where, signed(self.difference), self.note


@dataclass(frozen=True, slots=True)
class LiveReport:
    """The totals of a live model and of a formula, and the matching of their tensors.

    ``actual`` counts the trainable parameters and ``frozen`` the others; shared storage counts
    once. A frozen weight is a difference if it matches a tensor of the formula, which should be
    trainable. If it matches none, it is not a difference.
    """

    architecture: Architecture
    actual: int
    frozen: int
    matching: Matching

    @property
    def formula(self) -> int:
        """The count of the formula."""
        return self.architecture.formula.evaluate(self.architecture.sizes)

    @property
    def difference(self) -> int:
        """The actual count minus the formula's."""
        return self.actual - self.formula

    @property
    def equal(self) -> bool:
        """Whether the totals agree and every tensor has exactly one trainable counterpart."""
        unexpected = any(weight.trainable for weight in self.matching.unexpected)
        frozen = any(not weight.trainable for _, weight in self.matching.all_pairs)
        return not (self.difference or self.matching.missing or unexpected or frozen)

    def render(self, equal: str = EVERY_SHAPE) -> str:
        """Return this report as text: the spec or sizes, the totals, and a row per difference.

        The differences of the rows add up to that of the totals. The table has at most
        ``MAX_ROWS_SHOWN`` rows, and one that sums up the rest. If nothing differs, the last line is
        ``equal``.
        """
        lines = [
            _spec_or_sizes(self.architecture),
            totals(self.actual, self.formula),
            f"not trainable: {self.frozen:,}{'' if self.actual else ALL_FROZEN}",
            *self._shared(),
        ]
        rows = [*self._missing(), *self._unexpected(), *self._frozen()]
        if not rows:
            return "\n".join([*lines, equal])
        table = bounded(HEADINGS, rows, LiveRow.cells, lambda row: row.difference)
        return "\n".join([*lines, *table])

    def _shared(self) -> list[str]:
        """Return a line for each storage with several names."""
        pairs = [weight for _, weight in self.matching.all_pairs]
        weights = [weight for weight in (*pairs, *self.matching.unexpected) if weight.others]
        lines = [
            f"one storage, counted once: {some_of([*map(legible, names)], MAX_COMPONENTS_NAMED)}"
            for names in ((weight.path, *weight.others) for weight in weights)
        ]
        return and_more(lines, MAX_SHARED_NAMED)

    def _missing(self) -> Iterator[LiveRow]:
        """Yield a row for each group of tensors, alike in shape, of which some are missing."""
        for paths, units in self.matching.missing_together():
            names, size = (
                some_of(sorted(paths), MAX_COMPONENTS_NAMED),
                sum(unit.size for unit in units),
            )
            note = _tensors(len(units)) if len(paths) == 1 else f"{len(units)} of these tensors"
            yield LiveRow("missing", shape_text(units[0].shape), names, -size, note)

    def _unexpected(self) -> Iterator[LiveRow]:
        shape_counts = self.matching.shape_counts()
        for weight in self.matching.unexpected:
            if weight.trainable:
                others = shape_counts[without_ones(weight.shape)] - 1
                notes = {0: "", 1: "or the other tensor of this shape"}
                note = notes.get(others, f"or one of the {others} other tensors of this shape")
                shape, path = legible(shape_text(weight.shape)), legible(weight.path)
                yield LiveRow("unexpected", shape, path, weight.size, note)

    def _frozen(self) -> Iterator[LiveRow]:
        for unit, weight in self.matching.all_pairs:
            if not weight.trainable:
                shape, path = shape_text(weight.shape), legible(weight.path)
                yield LiveRow(
                    "frozen",
                    shape,
                    path,
                    -weight.size,
                    f"trainable in the formula: {legible(unit.path)}",
                )


def compare_live(model: Any, source: object, class_name: str = "") -> LiveReport:
    """Compare a live model with the formula that ``source`` names, as ``assert_parameters`` does.

    The names of a family are canonical, so its tensors are matched by shape; those of a derived
    formula by name.
    """
    architecture = resolve(source, class_name).architecture
    weights: list[LiveWeight] = live_weights(model)
    sizes, spec = architecture.sizes, architecture.spec
    if spec:
        matching = match_weights(spec, weights)
    else:
        matching = match_named(architecture.inventory(sizes), weights)
    return LiveReport(
        architecture,
        actual=sum(weight.size for weight in weights if weight.trainable),
        frozen=sum(weight.size for weight in weights if not weight.trainable),
        matching=matching,
    )


def assert_parameters(
    model: Any,
    spec: Spec | Architecture | str | Path | Mapping[str, Any],
    class_name: str = "",
) -> None:
    """Assert that ``model`` has the trainable parameters of ``spec``, tensor by tensor.

    ``model`` is a built model of PyTorch, Keras, tf-keras, nnx or Equinox; for linen, pass the
    pair (module, variables) or the variables alone. For a spec, only the shapes of the
    tensors matter, not their names.

    ``spec`` may also be a model's name, a derivation, or a configuration, given as the path of a
    config.json or as its keys. If no family describes the configuration, its formula is derived
    from transformers; ``class_name`` replaces the class that the configuration names.

    Raises ``AssertionError`` with the report if the model differs, and ``ValueError`` if ``model``
    is not a built model or the configuration has no formula.
    """
    # Tracebacks end in the calling test, not here.
    __tracebackhide__ = True
    report = compare_live(model, spec, class_name)
    if not report.equal:
        raise AssertionError(report.render())


def _spec_or_sizes(architecture: Architecture) -> str:
    """Return the spec as code, or the sizes of a derived formula."""
    if architecture.spec:
        return f"spec = {architecture.spec!r}"
    letters, sizes = architecture.formula.letters, architecture.sizes
    fields = ((field, sizes[n]) for n, field in architecture.fields.items() if n in letters)
    used = ", ".join(f"{legible(field)}={size}" for field, size in fields)
    return f"{legible(architecture.name)}, derived, at {used}"


def model_named(reference: str) -> Any:
    """Return the model that MODULE:FUNCTION returns when called without arguments.

    Raises ``ValueError``, in one line, if the function does not exist or raises.
    """
    function = load_reference(reference)
    try:
        return function()
    except (Exception, SystemExit) as error:  # A user's function may raise anything.
        raise ValueError(f"{reference} raised {in_one_line(error)}") from error


def _tensors(number: int) -> str:
    return f"{number:,} tensors" if number > 1 else ""

"""Write the tensors of a model in symbols: as traced, or fitted to several traces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple

from paramproof.derivation.fitting import candidate_quotients, fit_count, fit_length
from paramproof.derivation.guard_set import simplify_exact_division
from paramproof.derivation.loops import GuardedCount, counts_in_loops
from paramproof.derivation.trace_runner import Trace, TraceRunner
from paramproof.formulas.condition import Condition, Consequence, Outcome, Relation
from paramproof.formulas.derivation import DerivedTensor, Kind
from paramproof.formulas.expression import Expression, expression
from paramproof.sources.reference import in_one_line
from paramproof.tracing.internal_errors import raise_if_internal
from paramproof.tracing.recorder import Caveat, IterationStack, sizes_fragment
from paramproof.tracing.tensor_groups import GroupKey, Stored, TensorGroup, expected


@dataclass(slots=True)
class GeneralTensors:
    """The tensors of a model in symbols, except for buffers that were not explained.

    ``needs`` are the guards under which the counts are right. ``unexplained`` are parameters
    without an expression, ``left_out`` buffers, as text.
    """

    found: list[DerivedTensor] = field(default_factory=list)
    needs: list[Condition] = field(default_factory=list)
    unexplained: dict[GroupKey, str] = field(default_factory=dict)
    left_out: dict[str, None] = field(default_factory=dict)
    _kinds_left_out: set[Kind] = field(default_factory=set)

    @property
    def kept(self) -> tuple[DerivedTensor, ...]:
        """The tensors that were not left out."""
        return tuple(one for one in self.found if one.kind not in self._kinds_left_out)

    @property
    def are_counted(self) -> bool:
        """Whether the symbolic count of some parameter was fitted, and not given by a loop."""
        return any(
            not one.looped and one.times.constant is None
            for one in self.kept
            if one.role != "buffer"
        )

    def leave_out(self, kind: Kind, shape: str = "") -> None:
        self._kinds_left_out.add(kind)
        of = f" of ({shape})" if shape else ""
        self.left_out[f"{kind.path}{of} (buffer)"] = None

    def fold(self, exact: Sequence[tuple[Expression, Expression]]) -> None:
        """Write a / b for ⌊a / b⌋, for each pair (a, b) in ``exact``."""
        lengths = {length for one in self.found for length in (*one.shape, one.times)}
        known = {length: simplify_exact_division(length, exact) for length in lengths}
        self.found = [
            replace(
                one,
                shape=tuple(known[length] for length in one.shape),
                times=known[one.times],
            )
            for one in self.found
        ]

    def differences(
        self, made: Mapping[Stored, int], sizes: Mapping[str, int]
    ) -> list[tuple[Stored, int, int]]:
        """Return (tensor, observed count, expected count) wherever the two counts differ.

        Raises ``ValueError`` or ``ZeroDivisionError`` if an expected number is not whole.
        """
        due = expected(self.found, sizes)
        return [
            (key, made.get(key, 0), due[key])
            for key in dict.fromkeys((*due, *made))
            if made.get(key, 0) != due[key] and key.kind not in self._kinds_left_out
        ]


def generalize(
    traces: Sequence[Trace],
    computed: Sequence[Expression],
    loops: Iterable[Expression],
) -> GeneralTensors:
    """Return the tensors of these traces in symbols.

    ``computed`` are candidate expressions for lengths that were not traced, ``loops`` the lengths
    of the loops that ran.
    """
    tensors, lengths = GeneralTensors(), list(loops)

    # Many groups of tensors share their loops or their counts.
    @cache
    def times_in_loops(*places: tuple[IterationStack, ...]) -> GuardedCount | None:
        there = zip(places, traces, strict=True)
        found = counts_in_loops([(made, trace.recorder, trace.sizes) for made, trace in there])
        return next(found, None)

    @cache
    def times_counted(*counts: int) -> GuardedCount | None:
        number = fit_count(counts, [trace.sizes for trace in traces], lengths)
        if number is None:
            return None
        # What was fitted is at least 1.
        return GuardedCount(number, (Condition(Relation.LESS, number, expression(1), False),))

    for key in traces[0].readings:
        if any(key not in trace.readings for trace in traces):
            tensors.leave_out(key.kind)
            continue
        same = [trace.readings[key] for trace in traces]
        shape = _shape(key, same, traces, computed)
        times = times_in_loops(*(tuple(group.made) for group in same))
        counted = times if times is not None else times_counted(*(group.count for group in same))
        kind, of = key.kind, ", ".join(map(str, same[0].shape))
        if shape is not None and counted is not None:
            traced = _is_traced(key, same)
            tensors.found.append(
                DerivedTensor(
                    kind.path,
                    shape,
                    counted.number,
                    kind.role,
                    kind.aliases,
                    traced,
                    # A constant count needs no loop.
                    times is not None or counted.number.constant is not None,
                )
            )
            tensors.needs += counted.needs if kind.role != "buffer" else ()
        elif kind.role == "buffer":
            tensors.leave_out(kind, of)
        else:
            tensors.unexplained[key] = f"{kind.path} of ({of})"
    return tensors


def _shape(
    key: GroupKey,
    same: Sequence[TensorGroup],
    traces: Sequence[Trace],
    computed: Sequence[Expression],
) -> tuple[Expression, ...] | None:
    """Return the symbolic shape of a group, None if it is not explained."""
    points, found = [trace.sizes for trace in traces], []
    for axis, lengths in _axes(key, same):
        length = fit_length(lengths, points, computed) if axis is None else axis
        if length is None:
            # A layer may have divided a size that it read from its input's shape.
            length = fit_length(
                lengths, points, [*computed, *candidate_quotients(points, computed)]
            )
        if length is None:
            return None
        found.append(length)
    return tuple(found)


def _is_traced(key: GroupKey, same: Sequence[TensorGroup]) -> bool:
    """Return whether each length was traced or is the same number in all traces."""
    axes = _axes(key, same)
    return key.axes is not None and all(a is not None or len(set(n)) == 1 for a, n in axes)


def _axes(
    key: GroupKey, same: Sequence[TensorGroup]
) -> Iterable[tuple[Expression | None, tuple[int, ...]]]:
    """Yield each axis: its expression, None if unknown, and its lengths in the traces."""
    axes = key.axes or (None,) * key.kind.rank
    return zip(axes, zip(*(group.shape for group in same), strict=True), strict=True)


class Trial(NamedTuple):
    """The result of comparing one model with the formula.

    ``consequence`` is None if all parameters match, and ``wrong`` describes the first difference,
    with the sizes. ``buffers`` are kinds of buffers that differ.
    """

    consequence: Consequence | None = None
    wrong: Caveat = ()
    buffers: tuple[Kind, ...] = ()


def run_trial(runner: TraceRunner, tensors: GeneralTensors, sizes: Mapping[str, int]) -> Trial:
    """Build a model at these sizes and compare it, up to the first parameter that differs."""
    try:
        made = runner.build(sizes)
    except Exception as error:  # A constructor may raise anything.
        raise_if_internal(error)
        why = in_one_line(error)
        return Trial(
            Consequence(Outcome.REFUSED, why),
            ("refuses sizes inside the conditions, ", *sizes_fragment(sizes), f": {why}"),
        )
    here: Caveat = "not as derived at ", *sizes_fragment(sizes)
    try:
        differences = tensors.differences(made, sizes)
    except (ValueError, ZeroDivisionError) as error:
        return Trial(Consequence(Outcome.OTHERS), (*here, f": {error}"))
    buffers: list[Kind] = []
    for (kind, shape), there, due in differences:
        if kind.role != "buffer":
            differs = f": {kind.path} of {shape} is there {there} times, and not {due}"
            return Trial(Consequence(Outcome.OTHERS), (*here, differs), tuple(buffers))
        buffers.append(kind)
    return Trial(buffers=tuple(buffers))


def tensor_count(tensors: GeneralTensors, sizes: Mapping[str, int]) -> int:
    """Return the number of tensors at these sizes, which determines the build time."""
    return sum(max(0, int(one.times.value(sizes))) for one in tensors.kept)

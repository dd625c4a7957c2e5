"""Write the tensors of a model in symbols: as traced, or fitted to several traces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from paramproof.derivation.fitting import candidate_quotients, fit_count, fit_length
from paramproof.derivation.general_tensors import GeneralTensors
from paramproof.derivation.loops import GuardedCount, counts_in_loops
from paramproof.derivation.trace_runner import Trace
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.derivation import DerivedTensor
from paramproof.formulas.expression import Expression, expression
from paramproof.tracing.recorder import has_loop_index
from paramproof.tracing.tensor_groups import GroupKey, IterationStack, TensorGroup


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
    computed = [one for one in computed if not has_loop_index(one.letters)]

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

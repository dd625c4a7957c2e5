"""The tensors of traces in letters: those that were seen made, and those read from values."""

import pytest

from paramproof.derivation.generalization import GeneralTensors, generalize
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.derivation import DerivedTensor, Kind, Stored
from paramproof.formulas.division import floor
from paramproof.formulas.expression import expression, letter
from tests.paramproof.derivation.parts import plain_int, traces

A, H, L = map(letter, "AHL")
POINTS = (
    {"H": 96, "A": 6, "L": 4},
    {"H": 130, "A": 10, "L": 3},
    {"H": 143, "A": 11, "L": 7},
    {"H": 221, "A": 13, "L": 5},
)


def found(program, computed=(H, A, L), loops=(), points=POINTS):
    return generalize(traces(program, *points), list(computed), loops)


def lines(tensors):
    return [(one.path, tuple(map(str, one.shape)), str(one.times)) for one in tensors.found]


def seen(parts, H, A, L):
    parts.add("embedding", 1000, H)
    for _ in range(L):
        parts.add("layers.*.weight", H, 3 * H)
        parts.add("layers.*.bias", 3 * H)
    parts.add("norm", 7)


def test_what_was_seen_made():
    tensors = found(seen)
    assert lines(tensors) == [
        ("embedding", ("1000", "H"), "1"),
        ("layers.*.weight", ("H", "3·H"), "L"),
        ("layers.*.bias", ("3·H",), "L"),
        ("norm", ("7",), "1"),
    ]
    assert [(one.traced, one.looped) for one in tensors.found] == [(True, True)] * 4
    assert not tensors.are_counted
    assert (tensors.unexplained, tensors.left_out) == ({}, {})


def test_what_was_seen_is_not_read_from_values():
    def program(parts, H, A, L):
        parts.add("weight", H * A * L + 7)

    assert lines(found(program)) == [("weight", (str(H * A * L + 7),), "1")]


def test_a_quotient_is_what_is_tried_last():
    """Where H = A·(A + 1), ⌊H/A⌋ is as long as A + 1."""

    def program(parts, H, A, L):
        parts.add("weight", A + 1, seen=False)

    points = [{**point, "H": point["A"] * (point["A"] + 1)} for point in POINTS]
    assert lines(found(program, points=points)) == [("weight", ("A + 1",), "1")]


def unseen(parts, H, A, L):
    parts.add("plain", 1000, H, seen=False)
    parts.add("head", 2 * A, seen=False)
    parts.add("half", H // A, int(2 * H), seen=False)
    parts.add("same", 7, seen=False)


def test_what_nobody_saw_is_read_from_values():
    """A length that a layer divides without a trace is fitted as a quotient."""
    tensors = found(unseen)
    assert lines(tensors) == [
        ("plain", ("1000", "H"), "1"),
        ("head", ("2·A",), "1"),
        ("half", ("⌊H/A⌋", "2·H"), "1"),
        ("same", ("7",), "1"),
    ]
    assert [(one.traced, one.looped) for one in tensors.found] == [(False, True)] * 4


def lost(parts, H, A, L):
    parts.add("one", H, plain_int(A))
    parts.add("product", plain_int(H * A + 1), A)


def test_an_axis_that_became_a_number_is_read_from_values():
    tensors = found(lost, computed=(H, A, H * A + 1))
    assert lines(tensors) == [("one", ("H", "A"), "1"), ("product", ("H·A + 1", "A"), "1")]
    assert [one.traced for one in tensors.found] == [False, False]


def test_a_product_that_was_computed_may_divide():
    def program(parts, H, A, L):
        parts.add("weight", H // (2 * A), seen=False)

    assert found(program, computed=(H, A)).unexplained
    assert lines(found(program, computed=(H, A, 2 * A)))[0][1] == (str(floor(H, 2 * A)),)


def counted(parts, H, A, L):
    for _ in [None] * plain_int(L):
        parts.add("layers.*.weight", H)
        parts.add("layers.*.mask", H, role="buffer")
    parts.add("norm", H)


def test_how_often_is_counted_where_no_loop_says():
    """They need to be there once: where there are none nobody has seen what happens."""
    tensors = found(counted)
    assert lines(tensors)[0] == ("layers.*.weight", ("H",), "L")
    assert [(one.path, one.looped) for one in tensors.found] == [
        ("layers.*.weight", False), ("layers.*.mask", False), ("norm", True),
    ]  # fmt: skip
    assert tensors.needs == [Condition(Relation.LESS, L, expression(1), False)]
    assert tensors.are_counted


def test_buffers_need_nothing_and_are_not_counted():
    def program(parts, H, A, L):
        for _ in [None] * plain_int(L):
            parts.add("layers.*.mask", H, role="buffer")
        for _ in [None] * 3:
            parts.add("layers.*.weight", H)

    tensors = found(program)
    assert lines(tensors) == [("layers.*.mask", ("H",), "L"), ("layers.*.weight", ("H",), "3")]
    assert not tensors.needs
    assert not tensors.are_counted


def test_the_needs_of_all_tensors_are_needs():
    def program(parts, H, A, L):
        for _ in [None] * plain_int(L):
            parts.add("layers.*.weight", H)
        for _ in [None] * plain_int(A):
            parts.add("heads.*.weight", H)

    assert list(map(str, found(program).needs)) == ["L > 0", "A > 0"]


def test_a_loop_that_ran_explains_how_often():
    def program(parts, H, A, L):
        for _ in [None] * plain_int(H - A):
            parts.add("layers.*.weight", 3)

    assert lines(found(program))[0][2] == "H − A"
    assert lines(found(program, loops=iter([H - A])))[0][2] == "H − A"


def odd(parts, H, A, L):
    """Create tensors whose lengths and numbers are not simple expressions of sizes."""
    noise = {96: 17, 130: 90, 143: 2, 221: 31}[plain_int(H)]
    parts.add("shape", noise, H)
    for _ in [None] * noise:
        parts.add("number", H)
    parts.add("mask", H, noise, role="buffer")
    for _ in [None] * noise:
        parts.add("masks", H, role="buffer")
    parts.add("norm", H)


def test_parameters_that_nothing_explains_are_said_and_buffers_left_out():
    tensors = found(odd)
    assert list(tensors.unexplained.values()) == ["shape of (17, 96)", "number of (96)"]
    assert [key.kind.path for key in tensors.unexplained] == ["shape", "number"]
    assert list(tensors.left_out) == ["mask of (96, 17) (buffer)", "masks of (96) (buffer)"]
    assert [one.path for one in tensors.kept] == ["norm"]


def at_times(parts, H, A, L):
    parts.add("norm", H)
    if plain_int(A) < 11:
        parts.add("mask", H, role="buffer")
    parts.add("last", H)
    if plain_int(A) > 6:
        parts.add("late", H, role="buffer")


def test_what_is_not_in_every_trace_is_left_out():
    """Tensors that the first trace lacks have no formula, and models with them differ."""
    tensors = found(at_times)
    assert [one.path for one in tensors.found] == ["norm", "last"]
    assert tensors.left_out == {"mask (buffer)": None}
    kinds = [Kind(path, "buffer", (), 1) for path in ("mask", "late")]
    made = {Stored(kind, (96,)): 1 for kind in kinds} | {
        Stored(Kind(path, "trainable", (), 1), (96,)): 1 for path in ("norm", "last")
    }
    assert tensors.differences(made, POINTS[0]) == [(Stored(kinds[1], (96,)), 1, 0)]


def test_what_is_left_out_is_not_kept():
    tensors = found(seen)
    assert tensors.kept == tuple(tensors.found)
    kind = tensors.found[0].kind
    tensors.leave_out(kind)
    assert tensors.kept == tuple(tensors.found[1:])
    assert tensors.left_out == {"embedding (buffer)": None}
    tensors.leave_out(tensors.found[1].kind, "96, 3")
    assert list(tensors.left_out)[1] == "layers.*.weight of (96, 3) (buffer)"


def test_folding_writes_quotients_that_are_exact():
    tensor = DerivedTensor(
        "w", (floor(H, A), floor(H, 2)), floor(L, 2) * floor(H, A), "trainable", (), True, True
    )
    tensors = GeneralTensors([tensor])
    tensors.fold([(H, A)])
    (folded,) = tensors.found
    assert folded.shape == (H / A, floor(H, 2))
    assert folded.times == floor(L, 2) * H / A


def test_differences_have_both_numbers():
    tensors = found(seen)
    sizes = {"H": 5, "A": 1, "L": 2}
    kinds = {one.path: Stored(one.kind, ()) for one in tensors.found}

    def stored(path, *shape):
        return Stored(kinds[path].kind, shape)

    made = {
        stored("embedding", 1000, 5): 1,
        stored("layers.*.weight", 5, 15): 3,
        stored("layers.*.bias", 16): 2,
        stored("norm", 7): 1,
    }
    assert tensors.differences(made, sizes) == [
        (stored("layers.*.weight", 5, 15), 3, 2),
        (stored("layers.*.bias", 15), 0, 2),
        (stored("layers.*.bias", 16), 2, 0),
    ]


def test_what_is_due_no_times_need_not_be_there():
    made = {
        Stored(one.kind, shape): 1
        for one, shape in zip(found(seen).found[::3], ((1000, 5), (7,)), strict=True)
    }
    assert found(seen).differences(made, {"H": 5, "A": 1, "L": 0}) == []


@pytest.mark.parametrize("sizes", [{"H": 5, "A": 2, "L": 1}, {"H": 5, "A": 0, "L": 1}])
def test_what_is_due_must_be_a_whole_number(sizes):
    tensors = GeneralTensors(
        [DerivedTensor("w", (H / A,), expression(1), "trainable", (), True, True)]
    )
    with pytest.raises((ValueError, ZeroDivisionError)):
        tensors.differences({}, sizes)

"""The tensors of traces in letters: those that were seen made, and those read from values."""

import pytest

from paramproof.derivation.generalization import GeneralTensors, generalize, run_trial
from paramproof.formulas.condition import Consequence, Outcome
from paramproof.formulas.derivation import DerivedTensor, Kind
from paramproof.formulas.expression import expression, floor, letter
from paramproof.tracing.caveats import caveat_text
from paramproof.tracing.tensor_groups import Stored
from tests.paramproof.derivation.toys import plain_int, runner

A, H, L = map(letter, "AHL")
POINTS = (
    {"H": 96, "A": 6, "L": 4},
    {"H": 130, "A": 10, "L": 3},
    {"H": 143, "A": 11, "L": 7},
    {"H": 221, "A": 13, "L": 5},
)
NOISE = {96: 17, 130: 90, 143: 2, 221: 31}
"""Numbers that no simple expression gives."""


def found(program, computed=(H, A, L), loops=(), points=POINTS):
    there = runner(program, **points[0])
    return generalize([there.trace(point) for point in points], list(computed), loops)


def lines(tensors):
    return [
        (one.path, *map(str, one.shape), str(one.times), one.traced, one.looped)
        for one in tensors.found
    ]


def seen(parts, H, A, L):
    parts.add("embedding", 1000, H)
    for _ in range(L):
        parts.add("layers.*.weight", H, 3 * H)
        parts.add("layers.*.bias", 3 * H)
    parts.add("norm", 7)


def seen_product(parts, H, A, L):
    parts.add("weight", H * A * L + 7)


def unseen(parts, H, A, L):
    parts.add("plain", 1000, H, seen=False)
    parts.add("head", 2 * A, seen=False)
    parts.add("half", H // A, int(2 * H), seen=False)
    parts.add("same", 7, seen=False)


def lost(parts, H, A, L):
    parts.add("one", H, plain_int(A))
    parts.add("product", plain_int(H * A + 1), A)


def counted(parts, H, A, L):
    for _ in [None] * plain_int(L):
        parts.add("layers.*.weight", H)
        parts.add("layers.*.mask", H, role="buffer")
    for _ in [None] * plain_int(A):
        parts.add("heads.*.weight", H)
    for _ in [None] * 3:
        parts.add("three.*", H)
    parts.add("norm", H)


def buffers(parts, H, A, L):
    for _ in [None] * plain_int(L):
        parts.add("layers.*.mask", H, role="buffer")


def difference(parts, H, A, L):
    for _ in [None] * plain_int(H - A):
        parts.add("layers.*.weight", 3)


@pytest.mark.parametrize(
    ("program", "expected", "needs"),
    [
        (
            seen,
            [
                ("embedding", "1000", "H", "1", True, True),
                ("layers.*.weight", "H", "3·H", "L", True, True),
                ("layers.*.bias", "3·H", "L", True, True),
                ("norm", "7", "1", True, True),
            ],
            [],
        ),
        (seen_product, [("weight", str(H * A * L + 7), "1", True, True)], []),
        (
            unseen,
            [
                ("plain", "1000", "H", "1", False, True),
                ("head", "2·A", "1", False, True),
                ("half", "⌊H/A⌋", "2·H", "1", False, True),
                ("same", "7", "1", False, True),
            ],
            [],
        ),
        # They need to be there once: where there are none nobody has seen what happens.
        (
            counted,
            [
                ("layers.*.weight", "H", "L", True, False),
                ("layers.*.mask", "H", "L", True, False),
                ("heads.*.weight", "H", "A", True, False),
                ("three.*", "H", "3", True, True),
                ("norm", "H", "1", True, True),
            ],
            ["L > 0", "A > 0"],
        ),
        # Buffers need nothing, and are not counted.
        (buffers, [("layers.*.mask", "H", "L", True, False)], []),
        (difference, [("layers.*.weight", "3", "H − A", True, False)], ["H > A"]),
    ],
)
def test_tensors(program, expected, needs):
    tensors = found(program)
    assert lines(tensors) == expected
    assert [*map(str, tensors.needs)] == needs
    assert tensors.are_counted is bool(needs)
    assert (tensors.unexplained, tensors.left_out) == ({}, {})


def test_a_length_that_was_computed():
    tensors = found(lost, computed=(H, A, H * A + 1))
    assert lines(tensors) == [
        ("one", "H", "A", "1", False, True),
        ("product", "H·A + 1", "A", "1", False, True),
    ]
    assert lines(found(difference, loops=iter([H - A])))[0][2] == "H − A"

    def divided(parts, H, A, L):
        parts.add("weight", H // (2 * A), seen=False)

    assert found(divided, computed=(H, A)).unexplained
    assert lines(found(divided, computed=(H, A, 2 * A)))[0][1] == str(floor(H, 2 * A))


def test_a_quotient_is_what_is_tried_last():
    def program(parts, H, A, L):
        parts.add("weight", A + 1, seen=False)

    points = [{**point, "H": point["A"] * (point["A"] + 1)} for point in POINTS]
    assert lines(found(program, points=points))[0][1] == "A + 1"


def odd(parts, H, A, L):
    noise = NOISE[plain_int(H)]
    parts.add("shape", noise, H)
    parts.add("mask", H, noise, role="buffer")
    for _ in [None] * noise:
        parts.add("number", H)
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
    tensors.leave_out(tensors.found[0].kind)
    assert tensors.kept == tuple(tensors.found[1:])
    tensors.leave_out(tensors.found[1].kind, "96, 3")
    said = ["embedding (buffer)", "layers.*.weight of (96, 3) (buffer)"]
    assert list(tensors.left_out) == said


def test_folding_writes_quotients_that_are_exact():
    tensor = derived("w", floor(H, A), floor(H, 2), times=floor(L, 2) * floor(H, A))
    tensors = GeneralTensors([tensor])
    tensors.fold([(H, A)])
    (folded,) = tensors.found
    assert folded.shape == (H / A, floor(H, 2))
    assert folded.times == floor(L, 2) * H / A


ONE = expression(1)


def derived(path, *shape, times=ONE, role="trainable"):
    return DerivedTensor(path, shape, times, role, (), True, True)


def test_differences_have_both_numbers():
    tensors = found(seen)
    kinds = {one.path: one.kind for one in tensors.found}

    def stored(path, *shape):
        return Stored(kinds[path], shape)

    made = {
        stored("embedding", 1000, 5): 1,
        stored("layers.*.weight", 5, 15): 3,
        stored("layers.*.bias", 16): 2,
        stored("norm", 7): 1,
    }
    assert tensors.differences(made, {"H": 5, "A": 1, "L": 2}) == [
        (stored("layers.*.weight", 5, 15), 3, 2),
        (stored("layers.*.bias", 15), 0, 2),
        (stored("layers.*.bias", 16), 2, 0),
    ]
    # What is due no times need not be there.
    made = {stored("embedding", 1000, 5): 1, stored("norm", 7): 1}
    assert tensors.differences(made, {"H": 5, "A": 1, "L": 0}) == []


@pytest.mark.parametrize("sizes", [{"H": 5, "A": 2, "L": 1}, {"H": 5, "A": 0, "L": 1}])
def test_what_is_due_must_be_a_whole_number(sizes):
    with pytest.raises((ValueError, ZeroDivisionError)):
        GeneralTensors([derived("w", H / A)]).differences({}, sizes)


SIZES = {"H": 8, "L": 2}
WEIGHT = derived("layers.*.weight", H, H, times=L)
STEP = derived("step", H, role="buffer")
WEIGHTS, STEPS = Stored(WEIGHT.kind, (8, 8)), Stored(STEP.kind, (8,))
LONGER = Stored(STEP.kind, (9,))
BIAS = Stored(Kind("bias", "trainable", (), 1), (8,))
OTHERS, HERE = Consequence(Outcome.OTHERS), "not as derived at H = 8, L = 2: "


@pytest.mark.parametrize(
    ("made", "tensors", "consequence", "wrong", "buffers"),
    [
        ({WEIGHTS: 2, STEPS: 1}, [WEIGHT, STEP], None, "", set()),
        (
            ValueError("no\nheads"),
            [WEIGHT],
            Consequence(Outcome.REFUSED, "ValueError: no heads"),
            "refuses sizes inside the conditions, H = 8, L = 2: ValueError: no heads",
            set(),
        ),
        *(
            (
                {WEIGHTS: there} if there else {},
                [WEIGHT],
                OTHERS,
                f"{HERE}layers.*.weight of (8, 8) is there {there} times, and not 2",
                set(),
            )
            for there in (0, 1, 3)
        ),
        (
            {WEIGHTS: 2, BIAS: 1},
            [WEIGHT],
            OTHERS,
            f"{HERE}bias of (8,) is there 1 times, and not 0",
            set(),
        ),
        # A buffer that differs is no other tensor.
        ({WEIGHTS: 2, LONGER: 1}, [WEIGHT, STEP], None, "", {STEP.kind}),
        (
            {WEIGHTS: 3, LONGER: 1},
            [STEP, WEIGHT],
            OTHERS,
            f"{HERE}layers.*.weight of (8, 8) is there 3 times, and not 2",
            {STEP.kind},
        ),
    ],
)
def test_trials(made, tensors, consequence, wrong, buffers):
    found = trial(made, *tensors)
    assert (found.consequence, caveat_text(found.wrong)) == (consequence, wrong)
    assert set(found.buffers) == buffers


def trial(made, *tensors):
    class Runner:
        def build(self, sizes):
            assert sizes == SIZES
            if isinstance(made, Exception):
                raise made
            return made

    return run_trial(Runner(), GeneralTensors(list(tensors)), SIZES)


def test_a_trial_where_what_is_due_is_no_whole_number():
    found = trial({WEIGHTS: 2}, WEIGHT, derived("half", H / 3))
    assert found.consequence == OTHERS
    assert caveat_text(found.wrong).startswith(HERE)
    assert "8/3" in caveat_text(found.wrong)

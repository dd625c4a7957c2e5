"""Symbolic sizes: what numbers and lists record, and what they are in letters."""

import pytest

from paramproof.derivation.sizes import (
    RUNNING,
    SIZED,
    Number,
    Series,
    at,
    expression_of,
    length_of,
    recording,
    turns,
)
from paramproof.formulas.expression import letter

H, A, L, K = (Number(n, letter(name)) for name, n in {"H": 12, "A": 3, "L": 8, "K": 2}.items())


def recorded(compute):
    with recording() as recorder:
        found = compute()
    assert not RUNNING
    return found, [*map(str, recorder.guards)], [str(one) for one in recorder.lost]


@pytest.mark.parametrize(
    ("compute", "guard"),
    [
        (lambda: H > A, "H > A"),
        (lambda: 5 < H, "H > 5"),  # noqa: SIM300  # Python asks the number on the right.
        (lambda: H % A == 0, "A divides H"),
        (lambda: H % 5 == 2, "5 divides H − 2"),
        (lambda: H - H // A * A == 0, "A divides H"),
        (lambda: 2.5 * H > 6, "H > 2"),
        (lambda: H / A < 5, "H < 5·A"),
        (lambda: 3 * (H // A) > 0, "H ≥ A"),
        (lambda: H * 0.7 < A, "(H × 0.7) ≥ A"),
        (lambda: 1 / SIZED["sqrt"](H - 4), "H − 4 ≠ 0"),
    ],
)
def test_guard(compute, guard):
    guards, lost = recorded(compute)[1:]
    assert guard in guards
    assert not lost


@pytest.mark.parametrize(
    ("compute", "made"),
    [
        (lambda: SIZED["ceil"](H / 5), "⌈H/5⌉"),
        (lambda: round(H / 5), "⌊(H + 2)/10⌋ + ⌊(H + 7)/10⌋"),
        (lambda: SIZED["int"](H / 4 * 0.3), "int((H ÷ 4) × 0.3)"),
        (lambda: SIZED["int"](H * 2.0), "2·H"),
        (lambda: SIZED["int"](H * H * H / A), "int(H³ ÷ A)"),
        (lambda: SIZED["sum"]([H, A, 1]), "H + A + 1"),
        (lambda: H**K, "power(H, K)"),
    ],
)
def test_expression(compute, made):
    assert str(expression_of(recorded(compute)[0])) == made


def test_a_float_is_no_expression_that_equals_it():
    """The results of operators are remembered, and 2 equals 2.0."""
    assert [type((H / one).value) for one in (2, 2.0)] == [float, float]
    assert [type((H * one).value) for one in (2, 2.0)] == [int, float]
    assert expression_of(H * 2) is not None
    assert expression_of(H * 2.0) is None


@pytest.mark.parametrize(
    "read", [lambda: [1, 2, 3][K], lambda: {2: 1}.get(K), lambda: f"{K}", lambda: [*range(K)]]
)
def test_what_python_reads_unobserved_is_lost(read):
    assert recorded(read)[2] == ["K"]


def test_the_index_of_a_loop_is_a_letter_of_its_own():
    def loop():
        found = [(index, value) for index, value in turns(SIZED["range"](2, L))]
        return found[-1], found[0][0] + found[1][0]

    ((index, value), unknown), _, lost = recorded(loop)
    assert (index.value, value.value) == (5, 7)
    assert value.made - index.made == 2
    assert unknown.made is None
    assert not lost


def test_lists():
    def compute():
        kinds = SIZED["*"](["conv"], K) + SIZED["*"](["full"], L - K)
        numbers = SIZED["range"](0, L)
        pairs = SIZED["zip"](kinds, numbers)
        return [
            *map(length_of, (kinds, SIZED["slice"](numbers, K, None, None), pairs)),
            at(numbers, -1),
            at(pairs, A)[1],
            at(kinds, A),
        ]

    found, guards, lost = recorded(compute)
    assert [str(expression_of(one)) for one in found[:-1]] == ["L", "L − K", "L", "L − 1", "A"]
    assert found[-1] == "full"
    assert {"A ≥ K", "A < L"} <= {*guards}
    assert not lost


def test_a_set_compares_its_numbers():
    found, guards, lost = recorded(lambda: SIZED["set"]([K, 2, A]))
    assert (len(found), guards, lost) == (2, ["K = 2", "K ≠ A"], [])
    assert length_of(SIZED["set"](Series(["a", "b"], letter("L")))).made is None

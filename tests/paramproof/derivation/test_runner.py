"""The tensors of a model in letters, and how models differ from them."""

import pytest

from paramproof.derivation.guard_probing import GuardProber
from paramproof.derivation.runner import GeneralTensors, Point
from paramproof.formulas.condition import Consequence, Outcome
from paramproof.formulas.derivation import DerivedTensor, Kind
from paramproof.formulas.expression import expression, letter
from paramproof.tracing.tensor_groups import GroupKey, Stored, TensorGroup

A, H, L = map(letter, "AHL")
ONE = expression(1)


def derived(path, *shape, times=ONE, role="trainable"):
    return DerivedTensor(path, shape, times, role, (), True, True)


SEEN = (
    derived("embedding", expression(1000), H),
    derived("layers.*.weight", H, 3 * H, times=L),
    derived("layers.*.bias", 3 * H, times=L),
    derived("norm", expression(7)),
)


def test_what_is_left_out_is_not_kept():
    tensors = GeneralTensors([*SEEN])
    assert tensors.kept == tuple(tensors.found)
    tensors.left_out[tensors.found[0].kind] = None
    assert tensors.kept == tuple(tensors.found[1:])


def test_differences_have_both_numbers():
    tensors = GeneralTensors([*SEEN])
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
    # A tensor that is expected 0 times may be absent.
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


def groups_of(made):
    numbered = enumerate(made.items())
    return {GroupKey(kind, n): TensorGroup(shape, count) for n, ((kind, shape), count) in numbered}


HERE = "not as derived at H = 8, L = 2: "
MATRICES = "layers.*.weight of (8, 8) is there {} times, and not 2"


@pytest.mark.parametrize(
    ("made", "tensors", "wrong", "left_out"),
    [
        ({WEIGHTS: 2, STEPS: 1}, [WEIGHT, STEP], "", []),
        ({}, [WEIGHT], MATRICES.format(0), []),
        ({WEIGHTS: 1}, [WEIGHT], MATRICES.format(1), []),
        ({WEIGHTS: 3}, [WEIGHT], MATRICES.format(3), []),
        ({WEIGHTS: 2, BIAS: 1}, [WEIGHT], "bias of (8,) is there 1 times, and not 0", []),
        # A buffer that differs does not count as another tensor.
        ({WEIGHTS: 2, LONGER: 1}, [WEIGHT, STEP], "", ["step"]),
        ({WEIGHTS: 3, LONGER: 1}, [STEP, WEIGHT], MATRICES.format(3), []),
        ({WEIGHTS: 2}, [WEIGHT, derived("half", H / 3)], "8/3 is not a whole number", []),
    ],
)
def test_trials(made, tensors, wrong, left_out):
    class Runner:
        def build(self, sizes):
            return Point(sizes, groups_of(made))

    general = GeneralTensors(tensors)
    found = GuardProber(Runner(), general).trial(SIZES)
    assert (found.wrong if found else "") == (wrong and HERE + wrong)
    assert found is None or found.consequence == Consequence(Outcome.OTHERS)
    assert [kind.path for kind in general.left_out] == left_out

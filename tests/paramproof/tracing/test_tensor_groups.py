"""How tensors of one kind are put together, and which numbers in names are those of layers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.derivation.guard_probing import exact_division
from paramproof.derivation.runner import Point
from paramproof.formulas.condition import condition_in
from paramproof.formulas.derivation import Kind
from paramproof.formulas.expression import floor, letter
from paramproof.tracing.tensor_groups import (
    ObservedTensor,
    group_tensors,
    kind_of,
    layer_patterns,
    star_layers,
    star_numbers,
)

A, H, L = map(letter, "AHL")


@given(
    st.fixed_dictionaries({"H": st.integers(1, 50), "A": st.integers(1, 9), "L": st.integers(1, 9)})
)
def test_folding_is_right_where_the_divisor_divides(sizes):
    sizes = {**sizes, "H": sizes["H"] * sizes["A"]}
    one = L * A * floor(H, A) + floor(H + 1, A) - 3 * floor(H, A) ** 2
    short = exact_division([condition_in("A divides H")])(one)
    assert short.value(sizes) == one.value(sizes)
    assert short == L * H + floor(H + 1, A) - 3 * H * H / A / A


def test_folding_leaves_what_is_not_known():
    one = floor(H, A) + floor(H, 2)
    others = [*map(condition_in, ("A divides L", "A + 1 divides H + 1", "A does not divide H"))]
    assert exact_division([])(one) == exact_division(others)(one) == one
    own = condition_in("A divides H")
    assert exact_division([*others, own])(one) == H / A + floor(H, 2)


def test_tensors_of_one_kind():
    one, two = (ObservedTensor(f"layers.{n}.weight", (8, 3), "trainable") for n in range(2))
    other = ObservedTensor("layers.2.weight", (8, 4), "trainable", ("layers.3.weight",))
    kind = Kind("layers.*.weight", "trainable", (), 2)
    assert kind_of(one) == kind_of(two) == kind
    assert kind_of(other).aliases == ("layers.*.weight",)
    assert [group.count for group in group_tensors([one, two, other]).values()] == [2, 1]


def test_groups_of_one_kind_are_known_by_their_order():
    """A shape may depend on a size: at other sizes the same tensor has another."""
    shapes = [(8,), (8, 3), (9,), (8,), (1,), (9, 3)]
    found = group_tensors(ObservedTensor("layers.0.weight", one, "trainable") for one in shapes)
    assert [(key.kind.rank, key.order) for key in found] == [(1, 0), (2, 0), (1, 1), (1, 2), (2, 1)]
    assert [group.shape for group in found.values()] == [(8,), (8, 3), (9,), (1,), (9, 3)]


def test_what_has_no_elements_is_not_stored():
    shapes = (1,), (0,), (1, 0), (0, 1), (1, 1)
    seen = [ObservedTensor("weight", shape, "trainable") for shape in shapes]
    point = Point({}, group_tensors(seen))
    assert [one.shape for one in point.counts] == [(1,), (1, 1)]


@pytest.mark.parametrize(
    ("path", "starred"),
    [
        ("Encoder-1-Norm", "Encoder-*-Norm"),
        ("0.12.kernel", "*.*.kernel"),
        ("dense1.kernel_2", "dense1.kernel_*"),
        ("1a.a1.A1.1Z.z1.1z", "1a.a1.A1.1Z.z1.1z"),
        ("12", "*"),
    ],
)
def test_numbers_that_stand_alone(path, starred):
    assert star_numbers(path) == starred


TWO = ["enc.layer_0.fc1.weight", "enc.layer_1.fc1.weight", "conv1.weight", "conv2.weight"]
THREE = [*TWO, "enc.layer_2.fc1.weight"]


@pytest.mark.parametrize(
    ("other", "patterns"),
    [
        (THREE, ["enc.layer_*"]),
        (TWO, []),
        # A part that only one model has is not a layer, and a model may have no tensors.
        ([*TWO, "head1.weight"], []),
        ([], []),
    ],
)
def test_numbers_that_one_size_changes_are_layers(other, patterns):
    assert layer_patterns([TWO, other]) == layer_patterns([other, TWO]) == patterns


def test_layers_in_layers():
    def model(stages, blocks):
        return [f"stage{s}.block{b}.fc1.weight" for s in range(stages) for b in range(blocks)]

    patterns = layer_patterns([model(2, 3), model(3, 3), model(2, 4)])
    assert patterns == ["stage*", "stage*.block*"]
    assert star_layers("stage1.block2.fc1.weight", patterns) == "stage*.block*.fc1.weight"


def test_layers_of_one_stage_of_several_that_are_named_apart():
    one = ["dense1.layer1.w", "dense1.layer2.w", "dense2.layer1.w", "dense2.layer2.w"]
    patterns = layer_patterns([one, [*one, "dense2.layer3.w"]])
    assert patterns == ["dense2.layer*"]
    found = [star_layers(path, patterns) for path in one[1:3]]
    assert found == ["dense1.layer2.w", "dense2.layer*.w"]


def test_a_number_of_a_name_that_has_several():
    patterns = layer_patterns([["l0_1.w", "l0_2.w"], ["l0_1.w", "l0_2.w", "l0_3.w"]])
    assert patterns == ["l0_*"]
    assert [star_layers(one, patterns) for one in ("l0_9.w", "l1_9.w", "l0_9b.w", "l0_9")] == [
        *("l0_*.w", "l1_9.w", "l0_9b.w", "l0_*")
    ]

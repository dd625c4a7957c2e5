"""The reader's answers about real types and about a toy entry that has one of everything."""

import pytest

from tests.answers import CASES, RELEASED, SERVED, TOY, answer, counted, read, toy, toy_answer


@pytest.mark.parametrize("case", read(CASES), ids=lambda case: case["why"])
def test_answer(case):
    assert answer(case) == case


@pytest.mark.parametrize("case", read(TOY), ids=lambda case: case["why"])
def test_answer_of_the_toy(case):
    assert toy_answer(case) == case


@pytest.mark.parametrize("line", read(SERVED) + read(RELEASED), ids=lambda line: line["source"])
def test_count_of_a_published_model(line):
    """Each is compared with the model that is built, in ``tests/catalogue`` or for mlx-lm."""
    assert counted(line) == line


def test_buffers_are_left_out_if_a_field_that_they_depend_on_is_given():
    assert [one.path for one in toy().derivation.tensors] == ["a.weight", "b.weight", "c"]
    moved = toy({"cache": False}).derivation
    assert [one.path for one in moved.tensors] == ["a.weight", "b.weight"]
    assert moved.unexplained == ("c (buffer)",)


def test_marks_of_tensors_are_read():
    head = toy(class_name="ToyForSequenceClassification")
    by_path = {one.path: one for one in head.derivation.tensors}
    a, b, head = by_path["toy.a.weight"], by_path["toy.b.weight"], by_path["head.weight"]
    assert (a.traced, a.looped, a.role) == (True, True, "trainable")
    assert (b.traced, b.looped, str(b.times)) == (False, True, "D_0")
    assert (head.traced, head.looped, head.role) == (True, False, "frozen")
    assert not toy().derivation.is_proved


def test_validated_sizes_of_a_class():
    """Letters that the class does not have are ignored; a variant has its own sizes."""
    data = {"set": {"classes/ToyModel/validated": "H 4..64, L 1..9, I 2..6"}}
    found = toy(data=data).derivation
    assert found.validated == {"H": (4, 64), "L": (1, 9)}
    first, *_ = found.reasons_at(toy({"hidden_size": 66}, data=data).sizes)
    assert first == "H = 66 lies outside the sizes it was validated at (4 to 64)"

"""Shapes of tensors in symbols, and what is read from tensors that sizes decide."""

import pytest

from paramproof.formulas.expression import expression, letter
from paramproof.tracing.caveats import caveat_text
from paramproof.tracing.instrumented.calls import call
from paramproof.tracing.recorder import recording
from paramproof.tracing.symbolic.symint import SymInt

pytestmark = pytest.mark.framework("torch")

A, H = letter("A"), letter("H")
SIZES = {"H": 6, "A": 3}


def size(name):
    return SymInt(SIZES[name], letter(name))


@pytest.fixture
def recorder():
    with recording() as found:
        yield found


@pytest.fixture
def shapes(recorder):
    from paramproof.tracing.torch_mode import ShapeRecorder

    with ShapeRecorder() as found:
        yield found


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda torch, h, a: call(torch.empty, h, a), (H, A)),
        (lambda torch, h, a: call(torch.zeros, (h, 2 * a)), (H, 2 * A)),
        (lambda torch, h, a: call(torch.ones, size=(a, 4)), (A, 4)),
        (lambda torch, h, a: call(torch.full, (h, a), 0.5), (H, A)),
        (lambda torch, h, a: call(torch.full, size=(a,), fill_value=0.5), (A,)),
        (lambda torch, h, a: call(torch.normal, 0.0, 1.0, size=(h, a)), (H, A)),
        (lambda torch, h, a: call(torch.empty(2).new_zeros, h, a), (H, A)),
        (lambda torch, h, a: call(torch.arange, h), (H,)),
        (lambda torch, h, a: call(torch.arange, a, h), (H - A,)),
        (lambda torch, h, a: call(torch.linspace, 0, 1, h), (H,)),
        (lambda torch, h, a: call(torch.linspace, 0, 1, steps=a), (A,)),
        (lambda torch, h, a: call(torch.empty(1, a).expand, h, -1), (H, A)),
    ],
)
def test_shapes_of_new_tensors(shapes, make, shape, torch):
    found = shapes.lengths(make(torch, size("H"), size("A")))
    assert found == tuple(expression(0) + length for length in shape)


def test_which_tensors_sizes_decide(shapes, torch):
    assert not shapes.is_of_sizes(torch.empty(6))
    assert not shapes.is_of_sizes(torch.tensor([1, 6]))
    assert shapes.is_of_sizes(torch.empty(size("H")))
    assert shapes.is_of_sizes(call(torch.tensor, [1, size("H")]))
    assert shapes.is_of_sizes(call(torch.tensor, [1, size("H")]) + torch.tensor([1, 2]))


def test_a_tensor_is_not_taken_for_one_that_is_gone(shapes, torch):
    """A tensor that is made where another was freed has the address of its storage."""
    for _ in range(20):
        call(torch.tensor, [1, size("H")]) + torch.tensor([1, 2])
    assert not any(shapes.is_of_sizes(torch.empty(2, dtype=torch.int64)) for _ in range(20))


def caveats(recorder):
    return [caveat_text(one).partition(" (")[0] for one in recorder.caveats]


def test_a_number_that_is_read_is_a_caveat_that_names_the_function(shapes, recorder, torch):
    tensor = call(torch.tensor, size("H"))
    recorder.caveats.clear()
    assert int(tensor) == 6
    assert caveats(recorder) == ["a number that sizes decide was read from a tensor by __int__"]


def test_a_number_from_a_plain_tensor_is_none(shapes, recorder, torch):
    assert int(torch.tensor(6)) == 6
    assert torch.tensor(6).item() == 6
    assert caveats(recorder) == []


def test_a_loop_over_the_rows_of_a_tensor(shapes, torch):

    from paramproof.tracing.instrumented.iteration import symbolic_iteration

    found = symbolic_iteration(torch.empty(size("H"), 2))
    assert (found.length, found.total) == (H, 6)
    assert symbolic_iteration(torch.empty(6, 2)) is None

"""The meta device keeps the values of small tensors that a constructor reads back."""

import pytest

pytestmark = pytest.mark.framework("torch")


@pytest.fixture
def torch():
    import torch

    return torch


def rates(torch):
    return [rate.item() for rate in torch.linspace(0, 0.1, 5)]


def by_stage(torch):
    return [part.tolist() for part in torch.linspace(0, 0.1, 7).split([3, 4])]


def widths(torch):
    """RegNet computes its widths like this."""
    steps = torch.arange(9) * 24.5 + 24
    powers = torch.round(torch.log(steps / 24) / torch.tensor(2.5).log())
    return (torch.round(torch.divide(24 * torch.pow(2.5, powers), 8)) * 8).int().tolist()


def changes(torch):
    return torch.diff(torch.tensor([0, 3, 4, 9])).int().tolist()


def questions(torch):
    one = 7 - 2 * torch.full((3,), 2.0)
    return [float(one[0]), int(one[-1]), bool(one[1] > 2), (8 / one[:2]).tolist()]


@pytest.mark.parametrize("compute", [rates, by_stage, widths, changes, questions])
def test_the_numbers_are_those_of_the_cpu(compute, torch):
    from paramproof.builders.meta import meta

    with meta():
        computed = compute(torch)
    assert computed == compute(torch)


def in_place(torch, one):
    one[1:].add_(1)


def filled(torch, one):
    torch.nn.init.ones_(one[:2])


def set_by_index(torch, one):
    one[0] = 7


def by_its_data(torch, one):
    one.data.mul_(2)


def as_output(torch, one):
    torch.add(one, 1, out=one)


@pytest.mark.parametrize("change", [in_place, filled, set_by_index, by_its_data, as_output])
def test_a_tensor_that_was_changed_has_no_values(change, torch):
    from paramproof.builders.meta import meta

    with meta():
        one = torch.arange(4.0)
        assert one.tolist() == [0, 1, 2, 3]
        change(torch, one)
        with pytest.raises((RuntimeError, NotImplementedError), match="meta tensor"):
            one.tolist()


def test_nothing_else_has_values(torch):
    from paramproof.builders.meta import meta

    with meta():
        for made in (torch.rand(3), torch.arange(5000), torch.full((2, 2), 1.0), torch.empty(2)):
            assert made.is_meta
            with pytest.raises((RuntimeError, NotImplementedError), match="meta tensor"):
                made.tolist()
        assert (torch.linspace(0, 1, 3) * 2).is_meta


def test_other_modes_see_only_the_call_and_its_result(torch):
    """A mode that follows sizes through tensors depends on this."""
    from torch.overrides import TorchFunctionMode

    from paramproof.builders.meta import meta

    heard = []

    class Hearing(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            made = func(*args, **(kwargs or {}))
            heard.append((func, getattr(made, "is_meta", made)))
            return made

    with Hearing(), meta():
        assert (torch.linspace(0, 1, 3) * 2)[1].item() == 1
    assert heard[-1] == (torch.Tensor.item, 1.0)
    assert (torch.linspace, True) in heard
    assert not any(is_meta is False for _, is_meta in heard)

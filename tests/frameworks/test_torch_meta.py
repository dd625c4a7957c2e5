"""PyTorch's meta device as builders use it: same results, without importing the compiler.

Tensors are not filled, except small ones that a constructor reads back.
"""

import sys
from types import SimpleNamespace

import pytest

from tests.frameworks.modules import torch
from tests.sessions import run_python

pytestmark = pytest.mark.framework("torch")

BUILD = """
import sys
from paramproof.builders.registry import load
from paramproof.formulas.models import named_models
for name in ("bert-base-uncased", "transformer-one-layer"):
    load("torch").build(named_models()[name].spec)
print("torch._dynamo" in sys.modules)
"""


@pytest.fixture
def meta():
    from paramproof.builders.meta import meta

    return meta


def test_building_a_model_does_not_import_the_compiler():
    shown = run_python("-c", BUILD)
    assert shown.stdout == "False\n"


def test_unfilled_tensors_are_the_same(meta):
    from paramproof.builders.meta import FILLS

    with_a_number = {torch.Tensor.geometric_, torch.Tensor.fill_, torch.nn.init.constant_}
    assert with_a_number < FILLS
    for fill in FILLS:
        with meta():
            tensor = torch.empty(2, 3)
            more = (0.5,) if fill in with_a_number else ()
            assert fill(tensor, *more) is tensor
            assert (tensor.shape, tensor.device.type) == ((2, 3), "meta")


@pytest.mark.parametrize("name", ["ones", "zeros", "rand", "randn"])
def test_empty_tensors_differ_only_in_values(name, meta):
    factory = getattr(torch, name)
    with meta():
        for made in (factory(2, 3), factory((2, 3)), factory(size=(2, 3), device="meta")):
            assert (made.shape, made.dtype) == ((2, 3), torch.float32)
            assert (made.device.type, made.requires_grad) == ("meta", False)
        other = factory(4, dtype=torch.float64, requires_grad=True)
        assert (other.dtype, other.requires_grad) == (torch.float64, True)
        assert factory(3, out=torch.empty(3)).is_meta
        with torch.device("cpu"):
            assert factory(2, dtype=torch.float64).device.type == "cpu"
    assert torch.get_default_device().type == "cpu"


def test_an_old_constructor_allocates_nothing_for_sizes(meta):
    """``torch.FloatTensor(2, 3)`` ignores the default device; ``meta`` patches it."""
    before = torch.FloatTensor
    with meta():
        much = torch.FloatTensor(10**6, 10**6, 10**6)
        values = torch.FloatTensor([0.5, 2.0])

        # In GPT-OSS of transformers 5.4, it annotates a parameter.
        def forward(embeddings: torch.FloatTensor | None = None) -> None: ...

    assert (much.shape, much.dtype, much.device.type) == ((10**6,) * 3, torch.float32, "meta")
    assert (values.tolist(), values.device.type) == ([0.5, 2.0], "cpu")
    assert torch.FloatTensor is before
    assert type(None) in forward.__annotations__["embeddings"].__args__


def test_a_fourier_matrix_is_not_allocated(meta, monkeypatch):
    """FNet takes them from SciPy, which is installed only if another package requires it."""
    scipy = SimpleNamespace(dft=lambda size: [[size]])
    monkeypatch.setitem(sys.modules, "scipy.linalg", scipy)
    with meta():
        assert scipy.dft(10**6).shape == (10**6, 10**6)
    assert scipy.dft(3) == [[3]]


@pytest.mark.parametrize(
    "make",
    [
        "Linear(3, 4)",
        "Embedding(5, 3, padding_idx=1)",
        "LayerNorm(3)",
        "GroupNorm(1, 3)",
        "BatchNorm2d(3)",
        "BatchNorm2d(3, affine=False)",
        "Conv1d(2, 4, 3)",
        "ConvTranspose2d(2, 4, 3, bias=False)",
    ],
)
def test_unfilled_layers_are_the_same(make, meta, monkeypatch):
    from paramproof.builders.meta import LAYERS

    def parts(layer):
        tensors = layer.state_dict(keep_vars=True).items()
        return [(name, one.shape, one.dtype, one.requires_grad) for name, one in tensors]

    real = eval(f"nn.{make}", {"nn": torch.nn})
    owner = next(one for one in LAYERS if isinstance(real, one))
    resets = owner.reset_parameters
    filled = []
    monkeypatch.setattr(owner, "reset_parameters", lambda self: filled.append(self))
    with meta():
        shape = eval(f"nn.{make}", {"nn": torch.nn})
    assert parts(shape) == parts(real)
    assert all(one.is_meta for one in shape.state_dict().values())
    assert filled == ([] if real.weight is not None else [shape])
    monkeypatch.undo()
    assert owner.reset_parameters is resets


def test_real_devices_keep_all_values(meta):
    with meta():
        assert torch.nn.LayerNorm(3, device="cpu").weight.tolist() == [1, 1, 1]
        assert torch.nn.init.normal_(torch.zeros(4, device="cpu")).any()
        assert torch.ones(4, device="cpu").all()


def test_pytorchs_refusals_remain(meta):
    with meta(), pytest.raises(ValueError, match="Fan in and fan out"):
        torch.nn.init.xavier_uniform_(torch.empty(3))


@pytest.mark.parametrize("numbers", [(7,), (3, 10), (0, 10, 3), (10, 0, -4), (5, 5), (2.5,)])
@pytest.mark.parametrize("dtype", [None, "float32"])
def test_ranges_keep_their_length_and_type(numbers, dtype, meta):
    kind = getattr(torch, dtype) if dtype else None
    real = torch.arange(*numbers, dtype=kind)
    with meta():
        shape = torch.arange(*numbers, dtype=kind)
        assert torch.arange(3, device="cpu").device.type == "cpu"
    assert (shape.shape, shape.dtype, shape.device.type) == (real.shape, real.dtype, "meta")


def regnet_widths(torch):
    steps = torch.arange(9) * 24.5 + 24
    powers = torch.round(torch.log(steps / 24) / torch.tensor(2.5).log())
    return (torch.round(torch.divide(24 * torch.pow(2.5, powers), 8)) * 8).int().tolist()


def asked_one_by_one(torch):
    one = 7 - 2 * torch.full((3,), 2.0)
    return [float(one[0]), int(one[-1]), bool(one[1] > 2), (8 / one[:2]).tolist()]


@pytest.mark.parametrize(
    "compute",
    [
        lambda torch: [rate.item() for rate in torch.linspace(0, 0.1, 5)],
        lambda torch: [part.tolist() for part in torch.linspace(0, 0.1, 7).split([3, 4])],
        lambda torch: torch.diff(torch.tensor([0, 3, 4, 9])).int().tolist(),
        regnet_widths,
        asked_one_by_one,
    ],
)
def test_the_numbers_of_small_tensors_are_those_of_the_cpu(compute, meta):
    with meta():
        computed = compute(torch)
    assert computed == compute(torch)


NO_VALUES = ((RuntimeError, NotImplementedError), "meta tensor")


@pytest.mark.parametrize(
    "change",
    [
        lambda torch, one: one[1:].add_(1),
        lambda torch, one: torch.nn.init.ones_(one[:2]),
        lambda torch, one: one.__setitem__(0, 7),
        lambda torch, one: one.data.mul_(2),
        lambda torch, one: torch.add(one, 1, out=one),
    ],
)
def test_a_tensor_that_was_changed_has_no_values(change, meta):
    with meta():
        one = torch.arange(4.0)
        assert one.tolist() == [0, 1, 2, 3]
        change(torch, one)
        with pytest.raises(NO_VALUES[0], match=NO_VALUES[1]):
            one.tolist()


def test_nothing_else_has_values(meta):
    with meta():
        for made in (torch.rand(3), torch.arange(5000), torch.full((2, 2), 1.0), torch.empty(2)):
            assert made.is_meta
            with pytest.raises(NO_VALUES[0], match=NO_VALUES[1]):
                made.tolist()
        assert (torch.linspace(0, 1, 3) * 2).is_meta

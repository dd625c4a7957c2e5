"""PyTorch's meta device as builders use it: same results, without importing the compiler."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

pytestmark = pytest.mark.framework("torch")

BUILD = """
import sys
from paramproof.builders.registry import load
from paramproof.formulas.models import named_models
for name in ("bert-base-uncased", "transformer-one-layer"):
    load("torch").build(named_models()[name].spec)
print("torch._dynamo" in sys.modules)
"""


def test_building_a_model_does_not_import_the_compiler():
    shown = subprocess.run(
        [sys.executable, "-c", BUILD], capture_output=True, text=True, check=True
    )
    assert shown.stdout == "False\n"


def test_unfilled_tensors_are_the_same():
    import torch

    from paramproof.builders.meta import FILLS, meta

    with_a_number = {torch.Tensor.geometric_, torch.Tensor.fill_, torch.nn.init.constant_}
    assert with_a_number < FILLS
    for fill in FILLS:
        with meta():
            tensor = torch.empty(2, 3)
            more = (0.5,) if fill in with_a_number else ()
            assert fill(tensor, *more) is tensor
            assert (tensor.shape, tensor.device.type) == ((2, 3), "meta")


@pytest.mark.parametrize("name", ["ones", "zeros", "rand", "randn"])
def test_empty_tensors_differ_only_in_values(name):
    import torch

    from paramproof.builders.meta import meta

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


def test_an_old_constructor_allocates_nothing_for_sizes():
    """``torch.FloatTensor(2, 3)`` ignores the default device; ``meta`` patches it."""
    import torch

    from paramproof.builders.meta import meta

    before = torch.FloatTensor
    with meta():
        much = torch.FloatTensor(10**6, 10**6, 10**6)
        values = torch.FloatTensor([0.5, 2.0])
    assert (much.shape, much.dtype, much.device.type) == ((10**6,) * 3, torch.float32, "meta")
    assert (values.tolist(), values.device.type) == ([0.5, 2.0], "cpu")
    assert torch.FloatTensor is before


def test_a_fourier_matrix_is_not_allocated(monkeypatch):
    """FNet takes them from SciPy, which is installed only if another package requires it."""
    from paramproof.builders.meta import meta

    scipy = SimpleNamespace(dft=lambda size: [[size]])
    monkeypatch.setitem(sys.modules, "scipy.linalg", scipy)
    with meta():
        assert scipy.dft(10**6).shape == (10**6, 10**6)
    assert scipy.dft(3) == [[3]]


def test_a_module_imported_meanwhile_may_name_the_old_constructor():
    """In GPT-OSS of transformers 5.4, ``torch.FloatTensor | None`` annotates a parameter."""
    import torch

    from paramproof.builders.meta import meta

    with meta():

        def forward(embeddings: torch.FloatTensor | None = None) -> None: ...

    assert type(None) in forward.__annotations__["embeddings"].__args__


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
def test_unfilled_layers_are_the_same(make, monkeypatch):
    import torch

    from paramproof.builders.meta import LAYERS, meta

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


def test_layers_are_filled_if_another_mode_is_active():
    """A mode that traces a model sees there how it uses sizes."""
    import torch
    from torch.overrides import TorchFunctionMode

    from paramproof.builders.meta import meta

    class Watching(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), options=None):
            seen.append(function)
            return function(*args, **(options or {}))

    seen = []
    with Watching(), meta():
        torch.nn.Linear(3, 4)
    assert torch.nn.init.kaiming_uniform_ in seen


def test_real_devices_keep_all_values():
    import torch

    from paramproof.builders.meta import meta

    with meta():
        assert torch.nn.LayerNorm(3, device="cpu").weight.tolist() == [1, 1, 1]
        assert torch.nn.init.normal_(torch.zeros(4, device="cpu")).any()
        assert torch.ones(4, device="cpu").all()


def test_pytorchs_refusals_remain():
    import torch

    from paramproof.builders.meta import meta

    with meta(), pytest.raises(ValueError, match="Fan in and fan out"):
        torch.nn.init.xavier_uniform_(torch.empty(3))


@pytest.mark.parametrize("numbers", [(7,), (3, 10), (0, 10, 3), (10, 0, -4), (5, 5), (2.5,)])
@pytest.mark.parametrize("dtype", [None, "float32"])
def test_ranges_keep_their_length_and_type(numbers, dtype):
    import torch

    from paramproof.builders.meta import meta

    kind = getattr(torch, dtype) if dtype else None
    real = torch.arange(*numbers, dtype=kind)
    with meta():
        shape = torch.arange(*numbers, dtype=kind)
        assert torch.arange(3, device="cpu").device.type == "cpu"
    assert (shape.shape, shape.dtype, shape.device.type) == (real.shape, real.dtype, "meta")

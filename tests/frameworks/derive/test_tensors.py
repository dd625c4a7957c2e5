"""Tensors that are held, shared or made in unusual ways, and PyTorch's own layers."""

import pytest

from tests.frameworks.derive.deriving import conditions, count, derived

pytestmark = pytest.mark.framework("torch")

OTHERS = "other tensors are created"
READ = "the shape is fitted in 1 of {} tensor groups"
NOT_DIVISIBLE = "the constructor refuses: AssertionError: embed_dim must be divisible by num_heads"
GROUPS = "the constructor refuses: ValueError: in_channels must be divisible by groups"

FORMULAS = {
    "frozen": ("H² + H", ()),
    "tied": ("V·H", ()),
    "buffers": ("2·H", ()),
    "by_arithmetic": ("2·H", ()),
    "broadcast": ("H·ch", (READ.format(1),)),
    "weight_norm": ("ch·(H + 2)", ()),
    "sliced": ("H·⌊H/2⌋", (READ.format(1),)),
    "concatenated": ("H² + H·A", ()),
    "joined_by_a_slice": ("H² + H", (READ.format(1),)),
    "old_constructors": ("H·ch + H + 2", (READ.format(3),)),
    "drawn": ("2·H", ()),
    "numbers": ("L + H", ()),
    "reshaped": ("H·A", (READ.format(1),)),
    "transposed": ("H·A", (READ.format(1),)),
    "encoder": ("L·(4·H² + 2·H·ff + 9·H + ff)", ()),
    "attention": ("3·H² + H·ks + 4·H", ()),
    "lstm": ("L·(24·H² + 16·H) − 16·H² + 8·H·is", ()),
    "grouped": ("2·ch²·ke²/gr + 2·ch", ()),
}


@pytest.mark.parametrize(("name", "formula", "reasons"), [(k, *v) for k, v in FORMULAS.items()])
def test_formulas(name, formula, reasons):
    found = derived(f"tensors:{name}")
    assert (str(found.formula), found.reasons) == (formula, reasons)
    assert found.count(found.sizes) == count(f"tensors:{name}")
    assert found.evidence.held == 21


@pytest.mark.parametrize("layers", [1, 2, 7])
def test_the_layers_of_an_lstm(layers):
    found = derived("tensors:lstm")
    sizes = {"hidden_size": 5, "input_size": 9, "layers": layers}
    letters = {letter: sizes[field] for letter, field in found.fields.items()}
    assert found.count(letters) == count("tensors:lstm", **sizes)


def shapes(derivation):
    return {one.path: (one.role, *map(str, one.shape)) for one in derivation.tensors}


def test_what_is_frozen_is_there_and_not_counted():
    assert shapes(derived("tensors:frozen"))["*.weight"] in [
        ("frozen", "V", "H"),
        ("trainable", "H", "H"),
    ]
    roles = [(one.path, one.role) for one in derived("tensors:frozen").tensors]
    assert ("*.weight", "frozen") in roles


def test_what_is_tied_is_there_once():
    (tensor,) = derived("tensors:tied").tensors
    assert (tensor.path, tensor.aliases) == ("embedding.weight", ("head.weight",))


def test_buffers_stand_apart():
    found = shapes(derived("tensors:buffers"))
    assert found["running_mean"] == ("buffer", "H")
    assert found["position_ids"] == ("buffer", "1", "po")
    assert found["num_batches_tracked"] == ("buffer",)


def test_a_buffer_that_nothing_explains_is_named():
    found = derived("tensors:strange_buffer")
    (reason,) = found.reasons
    assert "was the length of a tensor (tensors.py:" in reason
    assert found.unexplained == ("bits of (4, 3) (buffer)",)


def test_a_transposed_tensor_is_as_it_is_and_not_as_it_was_made():
    (tensor,) = derived("tensors:transposed").tensors
    assert [str(length) for length in tensor.shape] == ["A", "H"]


def test_copies_of_a_layer():
    """nn.TransformerEncoder copies its layer, as often as a loop over a size says."""
    found = derived("tensors:encoder")
    assert {str(one.times) for one in found.tensors} == {"L"}
    assert conditions(found) == {"A divides H": NOT_DIVISIBLE}


def test_conditions_of_the_layers():
    assert conditions(derived("tensors:attention")) == {
        "ks ≠ H": OTHERS,
        "A divides H": NOT_DIVISIBLE,
    }
    grouped = conditions(derived("tensors:grouped"))
    assert grouped.pop("gr divides ch") == GROUPS
    assert not grouped


def test_a_lazy_module_has_no_shapes():
    from paramproof.derivation.pipeline import DerivationError

    with pytest.raises(
        DerivationError, match=r"is not made: ValueError: 0\.weight has no shape yet"
    ):
        derived("tensors:lazy")

"""Models of every framework: what is not PyTorch's is fitted to models of plain ints."""

import re
from math import prod

import pytest

from paramproof.derivation.pipeline import DerivationError, Effort
from tests.frameworks.derive.deriving import conditions, derived

KERAS = "keras-jax keras-tensorflow keras-torch"
DECODER = "L·(4·H² + 6·H) + 2·V·H"
FLOORED = "L·(4·H·A·⌊H/A⌋ + 3·A·⌊H/A⌋ + 3·H)"
READ = "the shape is fitted in 12 of 12 tensor groups"
FEW = {"held": 5}
JAX, EQUINOX = "flax jax python", "equinox jax jaxlib python"

ENCODERS = [
    ("mlx", "L·(4·H² + 2·H·in + 5·H + in) + 2·H", "mlx python"),
    ("paddle", "L·(4·H² + 2·H·in + 9·H + in)", "paddlepaddle python"),
]

# Frameworks, the constructor and the effort of its derivation; what is derived: a formula, its
# conditions unless they do not matter, the start of a reason, and the distributions with versions.
FORMULAS = [
    (KERAS, "in_keras:model", {}, f"{FLOORED} + 2·V·H", ["H ≥ A"], READ, ""),
    # Keras divides a size out of sight.
    (KERAS, "in_keras:divided", FEW, "H·(A·⌊H/A⌋ + V)", None, "", ""),
    (KERAS, "in_keras:built_before", FEW, "H² + V·H + H", [], "", ""),
    # Far models are tested with PyTorch, whose models take less time.
    ("flax-linen", "in_linen:model", FEW | {"far": False}, DECODER, ["A divides H"], READ, JAX),
    ("flax-linen", "in_nnx:model", FEW | {"far": False}, DECODER, ["A divides H"], READ, JAX),
    # What decides out of sight has its line.
    ("flax-linen", "in_linen:of_int", {}, "V·H", None, "a call was not followed (in_linen", JAX),
    # Its attention rounds a head's size down, and does not ask whether A divides H.
    ("equinox", "in_equinox:model", {}, f"{FLOORED} + 2·V·H", None, READ, EQUINOX),
    ("equinox", "in_equinox:tied", FEW, f"{FLOORED} + V·H", None, "", ""),
    # One module holds all layers.
    ("equinox", "in_equinox:stacked", FEW, "L·(H² + H)", None, "", ""),
    # Nothing is computed or allocated: the large ones have billions of parameters, and validation
    # goes further. Statistics are not trainable.
    *(
        (framework, f"in_{framework}:{name}", {}, formula, ["A divides H"], "", versions)
        for framework, formula, versions in ENCODERS
        for name in ("encoder", "large")
    ),
    ("mlx", "in_mlx:normalised", {}, "2·H² + 6·H", [], "", ""),
    ("paddle", "in_paddle:normalised", {}, "2·H² + 6·H", [], "", ""),
]


def rows(table):
    return [
        pytest.param(*row, id=row[0], marks=pytest.mark.framework(*frameworks.split()))
        for frameworks, *row in table
    ]


def derived_with(name, **effort):
    return derived(name, effort=Effort(**effort))


@pytest.mark.parametrize(
    ("name", "effort", "formula", "stated", "reason", "versions"), rows(FORMULAS)
)
def test_formulas(name, effort, formula, stated, reason, versions):
    found = derived_with(name, **effort)
    assert (str(found.formula), found.fixed) == (formula, ())
    assert stated is None or [*conditions(found)] == stated
    assert any(one.startswith(reason) for one in found.reasons)
    assert not versions or {*found.evidence.versions} == {*versions.split()}
    if name == "in_equinox:tied":
        (table,) = (one for one in found.tensors if one.path == "embedding.weight")
        assert table.aliases == ("head.weight",)


@pytest.mark.framework("keras-bert")
def test_keras_bert():
    """Its attention compares plain ints: relations of two sizes are tried."""
    found = derived_with("in_keras_bert:model", fitted=4, held=2, deepest=2)
    layer = "4·H² + 2·H·F + 9·H + F"
    assert str(found.formula) == f"L·({layer}) + 2·H² + V·H + 20·H + V + 2"
    refusal = "the constructor refuses: IndexError: Invalid head number"
    ((condition, outside),) = conditions(found).items()
    assert (condition, outside.startswith(refusal)) == ("A divides H", True)
    attention = sum(prod(t.shape) for t in found.tensors if "SelfAttention." in t.path)
    assert str(attention) == "4·H² + 4·H"
    assert attention.evaluate({"H": 768}) == 2_362_368
    paths = [one.path for one in found.tensors]
    assert "Encoder-*-FeedForward.Encoder-*-FeedForward_W1" in paths
    assert "tf-keras" in found.evidence.versions


REFUSED = [
    (KERAS, "in_keras:unbuilt", "is not built: dense has no weights yet"),
    ("flax-linen", "in_linen:unbuilt", " has no variables: give (module, variables)"),
    ("equinox", "in_equinox:with_state", "is a module of Equinox and more: give the module alone"),
]


@pytest.mark.parametrize(("name", "said"), rows(REFUSED))
def test_refused(name, said):
    with pytest.raises(DerivationError, match="is not made: InvalidInput: ") as caught:
        derived(name)
    # Keras counts the layers that it made before.
    assert re.sub(r"dense_\d+", "dense", str(caught.value)).endswith(said)

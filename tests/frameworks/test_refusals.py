"""What a framework does by itself with sizes that ``EncoderSpec`` refuses.

``tests.frameworks.unchecked`` builds each one. A framework may have such a test in the file of its
traps instead.
"""

from dataclasses import asdict
from functools import partial

import pytest

from paramproof.builders import load
from paramproof.formulas import EncoderSpec
from tests.documented import documented_keras_marker
from tests.frameworks.unchecked import AS_THE_FORMULA, assert_outcome, spec_without_checks
from tests.specs import SMALL_ENCODER as SPEC

L, H, A, F, *_ = SPEC.letters()
LAYER = 4 * H * H + 9 * H + 2 * H * F + F


def columns_lost(hidden_size, num_attention_heads):
    """Keras's key_dim=H//A loses the remainder: 3 (H + 1) + H per column and layer."""
    return -L * (hidden_size % num_attention_heads) * (4 * hidden_size + 3)


# Field and value: the error, or the difference to the closed form at the same letters.
# Not listed: A = 0 and L < 0, if our own file divides or counts before the framework does.
TORCH = {
    ("hidden_size", 10): (AssertionError, "embed_dim must be divisible by num_heads"),
    ("hidden_size", 0): (ValueError, "embed_dim and num_heads must be greater than 0"),
    ("hidden_size", -6): (RuntimeError, "negative dimension -6"),
    ("num_attention_heads", 4): (AssertionError, "embed_dim must be divisible by num_heads"),
    ("num_attention_heads", 0): (ValueError, "embed_dim and num_heads must be greater than 0"),
    ("num_attention_heads", -3): (ValueError, "embed_dim and num_heads must be greater than 0"),
    ("intermediate_size", 0): AS_THE_FORMULA,
    ("intermediate_size", -1): (RuntimeError, "negative dimension -1"),
    ("vocab_size", 0): AS_THE_FORMULA,
    ("vocab_size", -1): (RuntimeError, "negative dimension -1"),
    ("max_position_embeddings", 0): AS_THE_FORMULA,
    ("max_position_embeddings", -1): (RuntimeError, "negative dimension -1"),
    ("type_vocab_size", 0): AS_THE_FORMULA,
    ("type_vocab_size", -1): (RuntimeError, "negative dimension -1"),
}

TRANSFORMERS = TORCH | {
    ("hidden_size", 10): (ValueError, "not a multiple of the number of attention heads"),
    ("hidden_size", 0): (ZeroDivisionError, "cannot be raised to a negative power"),
    ("num_hidden_layers", -1): LAYER,  # none are built, which is one more than -1
    ("num_attention_heads", 4): (ValueError, "not a multiple of the number of attention heads"),
    ("num_attention_heads", 0): (ZeroDivisionError, "modulo by zero"),
    ("num_attention_heads", -3): AS_THE_FORMULA,
}

DIVIDED = (ZeroDivisionError, "division by zero")
"""JAX divides to scale initial values; since 0.12 it avoids dividing by 0."""

# Hence linen notices 0, but negative sizes only sometimes.
LINEN = {
    ("hidden_size", 10): (AssertionError, "must be divisible by number of heads"),
    ("hidden_size", 0): DIVIDED,
    ("hidden_size", -6): (TypeError, "must be within"),
    ("num_attention_heads", 4): (AssertionError, "must be divisible by number of heads"),
    ("num_attention_heads", 0): (ZeroDivisionError, "modulo by zero"),
    ("num_attention_heads", -3): (TypeError, "must all be positive"),
    ("intermediate_size", 0): DIVIDED,
    ("intermediate_size", -1): (TypeError, "non-negative indices"),
    ("vocab_size", 0): DIVIDED,
    ("vocab_size", -1): (TypeError, "must be within"),
    ("max_position_embeddings", 0): DIVIDED,
    ("max_position_embeddings", -1): (TypeError, "must be within"),
    ("type_vocab_size", 0): DIVIDED,
    ("type_vocab_size", -1): (TypeError, "must be within"),
}

# nnx creates tables without looking anything up in them: -1 rows are -H parameters.
NNX = LINEN | {
    ("hidden_size", 10): (ValueError, "must be divisible by 'num_heads' heads"),
    ("hidden_size", -6): (TypeError, "must have every element be nonnegative"),
    ("num_hidden_layers", -1): (TypeError, "must have every element be nonnegative"),
    ("num_attention_heads", 4): (ValueError, "must be divisible by 'num_heads' heads"),
    ("vocab_size", -1): AS_THE_FORMULA,
    ("max_position_embeddings", -1): AS_THE_FORMULA,
    ("type_vocab_size", -1): AS_THE_FORMULA,
}

KERAS = {
    ("hidden_size", 10): columns_lost(10, A),
    ("hidden_size", 0): (ValueError, "`output_dim` must be a positive integer"),
    ("hidden_size", -6): (ValueError, "`output_dim` must be a positive integer"),
    ("num_attention_heads", 4): columns_lost(H, 4),
    ("num_attention_heads", 12): (ValueError, "`key_dim`, expected a positive integer"),
    ("num_attention_heads", -3): (ValueError, "`num_heads`, expected a positive integer"),
    ("intermediate_size", 0): (ValueError, "`units`, expected a positive integer"),
    ("intermediate_size", -1): (ValueError, "`units`, expected a positive integer"),
    ("vocab_size", 0): (ValueError, "`input_dim` must be a positive integer"),
    ("vocab_size", -1): (ValueError, "`input_dim` must be a positive integer"),
    ("max_position_embeddings", 0): (ValueError, "`input_dim` must be a positive integer"),
    ("max_position_embeddings", -1): (ValueError, "`input_dim` must be a positive integer"),
    ("type_vocab_size", 0): (ValueError, "`input_dim` must be a positive integer"),
    ("type_vocab_size", -1): (ValueError, "`input_dim` must be a positive integer"),
}

# Token types are not among its arguments.
KERAS_BERT = {
    ("hidden_size", 10): (IndexError, "Invalid head number 3 with the given input dim 10"),
    ("hidden_size", 0): (ValueError, "`output_dim` should be positive"),
    ("hidden_size", -6): (ValueError, "`output_dim` should be positive"),
    ("num_attention_heads", 4): (IndexError, "Invalid head number 4 with the given input dim 6"),
    ("num_attention_heads", 0): (ZeroDivisionError, "modulo by zero"),
    ("num_attention_heads", -1): AS_THE_FORMULA,
    ("num_attention_heads", -3): (ValueError, "Invalid value in tensor used for shape: -3"),
    ("intermediate_size", 0): AS_THE_FORMULA,
    ("intermediate_size", -1): (ValueError, "Dimension -1 must be >= 0"),
    ("vocab_size", 0): (ValueError, "should be positive"),
    ("vocab_size", -1): (ValueError, "should be positive"),
    ("max_position_embeddings", 0): AS_THE_FORMULA,
    ("max_position_embeddings", -1): (ValueError, "Dimension -1 must be >= 0"),
}

OUTCOMES = {
    "torch": TORCH,
    "flax-linen": LINEN,
    "flax-nnx": NNX,
    "keras-jax": KERAS,
    "keras-tensorflow": KERAS,
    "keras-torch": KERAS,
    "keras-bert": KERAS_BERT,
    "transformers": TRANSFORMERS,
}

ROWS = [
    pytest.param(
        name,
        field,
        value,
        outcome,
        marks=[
            pytest.mark.framework(name),
            *documented_keras_marker(name),
            *([pytest.mark.documented("jax")] if outcome is DIVIDED else ()),
        ],
        id=f"{name}-{field}={value}",
    )
    for name, outcomes in OUTCOMES.items()
    for (field, value), outcome in outcomes.items()
]


# PyTorch warns that there is nothing to initialise in an empty kernel, and continues.
@pytest.mark.filterwarnings("ignore:Initializing zero-element tensors:UserWarning")
@pytest.mark.parametrize(("name", "field", "value", "outcome"), ROWS)
def test_a_framework_without_our_checks(name, field, value, outcome, monkeypatch):
    spec, builder = spec_without_checks(**{field: value}), load(name)
    if name in ("flax-linen", "flax-nnx"):
        # Its layers draw initial values when built alone, and check the sizes for that.
        drawing = partial(builder.Values, drawn=True)
        monkeypatch.setattr(builder, "Values", lambda dtype, drawn: drawing(dtype))
    if name == "flax-nnx":
        monkeypatch.setattr(builder, "Undrawn", partial(builder.nnx.Rngs, 0))
    assert_outcome(builder, spec, outcome)


@pytest.mark.parametrize(
    ("field", "value"), sorted({row for outcomes in OUTCOMES.values() for row in outcomes})
)
def test_the_spec_refuses_it(field, value):
    with pytest.raises(ValueError, match="is not possible: it must be"):
        EncoderSpec(**{**asdict(SPEC), field: value})


@pytest.mark.parametrize("field", ["vocab_size", "max_position_embeddings", "type_vocab_size"])
@pytest.mark.framework("flax-nnx")
def test_nnx_notices_a_negative_table_only_when_allocating(field):
    # An MLIRError, from a module of jaxlib without a public name.
    with pytest.raises(Exception, match="invalid tensor dimension size"):
        load("flax-nnx").build(spec_without_checks(**{field: -1}), allocate=True)


@pytest.mark.framework("keras-jax", "keras-tensorflow", "keras-torch")
def test_keras_silently_builds_another_attention():
    from keras import layers

    attention = layers.MultiHeadAttention(num_heads=3, key_dim=10 // 3)
    attention.build((None, None, 10), (None, None, 10))
    # Heads of width 3 give 9 of the 10 columns.
    assert attention.count_params() == 3 * (10 * 9 + 9) + 9 * 10 + 10
    assert attention.count_params() - 4 * (10 * 10 + 10) == -(4 * 10 + 3)

"""What a framework does by itself with sizes that ``EncoderSpec`` refuses.

It usually raises an error, of any class, but sometimes it silently builds another model with a
plausible count. The framework's file builds each one, from a spec whose checks were skipped.
"""

from dataclasses import asdict
from functools import partial

import pytest

from paramproof.builders import load
from paramproof.formulas import EncoderSpec, closed_form
from tests.documented import documented_keras_marker
from tests.specs import SMALL_ENCODER as SPEC

L, H, A, F, *_ = SPEC.letters()
LAYER = 4 * H * H + 9 * H + 2 * H * F + F
TABLES = ("vocab_size", "max_position_embeddings", "type_vocab_size")

AS_THE_FORMULA = 0
"""It builds a model with the polynomial's value: nothing warns about the impossible size."""


def columns_lost(hidden_size, num_attention_heads):
    """key_dim=H//A loses the remainder: 3 (H + 1) + H per column and layer."""
    return -L * (hidden_size % num_attention_heads) * (4 * hidden_size + 3)


def outcomes(hidden_size, num_attention_heads, intermediate_size=(), tables=(), **others):
    """Return the outcomes by field and value: of the sizes and, in order, of 0 and −1."""
    found = {("hidden_size", value): outcome for value, outcome in hidden_size.items()}
    found |= {("num_attention_heads", n): outcome for n, outcome in num_attention_heads.items()}
    found |= {("intermediate_size", -n): outcome for n, outcome in enumerate(intermediate_size)}
    found |= {(name, -n): outcome for name in TABLES for n, outcome in enumerate(tables)}
    return found | {(name, -1): outcome for name, outcome in others.items()}


# Values: the error, or the difference to the closed form at the same letters.
# Not listed: A = 0 and L < 0, if our own file divides or counts before the framework does.
DIVISIBLE = (AssertionError, "embed_dim must be divisible by num_heads")
GREATER = (ValueError, "embed_dim and num_heads must be greater than 0")
TORCH = outcomes(
    {10: DIVISIBLE, 0: GREATER, -6: (RuntimeError, "negative dimension -6")},
    {4: DIVISIBLE, 0: GREATER, -3: GREATER},
    (AS_THE_FORMULA, NEGATIVE := (RuntimeError, "negative dimension -1")),
    (AS_THE_FORMULA, NEGATIVE),
)

MULTIPLE = (ValueError, "not a multiple of the number of attention heads")
TRANSFORMERS = TORCH | outcomes(
    {10: MULTIPLE, 0: (ZeroDivisionError, "cannot be raised to a negative power")},
    {4: MULTIPLE, 0: (ZeroDivisionError, "modulo by zero"), -3: AS_THE_FORMULA},
    num_hidden_layers=LAYER,  # none are built, which is one more than -1
)

DIVIDED = (ZeroDivisionError, "division by zero")
"""JAX divides to scale initial values; since 0.12 it avoids dividing by 0."""

# Hence linen notices 0, but negative sizes only sometimes.
HEADS = (AssertionError, "must be divisible by number of heads")
LINEN = outcomes(
    {10: HEADS, 0: DIVIDED, -6: (TypeError, "must be within")},
    {4: HEADS, 0: (ZeroDivisionError, "modulo by zero"), -3: (TypeError, "must all be positive")},
    (DIVIDED, (TypeError, "non-negative indices")),
    (DIVIDED, (TypeError, "must be within")),
)

# nnx creates tables without looking anything up in them: -1 rows are -H parameters.
HEADS = (ValueError, "must be divisible by 'num_heads' heads")
NONNEGATIVE = (TypeError, "must have every element be nonnegative")
NNX = LINEN | outcomes(
    {10: HEADS, -6: NONNEGATIVE},
    {4: HEADS},
    tables=(DIVIDED, AS_THE_FORMULA),
    num_hidden_layers=NONNEGATIVE,
)

POSITIVE = (ValueError, "`output_dim` must be a positive integer")
UNITS = (ValueError, "`units`, expected a positive integer")
ROWS = (ValueError, "`input_dim` must be a positive integer")
KERAS = outcomes(
    {10: columns_lost(10, A), 0: POSITIVE, -6: POSITIVE},
    {
        4: columns_lost(H, 4),
        12: (ValueError, "`key_dim`, expected a positive integer"),
        -3: (ValueError, "`num_heads`, expected a positive integer"),
    },
    (UNITS, UNITS),
    (ROWS, ROWS),
)

INVALID = "Invalid head number {} with the given input dim {}"
POSITIVE = (ValueError, "`output_dim` should be positive")
KERAS_BERT = outcomes(
    {10: (IndexError, INVALID.format(3, 10)), 0: POSITIVE, -6: POSITIVE},
    {
        4: (IndexError, INVALID.format(4, 6)),
        0: (ZeroDivisionError, "modulo by zero"),
        -1: AS_THE_FORMULA,
        -3: (ValueError, "Invalid value in tensor used for shape: -3"),
    },
    (AS_THE_FORMULA, (ValueError, "Dimension -1 must be >= 0")),
) | {
    ("vocab_size", 0): (ValueError, "should be positive"),
    ("vocab_size", -1): (ValueError, "should be positive"),
    ("max_position_embeddings", 0): AS_THE_FORMULA,
    ("max_position_embeddings", -1): (ValueError, "Dimension -1 must be >= 0"),
}
"""Token types are not among its arguments."""

NEGATIVE = (ValueError, "num_embeddings must not be negative")
EQUINOX = outcomes(
    {
        10: columns_lost(10, A),
        0: AS_THE_FORMULA,
        -6: (ValueError, "embedding_size must not be negative"),
    },
    {
        4: columns_lost(H, 4),
        # Heads of no features: nothing but the bias of the output is left.
        12: columns_lost(H, 12),
        0: (ZeroDivisionError, "modulo by zero"),
        -3: AS_THE_FORMULA,
    },
    (AS_THE_FORMULA, (ValueError, "math domain error")),
    (AS_THE_FORMULA, NEGATIVE),
)

HEADS = (ValueError, "divisible by the number of heads")
OF_MLX = (ValueError, "Negative dimensions not allowed")
"""MLX 0.31 makes an array of the shape (-1, 6), without entries until somebody reads it."""
MLX = outcomes(
    {10: HEADS, 0: (ZeroDivisionError, "division by zero"), -6: (ValueError, "math domain error")},
    {4: HEADS, 0: (ZeroDivisionError, "modulo by zero"), -3: AS_THE_FORMULA},
    # ``mlp_dims or 4 * dims`` in each of the two layers.
    (2 * (2 * H * 4 * H + 4 * H), OF_MLX),
    (AS_THE_FORMULA, OF_MLX),
    num_hidden_layers=LAYER,
)

# "gather" is Paddle's spelling.
HEADS = (AssertionError, "embed_dim must be divisible by num_heads")
NHEAD = (AssertionError, "Expected nhead to be greater than 0")
INNER = (AssertionError, "Expected dim_feedforward to be greater than 0")
WIDTH = ((AssertionError, ValueError), "embedding_dim must be gather than 0")
ROWS = ((AssertionError, ValueError), "num_embeddings must be gather than 0")
PADDLE = outcomes(
    {10: HEADS, 0: WIDTH, -6: WIDTH},
    {4: HEADS, 0: NHEAD, -3: NHEAD},
    (INNER, INNER),
    (ROWS, ROWS),
    num_hidden_layers=LAYER,
)

OUTCOMES = {
    "torch": TORCH,
    "flax-linen": LINEN,
    "flax-nnx": NNX,
    "keras-jax": KERAS,
    "keras-tensorflow": KERAS,
    "keras-torch": KERAS,
    "keras-bert": KERAS_BERT,
    "transformers": TRANSFORMERS,
    "equinox": EQUINOX,
    "mlx": MLX,
    "paddle": PADDLE,
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
            *([pytest.mark.documented("mlx")] if outcome is OF_MLX else ()),
        ],
        id=f"{name}-{field}={value}",
    )
    for name, found in OUTCOMES.items()
    for (field, value), outcome in found.items()
]


# PyTorch warns that there is nothing to initialise in an empty kernel, and continues.
@pytest.mark.filterwarnings("ignore:Initializing zero-element tensors:UserWarning")
@pytest.mark.parametrize(("name", "field", "value", "outcome"), ROWS)
def test_a_framework_without_our_checks(name, field, value, outcome, monkeypatch):
    spec, builder = without_checks(**{field: value}), load(name)
    if name in ("flax-linen", "flax-nnx"):
        # Its layers draw initial values when built alone, and check the sizes for that.
        drawing = partial(builder.Values, drawn=True)
        monkeypatch.setattr(builder, "Values", lambda dtype, drawn: drawing(dtype))
    if name == "flax-nnx":
        monkeypatch.setattr(builder, "Undrawn", partial(builder.nnx.Rngs, 0))
    if isinstance(outcome, tuple):
        error, message = outcome
        with pytest.raises(error, match=message):
            builder.build(spec)
    else:
        actual = sum(weight.size for weight in builder.build(spec).weights())
        assert actual - closed_form(spec.letters()) == outcome


def without_checks(**changes):
    """Return ``SPEC`` with values that the constructor would refuse."""
    spec = object.__new__(EncoderSpec)
    for name, value in {**asdict(SPEC), **changes}.items():
        object.__setattr__(spec, name, value)
    return spec


@pytest.mark.parametrize(
    ("field", "value"), sorted({row for found in OUTCOMES.values() for row in found})
)
def test_the_spec_refuses_it(field, value):
    with pytest.raises(ValueError, match="is not possible: it must be"):
        EncoderSpec(**{**asdict(SPEC), field: value})


@pytest.mark.parametrize("field", TABLES)
@pytest.mark.framework("flax-nnx")
def test_nnx_notices_a_negative_table_only_when_allocating(field):
    # An MLIRError, from a module of jaxlib without a public name.
    with pytest.raises(Exception, match="invalid tensor dimension size"):
        load("flax-nnx").build(without_checks(**{field: -1}), allocate=True)

"""Constructors with lengths that may be 0, or less. They need PyTorch."""

from torch import nn

from tests.frameworks.derive.deriving import derives


@derives("H² + H·wi − 3·H + wi − 4", where={"H + wi ≥ 4": "less than 0"})
def less_than_zero(hidden_size=24, wide=4):
    """Nobody asks, and PyTorch refuses −1; it makes a length of 0."""
    return nn.Linear(hidden_size, hidden_size + wide - 4)


@derives("A·⌊H/A⌋·(H + 1)")
def heads(hidden_size=24, heads=3):
    return nn.Linear(hidden_size, heads * (hidden_size // heads))


@derives("⌊H/A⌋·(H + 1)", where={"H ≥ A": "ValueError: no head has a width"})
def refused(hidden_size=24, heads=3):
    """Refuse by a number of elements, which is a plain int and not a size."""
    if not nn.Linear(hidden_size, hidden_size // heads).weight.numel():
        raise ValueError("no head has a width")
    return nn.Linear(hidden_size, hidden_size // heads)


@derives(
    "H² + H·wi − 3·H + wi − 4",
    where={"H² + H·wi − 4·H ≠ 0": "ValueError: of no width", "H + wi > 4": "not tried"},
)
def refused_at_once(hidden_size=24, wide=4):
    """Not 0 either, and so not less."""
    layer = nn.Linear(hidden_size, hidden_size + wide - 4)
    if not layer.weight.numel():
        raise ValueError("of no width")
    return layer


@derives("H·⌊(H − 1)/wi⌋ + H + ⌊(H − 1)/wi⌋ + 1")
def rounded_up(hidden_size=24, wide=5):
    """⌈24 / 5⌉ is 1 or more."""
    return nn.Linear(hidden_size, -(-hidden_size // wide))


@derives("H² − H·wi + H − wi", where={"H > wi": "AssertionError"})
def asked(hidden_size=24, wide=4):
    assert hidden_size > wide
    return nn.Linear(hidden_size, hidden_size - wide)


@derives("H² + H", where="A divides H")
def scaled(hidden_size=24, heads=3):
    """At its own sizes the remainder decides, and 0 ** −0.5 would raise an error elsewhere."""
    if hidden_size % heads and hidden_size < 0:
        raise ValueError("heads of no whole width")
    width = hidden_size // heads
    layer = nn.Linear(hidden_size, heads * width)
    layer.scaling = width**-0.5
    return layer

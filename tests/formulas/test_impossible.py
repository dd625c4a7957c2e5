"""Impossible sizes are refused in one line, wherever a derived formula is evaluated."""

from dataclasses import replace

import pytest

from paramproof.formulas.computed import QUOTIENT
from paramproof.formulas.condition import is_never_negative
from paramproof.formulas.derivation import value_at
from paramproof.formulas.expression import Computed, Expression, computed, expression, floor, letter
from paramproof.formulas.notation import expression_in
from tests.derivations import MIXTURE, tensor, with_tensors

A, D, H, L = map(letter, "ADHL")

LAST_WITHOUT_BIAS = with_tensors(
    tensor("layers.*.weight", H, H, times=L), tensor("layers.*.bias", H, times=L - 1)
)
"""H²·L + H·L − H: negative at L = 0."""

WAYS = {
    "count": lambda one, sizes: one.count(sizes),
    "require": lambda one, sizes: one.require(sizes),
    "inventory": lambda one, sizes: one.inventory(sizes),
    "reasons_at": lambda one, sizes: one.reasons_at(sizes),
}


def sizes(**changes):
    return {**MIXTURE.sizes, **changes}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "size"), [("L", 0), ("L", -1), ("H", 0), ("F", -7)])
def test_a_size_below_1_is_refused_everywhere(way, name, size):
    """That includes letters that the formula does not contain, such as F here."""
    printed = str(size).replace("-", "−")
    with pytest.raises(ValueError, match=rf"^\w+: {name} = {printed}: every size must be 1 or m"):
        WAYS[way](LAST_WITHOUT_BIAS, sizes(**{name: size}))
    assert not LAST_WITHOUT_BIAS.has(sizes(**{name: size}))


def test_the_smallest_sizes_are_counted():
    assert LAST_WITHOUT_BIAS.count(sizes(H=2, L=1)) == 4
    assert with_tensors(tensor("layers.*.bias", H - 8, H, times=L - 1)).count(sizes(L=1)) == 0
    assert not LAST_WITHOUT_BIAS.reasons_at(sizes(H=2, L=1))


def test_a_size_of_0_that_was_validated_is_counted():
    """For example a model without layers, if the formula was compared with one."""
    layers = with_tensors(tensor("layers.*.weight", H, H, times=L), tensor("head.weight", H))
    validated = replace(layers, validated={"L": (0, 9), "H": (2, 900)})
    assert validated.count(sizes(L=0)) == 8
    assert validated.has(sizes(L=0))
    with pytest.raises(ValueError, match=r"^\w+: L = −1: it must be 0 or more$"):
        validated.count(sizes(L=-1))
    with pytest.raises(ValueError, match=r"^\w+: H = 0: every size must be 1 or more$"):
        validated.count(sizes(H=0))


BY_0 = """⌊H/(A − 2)⌋ | div(H, (A − 2)) | mod(H, (A − 2)) | ⌊H/(A·⌊H/(A − 2)⌋)⌋ | H/⌊A/3⌋
⌊H/⌊A/3⌋⌋ | int(H ÷ minus(A, 2)) | int((H × 0.5) ÷ (A − 2))"""
NO_VALUE = r"a has no value at .*A = {}.*: it divides by 0$"
IMPOSSIBLE = [
    (tensor("b", H, times=L - 2), {"L": 1}, r"b would occur −1 times at L = 1$"),
    (tensor("a", H - 4, H), {"H": 3, "A": 1}, r"a would have a length of −1 at H = 3$"),
    (tensor("a", H - 4, role="frozen"), {"H": 3}, r"a would have a length of −1 at H = 3$"),
    # Sizes of 0 were validated, as they are only for a formula that does not divide by one.
    (tensor("a", H / A), {"A": 0}, NO_VALUE.format(0)),
    *(
        (tensor("a", expression_in(length)), {"A": 2}, NO_VALUE.format(2))
        for length in BY_0.replace("\n", " | ").split(" | ")
    ),
]


@pytest.mark.parametrize(("one", "changes", "line"), IMPOSSIBLE)
@pytest.mark.parametrize("way", ["count", "require", "inventory"])
def test_an_impossible_tensor_is_named(one, changes, line, way):
    some = with_tensors(one, conditions=(), validated={"A": (0, 4)})
    with pytest.raises(ValueError, match=rf"^{MIXTURE.name}: {line}"):
        WAYS[way](some, sizes(**changes))
    assert not some.has(sizes(**changes))


@pytest.mark.parametrize(
    "ignored", [tensor("b", H - 4, times=L - 1), tensor("b", H - 4, role="buffer")]
)
def test_an_absent_tensor_and_a_buffer_refuse_nothing(ignored):
    """A buffer is not counted, and may need another configuration than the parameters."""
    some = with_tensors(tensor("a", H), ignored)
    assert some.count(sizes(H=3, A=1, L=1)) == 3


@pytest.mark.parametrize(
    ("atom", "line"),
    [
        (Computed("over", (H, Computed("log", (A,)))), "at H = 8, A = 0: (?!it divides)"),
        (Computed("power", (H, expression(10**6))), "at H = 8: .* too large$"),
    ],
)
def test_other_reasons_for_having_no_value(atom, line):
    one = Expression({((atom, 1),): 1})
    with pytest.raises(ValueError, match=f"^it has no value {line}"):
        value_at(one, {"H": 8, "A": 0}, "it")
    with pytest.raises(ValueError, match=r"^a has no value at H = 8, A = 0: it divides by 0$"):
        value_at(H / A, {"H": 8, "A": 0}, "a")


PART = letter(Computed(QUOTIENT, (H / D, L)))

NEVER = {
    "": (expression(0), 3 * H * L + 4, floor(H, A) * L, H / A, floor(H, A), L - 1, PART),
    "H": (H * L + H, floor(H, L)),
}
MAYBE = {
    "": (L - 2, expression(-1), floor(H, A - 1), floor(H - 4, A), floor(H, floor(L, D))),
    "L": (L - 1, H * floor(H, A) ** -1, computed("int", H)),
    "A": (H / A, floor(H, A)),
    "D": (PART,),
}


@pytest.mark.parametrize(("known", "never"), [(NEVER, True), (MAYBE, False)])
def test_signs_that_letters_determine(known, never):
    """Letters are 1 or more, except for those that may be 0."""
    for at_zero, some in known.items():
        assert [is_never_negative(one, at_zero) for one in some] == [never] * len(some), at_zero

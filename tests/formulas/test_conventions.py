"""Conventions: what each one leaves out, how they combine, and how counts are rounded."""

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from paramproof.formulas import FAMILIES, closed_form, inventory
from paramproof.formulas.conventions import (
    CONVENTIONS,
    MEBI,
    PARTS,
    STORAGE,
    as_named,
    count,
    counted,
    in_units,
)
from paramproof.formulas.models import named_model, named_models
from tests.strategies import encoder_specs

# By hand: V 5395, P 33, H 512, F 2048, one layer on either side, all three tables shared.
ONE_LAYER = {
    "trainable": 10_118_656,
    "total": 10_118_656 + 2 * 33 * 512,
    "tied-each": 10_118_656 + 2 * 5395 * 512,
    "listed": 10_118_656 + 2 * 33 * 512 + 2 * 5395 * 512,
}

# By hand, for the keras-bert question: V 30000, P 512, T 2, H 768, F 3072, L 12, both heads.
WITH_HEADS = {
    "without-embeddings": 109_705_010 - 30_514 * 768,
    "without-positions": 109_705_010 - 512 * 768,
    # 12 layers with 4·768 and 3,072 + 768; pooler 768; dense 768, decoder 30,000; classifier 2.
    "without-biases": 109_705_010 - 12 * (4 * 768 + 3_072 + 768) - 768 - 768 - 30_000 - 2,
    # The embeddings, two norms in each of 12 layers, and the masked-language head.
    "without-norms": 109_705_010 - (1 + 24 + 1) * 2 * 768,
    "weights-only": 30_514 * 768 + 12 * (4 * 768**2 + 2 * 768 * 3_072) + 2 * 768**2 + 2 * 768,
    "without-pooler": 109_705_010 - 768 * 769,
    "without-heads": 109_705_010 - (768 * 769 + 1_536 + 30_000) - (2 * 768 + 2),
    "layers-only": 85_054_464,
    "embeddings-only": 30_514 * 768,
    "norms-only": 26 * 2 * 768,
    "biases-only": 12 * (4 * 768 + 3_072 + 768) + 768 + 768 + 30_000 + 2,
}


NAMED = {
    **{name: ("transformer-one-layer", (), number) for name, number in ONE_LAYER.items()},
    **{name: ("keras-bert-question", ("trainable",), n) for name, n in WITH_HEADS.items()},
}


@pytest.mark.parametrize("name", CONVENTIONS)
def test_by_hand(name):
    model, storage, number = NAMED[name]
    assert count(inventory(named_model(model).spec.letters()), *storage, name) == number
    assert CONVENTIONS[name].__doc__.endswith(".")


def test_an_untied_head_is_a_head():
    """LLaMA's output matrix is not an embedding: only ``without-heads`` leaves it out."""
    named = inventory(named_model("llama-7b").spec.letters())
    total, table = 6_738_415_616, 32_000 * 4_096
    assert count(named, "trainable", "without-heads") == total - table
    assert count(named, "trainable", "without-embeddings") == total - table
    assert count(named, "trainable", "without-heads", "without-embeddings") == total - 2 * table


@pytest.mark.parametrize("model", named_models())
def test_parts_add_up(model):
    named = inventory(named_model(model).spec.letters())
    total = named.total()
    assert count(named, "trainable") == total
    whole = [(f"{what}-only", f"without-{what}") for what in ("embeddings", "norms", "biases")]
    for parts in (*whole, ("weights-only", "biases-only", "norms-only")):
        assert sum(count(named, "trainable", part) for part in parts) == total, parts


PART_NAMES = st.lists(st.sampled_from(sorted(PARTS)), max_size=3, unique=True)


@given(encoder_specs(), st.sampled_from(sorted(STORAGE)), PART_NAMES)
def test_neither_order_nor_expanding_matters(spec, storage, parts):
    named = inventory(spec.letters())
    number = count(named, storage, *parts)
    assert count(named, *reversed(parts), storage) == number
    assert count(named.expand(), storage, *parts) == number


@pytest.mark.parametrize("kind", [family.letters for family in FAMILIES.values()])
def test_symbols(kind):
    letters = kind(*sympy.symbols(" ".join(kind._fields)))
    named = inventory(letters)
    assert counted(named, "trainable", "without-norms").letters == letters
    parts = ("norms-only", "without-norms")
    total = sum(count(named, "trainable", part) for part in parts)
    assert sympy.expand(total - closed_form(letters)) == 0
    assert sympy.expand(count(named, "trainable") - closed_form(letters)) == 0


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("without-bias",), "no convention is named 'without-bias': did you mean without-bi"),
        (("without-biases",), "exactly one of trainable, total, tied-each, listed"),
        (("trainable", "total"), "exactly one of trainable, total, tied-each, listed"),
        ((), "exactly one of"),
    ],
)
def test_incomplete_or_contradictory_conventions_are_refused(names, message):
    with pytest.raises(ValueError, match=message):
        count(inventory(named_model("gpt2").spec.letters()), *names)


@pytest.mark.parametrize(
    ("number", "millions", "mebi", "two", "three"),
    [
        (109_482_240, "109.48", "104.41", "110M", "109M"),
        (335_141_888, "335.14", "319.62", "340M", "335M"),
        (6_738_415_616, "6,738.42", "6,426.25", "6.7B", "6.74B"),
        (13_015_864_320, "13,015.86", "12,412.90", "13B", "13.0B"),
        (174_604_259_328, "174,604.26", "166,515.60", "170B", "175B"),
        (1_500_000_000_000, "1,500,000.00", "1,430,511.47", "1.5T", "1.50T"),
        (28_311_552, "28.31", "27.00", "28M", "28.3M"),
        (999_600_000, "999.60", "953.29", "1.0B", "1.00B"),
        (105_000_000, "105.00", "100.14", "110M", "105M"),
        (5_000, "0.01", "0.00", "5.0K", "5.00K"),
        (768, "0.00", "0.00", "770", "768"),
        (7, "0.00", "0.00", "7", "7"),
    ],
)
def test_numbers_are_rounded_as_in_papers(number, millions, mebi, two, three):
    assert (in_units(number), in_units(number, MEBI)) == (millions, mebi)
    assert (as_named(number), as_named(number, 3)) == (two, three)

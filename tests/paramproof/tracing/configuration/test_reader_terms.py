"""A trace is written in the operations of the reader, or not at all."""

import pytest

from paramproof.tracing.configuration.reader_terms import OPAQUE, lowered
from paramproof.tracing.configuration.terms import Unknown, either, term

CONFIG = term("config")
ROPE = term("rope", CONFIG)
IS_GIVEN = term("has", CONFIG, "size")


@pytest.mark.parametrize(
    "value",
    [
        ROPE,
        term("dict", None, "rope_parameters", ROPE),
        either(IS_GIVEN, term("truth", ROPE)),
        term("text", "v", term("get", ROPE, "factor")),
    ],
    ids=repr,
)
def test_a_value_with_an_opaque_part_is_opaque(value):
    assert lowered(value) is OPAQUE


@pytest.mark.parametrize("value", [(1, 2), object, term("entry", "a", 1), term("list", (1,))])
def test_what_the_reader_does_not_have_is_unknown(value):
    with pytest.raises(Unknown, match=r"a value of|the operation"):
        lowered(value)


def test_a_number_without_end_is_made_of_a_text():
    assert lowered(term("as tuple", term("list", float("inf"), 2))) is term(
        "list", term("float", "inf"), term("number", 2)
    )

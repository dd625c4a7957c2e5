"""Names that users type: case does not matter; a wrong one gets an error with suggestions."""

import time

import pytest

from paramproof.formulas.errors import MAX_NAMES_LISTED, UnknownName, canonical_name, no_such

MODELS = ("bert-base", "bert-large", "gpt2", "gpt2-medium", "gpt2-xl", "T5")


@pytest.mark.parametrize(
    ("name", "suggestions"),
    [
        ("brt-base", ("bert-base",)),
        ("GPT2-XL", ("gpt2-xl", "gpt2")),
        ("t5", ("T5",)),
        ("gpt2-m", ("gpt2-medium", "gpt2")),
        ("large", ("bert-large",)),
        ("bert-large-whole-words", ("bert-large",)),
        ("resnet", ()),
        ("btep", ()),
        ("", ()),
    ],
)
def test_the_most_similar_names_are_suggested(name, suggestions):
    error = no_such("model", name, MODELS)
    assert isinstance(error, UnknownName)
    assert (error.name, error.kind, error.suggestions) == (name, "model", suggestions)
    for one in (name, *suggestions):
        assert one in str(error)


def test_suggestions_and_all_names_in_one_line():
    names = ("bert-base", "bert-large", "gpt2-xl")
    assert str(no_such("model", "gpt2-xxl", names)) == (
        "no model is named 'gpt2-xxl': did you mean gpt2-xl? "
        "There are: bert-base, bert-large, gpt2-xl"
    )
    assert "did you mean bert-base or bert-large? There are: " in str(
        no_such("model", "bert", names)
    )
    three = no_such("model", "gpt2", MODELS, "paramproof models")
    assert "did you mean gpt2, gpt2-xl or gpt2-medium?" in str(three)
    assert str(no_such("model", "resnet", names)).startswith(
        "no model is named 'resnet'; there are: bert-base, "
    )


def test_at_most_three_are_suggested():
    names = [f"model-{number}" for number in range(100)]
    assert len(no_such("model", "model", names).suggestions) == 3


def test_names_are_listed_if_no_command_lists_them():
    error = no_such("model", "resnet", MODELS)
    assert error.listed_by == ""
    assert str(error).endswith(", ".join(MODELS))


@pytest.mark.parametrize("name", ["resnet", "gpt2-m"])
def test_a_command_replaces_the_list(name):
    """The reason alone omits it, for a reader without a command line."""
    error = no_such("model", name, [*MODELS, "resolute"], "paramproof models")
    assert error.listed_by == "paramproof models"
    assert error.listed_by in str(error)
    assert error.listed_by not in error.reason
    assert "bert-large" not in str(error)


def test_a_list_of_names_is_bounded():
    names = [f"bert-{number}" for number in range(10_000)]
    line = str(no_such("model", "resnet", names))
    assert line.count(", ") == MAX_NAMES_LISTED - 1
    assert "9,960 more" in line


def test_values_that_are_not_names():
    error = no_such("model", ["\x1b"], MODELS)
    assert error.name == r"['\x1b']"
    assert error.suggestions == ()


def test_names_are_printable():
    error = no_such("model", "\x1b[2Jgpt2", [*MODELS, "\x1b[2Jgpt"])
    assert "\x1b[2Jgpt" in error.suggestions
    assert str(error).isprintable()


def test_a_long_name_is_refused_at_once():
    names = ["x" * 10**5]
    start = time.process_time()
    assert no_such("model", "x" * 10**5 + "y", names).suggestions == ()
    assert time.process_time() - start < 1


def test_the_longest_name_that_is_looked_up():
    """Names of 60 characters are looked up, those of 61 are not."""
    assert no_such("model", "x" * 60, ["x" * 59]).suggestions
    assert not no_such("model", "x" * 61, ["x" * 60]).suggestions


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("gpt2", "gpt2"),
        ("GPT2-XL", "gpt2-xl"),
        ("t5", "T5"),
        ("gpt3", None),
        ("", None),
        ("Bloom", "Bloom"),
        ("BLOOM", None),
    ],
)
def test_case_does_not_matter_if_one_name_matches(name, meant):
    assert canonical_name(name, [*MODELS, "bloom", "Bloom"]) == meant


def test_a_repeated_name_is_listed_once():
    assert canonical_name("GPT2", iter(["gpt2", "gpt2"])) == "gpt2"


def test_a_name_of_many_equal_letters_is_compared_at_once():
    start = time.process_time()
    no_such("model", "x" * 40 + "y", ["x" * 59])
    assert time.process_time() - start < 1

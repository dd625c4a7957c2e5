"""A name that nobody has: one line, with what was meant first."""

import time

import pytest

from paramproof.formulas.lookup import no_such

MODELS = ("bert-base", "bert-large", "gpt2", "gpt2-medium", "gpt2-xl", "T5")


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("brt-base", ": did you mean bert-base or bert-large? There"),
        ("GPT2-XL", ": did you mean gpt2-xl or gpt2? There"),
        ("t5", ": did you mean T5? There"),
        ("gpt2-m", ": did you mean gpt2, gpt2-xl or gpt2-medium? There"),
        ("resnet", "; there"),
        ("", "; there"),
        (None, "; there"),
    ],
)
def test_no_such(name, suggestion):
    error = no_such("model", name, MODELS)
    assert str(error) == f"no model is named {name!r}{suggestion} are: {', '.join(MODELS)}"


def test_a_name_is_legible():
    message = str(no_such("model", "\x1b[2Jgpt2", MODELS))
    assert "named '\\x1b[2Jgpt2': did you mean gpt2?" in message


def test_a_long_name_takes_no_time():
    names = ["x" * 10**5]
    start = time.process_time()
    message = str(no_such("model", "x" * 10**5 + "y", names))
    assert time.process_time() - start < 1
    assert "; there are: xxx" in message


def test_as_long_as_a_value_that_is_shown():
    """60 characters are looked for, 61 are not."""
    assert "did you mean" in str(no_such("model", "x" * 60, ["x" * 59]))
    assert "did you mean" not in str(no_such("model", "x" * 61, ["x" * 60]))

"""Errors have fields, print as one line, and keep their fields across processes."""

import pickle

import pytest

from paramproof.formulas.errors import InvalidInput, NotInCatalogue, UnknownName
from paramproof.formulas.installation import install_command

ERRORS = [
    InvalidInput("is not JSON", where="config.json", key="hidden_size"),
    UnknownName(
        "no model is named 'x'",
        "x",
        "model",
        suggestions=("y",),
        listed_by="paramproof models",
        where="standard input",
        key="model_type",
    ),
    NotInCatalogue(
        "no formula for x",
        model_type="x",
        key="layer_types",
        install=install_command("transformers"),
        where="config.json",
    ),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_pickled_error_keeps_its_fields(error):
    found = pickle.loads(pickle.dumps(error))

    assert type(found) is type(error)
    assert vars(found) == vars(error)
    assert str(found) == str(error)


def test_the_place_comes_before_the_reason():
    assert str(InvalidInput("is not JSON", where="config.json")) == "config.json: is not JSON"
    assert str(InvalidInput("is not JSON")) == "is not JSON"


def test_the_line_says_what_to_install_if_that_helps():
    helps = NotInCatalogue("no formula for x", install=install_command("transformers"))

    assert install_command("transformers") in str(helps)
    assert str(NotInCatalogue("no formula for x")) == "no formula for x"


@pytest.mark.parametrize("foreign", ["\x1b[2J", "a\nb", "x" * 100_000])
def test_the_line_is_printable_and_short(foreign):
    for error in (InvalidInput(foreign, where=foreign), NotInCatalogue(foreign, where=foreign)):
        assert str(error).isprintable()
        assert len(str(error)) < 3000

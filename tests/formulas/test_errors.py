"""Errors have fields, print as one line, and keep their fields across processes."""

import pickle

import pytest

from paramproof.formulas.errors import InvalidInput, NotInCatalogue, Refusal, UnknownName
from paramproof.formulas.installation import install_command


def errors():
    """Return an error of each class, with all that it may be given."""
    return [
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


@pytest.mark.parametrize("number", range(3))
def test_a_pickled_error_keeps_its_fields(number):
    error = errors()[number]
    found = pickle.loads(pickle.dumps(error))

    assert type(found) is type(error)
    assert vars(found) == vars(error)
    assert str(found) == str(error)


def test_an_error_has_what_it_was_given():
    invalid, unknown, missing = errors()
    assert (invalid.reason, invalid.where, invalid.key) == (
        *("is not JSON", "config.json", "hidden_size"),
    )
    assert (unknown.reason, unknown.name, unknown.kind) == ("no model is named 'x'", "x", "model")
    assert (unknown.where, unknown.key) == ("standard input", "model_type")
    assert (unknown.suggestions, unknown.listed_by) == (("y",), "paramproof models")
    assert (missing.reason, missing.model_type, missing.key, missing.where) == (
        *("no formula for x", "x", "layer_types", "config.json"),
    )
    assert missing.refusal is Refusal.OTHER
    assert NotInCatalogue("no", refusal=Refusal.NO_SIZE).refusal is Refusal.NO_SIZE
    for error in (invalid, missing):
        assert error.args == (error.reason,)


def test_an_error_has_no_more_than_it_was_given():
    invalid, unknown = InvalidInput("no"), UnknownName("no", "x", "model")
    missing = NotInCatalogue("no")
    for error in (invalid, unknown, missing):
        assert (error.where, error.key) == ("", "")
    assert (unknown.suggestions, unknown.listed_by) == ((), "")
    assert (missing.model_type, missing.install) == ("", "")


def test_the_line_ends_with_the_command_that_lists_all_names():
    def line(*suggestions):
        return str(
            UnknownName("no: did you mean y?", "x", "model", suggestions=suggestions, listed_by="c")
        )

    assert line("y") == "no: did you mean y? 'c' lists all names"
    assert line() == "no: did you mean y?; 'c' lists all names"


def test_the_place_comes_before_the_reason():
    assert str(InvalidInput("is not JSON", where="config.json")) == "config.json: is not JSON"
    assert str(InvalidInput("is not JSON")) == "is not JSON"
    assert str(NotInCatalogue("rwkv7: no formula", where="rwkv7")) == "rwkv7: no formula"


def test_the_line_says_what_to_install_if_that_helps():
    helps = NotInCatalogue("no formula for x", install=install_command("transformers"))

    assert install_command("transformers") in str(helps)
    assert str(NotInCatalogue("no formula for x")) == "no formula for x"
    assert str(NotInCatalogue("no formula", where="config.json")) == "config.json: no formula"


@pytest.mark.parametrize("foreign", ["\x1b[2J", "a\nb", "x" * 100_000])
def test_the_line_is_printable_and_short(foreign):
    for error in (InvalidInput(foreign, where=foreign), NotInCatalogue(foreign, where=foreign)):
        assert str(error).isprintable()
        assert len(str(error)) < 3000

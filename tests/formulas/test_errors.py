"""Errors have fields, print as one line, survive pickling, and suggest names for unknown ones."""

import pickle

import pytest

from paramproof.formulas.errors import (
    MAX_NAMES_LISTED,
    InvalidInput,
    NotInCatalogue,
    UnknownName,
    canonical_name,
    no_such,
    require_type,
)

FIELDS = {
    InvalidInput: ({}, {"where": "config.json", "key": "hidden_size"}),
    UnknownName: (
        {"name": "x", "kind": "model"},
        {"suggestions": ("y",), "listed_by": "paramproof models", "where": "-", "key": "type"},
    ),
    NotInCatalogue: (
        {},
        {"model_type": "x", "key": "layers", "install": "pip", "where": "-", "is_refused": True},
    ),
}
"""What an error must be given besides its reason, and what it may be given."""


@pytest.mark.parametrize("is_given", [True, False])
@pytest.mark.parametrize("kind", FIELDS)
def test_an_error_has_what_it_was_given_and_nothing_else(kind, is_given):
    own, more = FIELDS[kind]
    error = kind("no", *own.values(), **(more if is_given else {}))
    again = pickle.loads(pickle.dumps(error))
    others = more if is_given else {name: type(value)() for name, value in more.items()}
    assert vars(error) == vars(again) == {"reason": "no", **own, **others}
    assert (type(again), str(again)) == (kind, str(error))
    assert error.args[0] == error.reason


def test_the_line(snapshot):
    tie = {"listed_by": "paramproof models"}
    errors = [
        InvalidInput("is not JSON", where="config.json"),
        InvalidInput("is not JSON"),
        NotInCatalogue("rwkv7: no formula", where="rwkv7"),
        NotInCatalogue("no formula", where="config.json"),
        NotInCatalogue("no formula", install="pip install x"),
        UnknownName("no: did you mean y?", "x", "model", suggestions=("y",), **tie),
        UnknownName("no", "x", "model", **tie),
    ]
    assert list(map(str, errors)) == snapshot


def test_a_value_of_another_type():
    for value, kinds in ((3, int), (True, bool), (True, (bool, int)), ("x", (str, int))):
        require_type(value, kinds, "it")
    wrong = ("x", int, "int"), (True, int, "int"), (2.0, (str, int), "str or int")
    for value, kinds, names in wrong:
        with pytest.raises(InvalidInput, match=f"^it is {value!r}, which .* of the type {names}$"):
            require_type(value, kinds, "it")


@pytest.mark.parametrize("foreign", ["\x1b[2J", "a\nb", "x" * 100_000])
def test_the_line_is_printable_and_short(foreign):
    for error in (InvalidInput(foreign, where=foreign), NotInCatalogue(foreign, where=foreign)):
        assert str(error).isprintable()
        assert len(str(error)) < 3000


MODELS = ("bert-base", "bert-large", "gpt2", "gpt2-medium", "gpt2-xl", "T5")
LONG = "x" * 60


@pytest.mark.parametrize(
    ("name", "known", "suggestions"),
    [
        ("brt-base", MODELS, ("bert-base",)),
        ("GPT2-XL", MODELS, ("gpt2-xl", "gpt2")),
        ("t5", MODELS, ("T5",)),
        ("gpt2-m", MODELS, ("gpt2-medium", "gpt2")),
        ("large", MODELS, ("bert-large",)),
        ("bertlg", MODELS, ("bert-large",)),
        ("bert-large-whole-words", MODELS, ("bert-large",)),
        ("resnet", MODELS, ()),
        ("btep", MODELS, ()),
        ("", MODELS, ()),
        ("model", [f"model-{n}" for n in range(100)], ("model-0", "model-1", "model-2")),
        # A longer name takes too long to compare.
        (LONG, [LONG[1:]], (LONG[1:],)),
        (LONG + "x", [LONG], ()),
    ],
)
def test_the_most_similar_names_are_suggested(name, known, suggestions):
    error = no_such("model", name, known)
    assert (error.name, error.kind, error.suggestions) == (name, "model", suggestions)


def test_the_line_suggests_or_lists_names(snapshot):
    asked = ("gpt2-xxl", "bert", "resnet", ["\x1b"], "\x1b[2Jgpt2")
    lines = [str(no_such("model", name, [*MODELS[:5], "\x1b[2Jgpt"])) for name in asked]
    assert [*lines, str(no_such("model", "gpt2", MODELS[3:]))] == snapshot


@pytest.mark.parametrize("name", ["resnet", "gpt2-m"])
def test_a_command_replaces_the_list(name):
    """The reason alone omits it, for a reader without a command line."""
    error = no_such("model", name, [*MODELS, "resolute"], "paramproof models")
    assert error.listed_by == "paramproof models"
    assert error.listed_by in str(error)
    assert error.listed_by not in error.reason
    assert "bert-large" not in str(error)


def test_a_list_of_names_is_bounded():
    line = str(no_such("model", "resnet", [f"bert-{number}" for number in range(10_000)]))
    assert line.count(", ") == MAX_NAMES_LISTED - 1
    assert "9,960 more" in line


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
    assert canonical_name(name, iter([*MODELS, *MODELS, "bloom", "Bloom"])) == meant

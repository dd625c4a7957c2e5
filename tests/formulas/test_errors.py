"""Errors have fields, print as one line, survive pickling, and suggest names for unknown ones."""

import pickle
import time

import pytest

from paramproof.formulas.errors import (
    MAX_NAMES_LISTED,
    InvalidInput,
    NotInCatalogue,
    Refusal,
    UnknownName,
    canonical_name,
    no_such,
)

INVALID = {"where": "config.json", "key": "hidden_size"}
UNKNOWN = {"suggestions": ("y",), "listed_by": "paramproof models", "where": "-", "key": "type"}
MISSING = {"model_type": "x", "key": "layers", "install": "pip", "where": "config.json"}
ERRORS = [
    (InvalidInput("no", **INVALID), {"reason": "no"} | INVALID),
    (
        UnknownName("no", "x", "model", **UNKNOWN),
        {"reason": "no", "name": "x", "kind": "model"} | UNKNOWN,
    ),
    (
        NotInCatalogue("no", **MISSING, refusal=Refusal.NO_SIZE),
        {"reason": "no", "refusal": Refusal.NO_SIZE} | MISSING,
    ),
    (InvalidInput("no"), {"reason": "no", "where": "", "key": ""}),
    (
        UnknownName("no", "x", "model"),
        {"reason": "no", "name": "x", "kind": "model", "where": "", "key": ""}
        | {"suggestions": (), "listed_by": ""},
    ),
    (
        NotInCatalogue("no"),
        {"reason": "no", "model_type": "", "key": "", "install": "", "where": ""}
        | {"refusal": Refusal.OTHER},
    ),
]


@pytest.mark.parametrize(("error", "fields"), ERRORS)
def test_an_error_has_what_it_was_given(error, fields):
    again = pickle.loads(pickle.dumps(error))
    assert vars(error) == vars(again) == fields
    assert (type(again), str(again)) == (type(error), str(error))
    assert error.args[0] == error.reason


def unknown(*suggestions):
    return UnknownName("no: y?", "x", "model", suggestions=suggestions, listed_by="c")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (InvalidInput("is not JSON", where="config.json"), "config.json: is not JSON"),
        (InvalidInput("is not JSON"), "is not JSON"),
        (NotInCatalogue("rwkv7: no formula", where="rwkv7"), "rwkv7: no formula"),
        (NotInCatalogue("no formula", where="config.json"), "config.json: no formula"),
        (
            NotInCatalogue("no formula", install="pip install x"),
            "no formula; to derive it from code, add --derive (derive=True in Python), which "
            "needs transformers: pip install x",
        ),
        (unknown("y"), "no: y? 'c' lists all names"),
        (unknown(), "no: y?; 'c' lists all names"),
    ],
)
def test_the_line(error, line):
    assert str(error) == line


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


@pytest.mark.parametrize(
    ("name", "names", "said"),
    [
        ("gpt2-xxl", MODELS[:5], "'gpt2-xxl': did you mean gpt2-xl or gpt2? There are: "),
        ("bert", MODELS, "'bert': did you mean bert-base or bert-large? There are: bert-base, "),
        ("gpt2", MODELS[3:], "'gpt2': did you mean gpt2-xl or gpt2-medium? There are: "),
        ("resnet", MODELS, f"'resnet'; there are: {', '.join(MODELS)}"),
        (["\x1b"], MODELS, r"['\x1b']; there are: bert-base, "),
        ("\x1b[2Jgpt2", ["\x1b[2Jgpt"], r"'\x1b[2Jgpt2': did you mean \x1b[2Jgpt? There are: "),
    ],
)
def test_the_line_suggests_or_lists_names(name, names, said):
    assert str(no_such("model", name, names)).startswith(f"no model is named {said}")


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


def test_a_long_name_is_answered_at_once():
    start = time.process_time()
    no_such("model", "x" * 40 + "y", ["x" * 59])
    no_such("model", "x" * 10**5 + "y", ["x" * 10**5])
    assert time.process_time() - start < 1


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

"""Contradicting formulas are reported in letters, before any framework starts."""

import json
from collections import namedtuple
from dataclasses import replace
from types import SimpleNamespace

import pytest
import sympy

from paramproof.cli.main import main
from paramproof.formulas import FAMILIES, families
from paramproof.formulas.errors import FormulaError
from paramproof.formulas.families import registered, spec_fields
from paramproof.verify.agreement import check, require_agreement
from tests.checkpoints import ENCODER, canonical, write
from tests.specs import SPECS


@pytest.fixture
def replace_closed_form(monkeypatch):
    """Return a function that replaces a family's closed form."""

    def put(family, change):
        own = FAMILIES[family]
        other = replace(own, closed_form=lambda letters: change(own.closed_form, letters))
        ours = tuple(other if one is own else one for one in families.OURS)
        monkeypatch.setattr(families, "OURS", ours)
        monkeypatch.setitem(registered(), family, other)

    return put


def short_of_a_bias(own, letters):
    return own(letters) - letters.H * letters.F


def with_a_head_too_many(own, letters):
    """Wrong only in untied models; not every family has a named one."""
    return own(letters) + letters.untied * letters.V


def with_a_typo(own, letters):
    return letters.X


def at_one_size_only(own, letters):
    return own(letters) + int(letters.H == 12)


ManyLetters = namedtuple("ManyLetters", "H a b c d e f g h i j k m n")


def test_a_family_may_have_any_number_of_letters(monkeypatch):
    """Each letter is tried at a different prime."""
    seen = []
    many = SimpleNamespace(
        letters=ManyLetters,
        inventory=lambda _: SimpleNamespace(total=lambda: 7),
        closed_form=lambda letters: seen.append(letters) or 7,
    )
    monkeypatch.setitem(registered(), "many", many)
    require_agreement(["many"])
    (letters,) = seen
    assert letters[:3] == (100003, 100019, 100043)
    assert len(set(letters)) == 14
    assert all(sympy.isprime(size) for size in letters)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (short_of_a_bias, "differ: closed form − inventory = −H·F"),
        (with_a_head_too_many, "closed form − inventory = untied·V"),
        (with_a_typo, "raises AttributeError: "),
    ],
)
def test_a_contradiction_is_reported_in_letters(replace_closed_form, family, change, words):
    replace_closed_form(family, change)
    require_agreement(set(FAMILIES) - {family})
    with pytest.raises(FormulaError, match=rf"^the .* of {family} ") as caught:
        require_agreement(FAMILIES)
    assert words in str(caught.value)


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command in this process; return its status and both its outputs."""

    def run(*arguments):
        monkeypatch.setattr(
            "paramproof.cli.workers.run_in_workers",
            lambda *_, **__: pytest.fail("a worker started"),
        )
        monkeypatch.setattr("sys.argv", ["paramproof", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    "command",
    [
        "verify",
        "verify --prove",
        "count bert-base",
        "count bert-base --symbolic",
        "count bert-base --latex",
        "count bert-base --under without-embeddings",
        "count bert-base --all-conventions",
        "explain 2,362,368 bert-base",
        "checkpoint weights.safetensors --model bert-base",
        "compare no_module:model --model bert-base",
        "compare weights.safetensors --model bert.json",
    ],
)
def test_only_the_contradiction_is_printed(
    replace_closed_form, run, command, tmp_path, monkeypatch
):
    """No framework starts, no model is built, no number is printed."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "weights.safetensors", canonical(ENCODER))
    sizes = {name: size for name, size in spec_fields(ENCODER).items() if type(size) is int}
    keys = {"model_type": "bert", "architectures": ["BertModel"], **sizes}
    (tmp_path / "bert.json").write_text(json.dumps(keys))
    replace_closed_form("encoder", short_of_a_bias)
    status, out, err = run(*command.split())
    assert (status, out) == (1, "")
    assert err == (
        "paramproof: the two derivations of encoder differ: closed form − inventory = −H·F\n"
    )


@pytest.mark.parametrize(
    ("change", "difference"), [(short_of_a_bias, "−H·F = -576"), (at_one_size_only, "+1")]
)
def test_a_check_names_the_spec(replace_closed_form, change, difference):
    spec = replace(SPECS["encoder"], hidden_size=12, num_attention_heads=3, intermediate_size=48)
    replace_closed_form("encoder", change)
    with pytest.raises(FormulaError) as caught:
        check(None, spec)
    assert str(caught.value) == f"closed form − inventory = {difference}, as in {spec!r}"

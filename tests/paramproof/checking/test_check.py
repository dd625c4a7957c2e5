"""Formulas that contradict each other: said in letters, before a framework is asked."""

from dataclasses import replace

import pytest

from paramproof.checking.model import FormulaError, check, require_agreement
from paramproof.cli.main import main
from paramproof.formulas import FAMILIES
from tests.specs import SPECS


@pytest.fixture
def closed(monkeypatch):
    """Put another closed form in the place of a family's own."""

    def put(family, change):
        own = FAMILIES[family]
        other = replace(own, closed_form=lambda letters: change(own.closed_form, letters))
        monkeypatch.setitem(FAMILIES, family, other)

    return put


def short_of_a_bias(own, letters):
    return own(letters) - letters.H * letters.F


def with_a_head_too_many(own, letters):
    """Wrong in untied models only, which not every family has a named one of."""
    return own(letters) + letters.untied * letters.V


def with_a_typo(own, letters):
    return letters.X


def at_one_size_only(own, letters):
    return own(letters) + int(letters.H == 12)


def test_families_agree():
    require_agreement(FAMILIES)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (short_of_a_bias, "differ, and no framework was asked: closed form − inventory = −H·F"),
        (with_a_head_too_many, "closed form − inventory = untied·V"),
        (with_a_typo, "raises AttributeError: "),
    ],
)
def test_a_contradiction_is_said_in_letters(closed, family, change, words):
    closed(family, change)
    require_agreement(set(FAMILIES) - {family})
    with pytest.raises(FormulaError, match=rf"^the .* of {family} ") as caught:
        require_agreement(FAMILIES)
    assert words in str(caught.value)


def test_verify_starts_no_framework_on_a_contradiction(closed, monkeypatch, capsys):
    closed("encoder", short_of_a_bias)
    monkeypatch.setattr(
        "paramproof.cli.verify.run_in_workers", lambda *_, **__: pytest.fail("a worker started")
    )
    monkeypatch.setattr("sys.argv", ["paramproof", "verify"])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (1, "")
    assert err == (
        "paramproof: the two derivations of encoder differ, and no framework was asked: "
        "closed form − inventory = −H·F\n"
    )


@pytest.mark.parametrize(
    ("change", "difference"), [(short_of_a_bias, "−H·F = -576"), (at_one_size_only, "+1")]
)
def test_a_check_names_the_spec(closed, change, difference):
    spec = replace(SPECS["encoder"], hidden_size=12, num_attention_heads=3, intermediate_size=48)
    closed("encoder", change)
    with pytest.raises(FormulaError) as caught:
        check(None, spec)
    assert str(caught.value) == f"closed form − inventory = {difference}, as in {spec!r}"

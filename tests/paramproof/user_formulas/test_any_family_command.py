"""``verify --formula`` for other families than the encoder, as users see it, with MLP-Mixer."""

import re

import pytest

from paramproof.user_formulas.client import FormulaClient
from paramproof.user_formulas.signature import FormulaRefused
from paramproof.user_formulas.verdict import assert_formula
from tests import family_formulas as formulas

SMALLEST = "mixer-toy: the smallest spec that differs"


@pytest.fixture
def verify(paramproof, family_formulas):
    def run(name, *arguments):
        return paramproof("verify", "--formula", f"{family_formulas}:{name}", *arguments)

    return run


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["three_quarters"], "fits encoder, gpt and llama: choose one with --family"),
        (
            ["three_quarters", "--family", "gpt,llama"],
            "fits gpt and llama: choose one with --family",
        ),
        (["gpt2", "--family", "llama"], "fits gpt, and not llama"),
        (["llama", "--model", "gpt2"], "fits llama, and not gpt"),
        (
            ["any_spec", "--model", "gpt2", "--model", "llama-7b"],
            "fits gpt and llama: choose one with",
        ),
        (["llama", "--family", "llama", "--model", "gpt2"], "is of the family gpt, which is not"),
        (
            ["llama", "--model", "llama-7b", "--model", "gpt2"],
            "--model gpt2 is of the family gpt, but tests.family_formulas:llama counts llama",
        ),
    ],
)
def test_a_formula_has_exactly_one_family(refused, outsider, family_formulas, arguments, line):
    name, *others = arguments
    said = refused(
        "verify", "--framework", "toy", "--formula", f"{family_formulas}:{name}", *others
    )
    assert line in said


@pytest.mark.parametrize("arguments", [["gpt2"], ["any_spec", "--family", "gpt"]])
def test_a_framework_without_the_family_says_so(verify, outsider, arguments):
    """It is not broken; but nothing was compared, so not everything is equal."""
    done = verify(*arguments, "--framework", "toy")
    assert (done.returncode, done.stderr) == (1, "")
    assert re.search(r"^ +gpt2-xl +not expressible *$", done.stdout, re.MULTILINE)
    assert "0 of 0 models have the count" in done.stdout
    assert done.stdout.count("not expressible: the toy is an encoder\n") == 1
    assert "broken" not in done.stdout


def test_a_family_of_another_distribution(verify, mixer):
    """Fields and letters by name; the framework without the family gets a line."""
    done = verify("mixer", "--framework", "mixer-toy", "--framework", "toy", "--examples", "7")
    assert (done.returncode, done.stderr) == (0, "")
    assert "7 random mixer specs" in done.stdout
    assert "7 of 7 models have the count of tests.family_formulas:mixer\n" in done.stdout
    assert "not expressible: the toy is an encoder\n" in done.stdout


def test_a_family_of_another_distribution_by_component(verify, mixer):
    done = verify("mixer_in_patches", "--framework", "mixer-toy", "--examples", "9")
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert lines[lines.index(SMALLEST) + 1 :][:5] == [
        "spec = MixerSpec(num_patches=1, patch_size=1, num_channels=1, hidden_size=1, "
        "num_blocks=0, tokens_mlp_dim=1, channels_mlp_dim=1, num_labels=1, classifier=False)",
        "actual 2 − formula 1 = +1   stem",
        "actual − formula = H·R²·C − S·H + H   stem",
        "",
        "tests.family_formulas:mixer_in_patches does not count: blocks, final_norm",
    ]


def test_no_algebra_if_a_plugin_framework_is_wrong(verify, mixer):
    done = verify("mixer", "--framework", "mixer-wrong", "--examples", "5")
    assert done.returncode == 1, done.stderr
    assert "num_blocks=1, " in done.stdout
    assert "no algebra: this framework does not have paramproof's count\n" in done.stdout


def test_the_fixture_takes_a_family(mixer):
    assert_formula(formulas.mixer, framework="mixer-toy", examples=5)
    with pytest.raises(FormulaRefused, match="choose one with --family"):
        assert_formula(formulas.three_quarters, framework="mixer-toy", examples=5)
    with pytest.raises(AssertionError, match="spec = MixerSpec"):
        assert_formula(formulas.any_spec, framework="mixer-toy", family="mixer", examples=5)


def test_a_formula_of_a_derived_model_takes_its_fields_by_name():
    fields = {"H": "hidden_size", "V": "vocab_size", "T": "text_config.hidden_size"}
    reference = "tests.family_formulas:any_table"
    with FormulaClient(reference, (*fields, *fields.values())) as formula:
        assert formula.at_sizes({"H": 3, "V": 5, "T": 7}, fields) == 3 * 5 + 3
        assert str(formula.in_letters(fields)) == "H·(V + 1)"


def test_a_formula_that_cannot_be_printed_has_no_algebra():
    fields = {"H": "hidden_size", "V": "vocab_size"}
    reference = "tests.family_formulas:any_table_of_galaxies"
    with FormulaClient(reference, (*fields, *fields.values())) as formula:
        assert formula.at_sizes({"H": 3, "V": 5}, fields) == 15 * 10**50
        with pytest.raises(FormulaRefused, match=f"^{reference}: .*is not an expression"):
            formula.in_letters(fields)

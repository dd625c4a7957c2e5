"""The README's samples are what the commands print today, its code does what it says."""

import re
from pathlib import Path

import pytest

from docs.writers.blocks import AGAIN, block, samples, trimmed, with_block
from docs.writers.readme import PAGE
from tests.printed import COMPLETION_IN_BASH

TEXT = PAGE.read_text("utf-8")


@pytest.mark.parametrize("command", samples(PAGE))
def test_what_is_printed(paramproof, command):
    printed = trimmed(paramproof(*command.split()[1:]).stdout)
    assert block(command, TEXT).strip() == printed.strip(), AGAIN


def test_there_are_samples():
    assert len(samples(PAGE)) == 5


def test_completion():
    """The line for bash is the one that is tried in a bash, and each shell has its own."""
    assert f"| bash | `{COMPLETION_IN_BASH}` |" in TEXT
    for shell in ("bash", "zsh", "fish"):
        assert re.search(rf"^\| {shell} \| `.*_COMPLETE={shell}_source paramproof", TEXT, re.M)


def test_python():
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names = {}
    *statements, closed, total = code.strip().splitlines()
    exec("\n".join(statements), names)
    for line in (closed, total):
        expression, comment = line.split("  # ")
        assert eval(expression, names) == int(comment)


def test_formula():
    """The formula as printed is the closed form."""
    import sympy

    from paramproof.formulas import EncoderLetters, closed_form

    (lines,) = re.findall(r"^    N = (.*?)\n\n", TEXT, re.DOTALL | re.MULTILINE)
    letters = EncoderLetters(*sympy.symbols(" ".join(EncoderLetters._fields)))
    printed = re.sub(r"(\d)([A-Z])", r"\1*\2", lines.replace("·", "*").replace("²", "**2"))
    printed = printed.replace("HF", "H*F").replace("\n", " ")
    difference = sympy.sympify(printed, letters._asdict()) - closed_form(letters)
    assert sympy.expand(difference) == 0


def test_every_framework_has_a_row():
    from paramproof.builders.registry import frameworks

    table = TEXT.partition("## Frameworks")[2].partition("##")[0]
    named = set(re.findall(r"`([a-z-]+)`", "".join(re.findall(r"^\|(.*?)\|", table, re.M))))
    assert named == set(frameworks())


def test_commands_exist():
    tox = Path(PAGE.parent / "tox.ini").read_text("utf-8")
    assert "[testenv:verify]" in tox
    assert ".venv/bin/tox\n" in TEXT


def test_a_block_is_replaced():
    text = "a\n<!-- x -->\n<!-- end -->\nb\n"
    once = with_block("x", text, "1\n  2\n")
    assert once == "a\n<!-- x -->\n\n    1\n      2\n\n<!-- end -->\nb\n"
    assert block("x", once) == "1\n  2\n"
    assert with_block("x", once, "1\n  2\n") == once
    markdown = with_block("x", once, "| a |\n", margin="")
    assert markdown == "a\n<!-- x -->\n\n| a |\n\n<!-- end -->\nb\n"
    with pytest.raises(KeyError, match="no block 'y'"):
        with_block("y", once, "1\n")


def test_a_formula_of_your_own(paramproof, outsider, user_formulas):
    """The sample is what is printed of any framework that is right: the toy is one."""
    (shown,) = re.findall(r"^    (actual 5 - .*\n    .*)$", TEXT, re.MULTILINE)
    arguments = ("--framework", "toy", "--model", "bert-tiny", "--examples", "5")
    printed = paramproof("verify", "--formula", f"{user_formulas}:without_biases", *arguments)
    assert shown.replace("\n    ", "\n") in printed.stdout, printed.stderr

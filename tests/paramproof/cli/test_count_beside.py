"""``paramproof count`` of several models, side by side."""

import re

import pytest

from paramproof import diff
from paramproof.formulas.models import named_model
from paramproof.formulas.path import leaf
from tests import literals
from tests.printed import rows


def test_side_by_side(paramproof):
    done = paramproof("count", "bert-base", "bert-large", "--depth", "2")
    assert (done.returncode, done.stderr) == (0, "")
    found = rows(done.stdout)
    assert found["component"] == ["bert-base-uncased", "bert-large-uncased", "difference"]
    assert found["H"] == ["768", "1,024", "+256"]
    assert found["V"] == ["30,522", "30,522", "0"]
    assert found["layers"] == ["85,054,464", "302,309,376", "+217,254,912"]
    base, large = literals.TOTALS["bert-base-uncased"], literals.TOTALS["bert-large-uncased"]
    assert found["total"] == [f"{base:,}", f"{large:,}", f"+{large - base:,}"]
    assert "bert-large-uncased: published: 340M (Devlin" in done.stdout


def test_models_are_paired_as_diff_pairs_them(paramproof):
    """LLaMA's spec has canonical names, and Qwen 3 those of transformers; T5 shares none."""
    for other, depth in (("qwen3", "3"), ("t5", "1")):
        beside = rows(paramproof("count", "llama-3-8b", other, "--depth", depth).stdout)
        found = diff("llama-3-8b", other)
        for row in found.rows:
            both = [f"{number or 0:,}" for number in (row.first, row.other)]
            if other == "t5" or row.path.startswith("layers"):
                assert [one.replace("-", "0") for one in beside[leaf(row.path)][:2]] == both
        assert not {"model", "encoder"} & beside.keys()


def test_rows_stand_below_their_component(paramproof):
    """BERT has its norms after a block, and GPT-2 before it."""
    done = paramproof("count", "bert-base", "gpt2", "--depth", "3")
    names = [line.split()[0] for line in done.stdout.splitlines() if line.strip()]
    assert names.index("feed_forward_layer_norm") < names.index("final_layer_norm")


def test_side_by_side_of_families(paramproof):
    """An absent component has 0 parameters, but an absent size is not 0."""
    found = rows(paramproof("count", "llama-7b", "gpt2", "bert-tiny", "--depth", "2").stdout)
    assert found["component"] == ["llama-7b", "gpt2", "− first", "bert-tiny", "− first"]
    assert found["G"] == ["32", "-", "-", "-", "-"]
    assert found["T"] == ["-", "-", "-", "2", "-"]
    assert found["final_norm"] == ["4,096", "-", "−4,096", "-", "−4,096"]
    assert found["pooler"] == ["-", "-", "-", "16,512", "+16,512"]


@pytest.mark.parametrize("models", [("gpt2", "bert-tiny"), ("transformer-big", "llama-7b")])
def test_differences_add_up(paramproof, models):
    """The printed differences of all tensors add up to that of the totals."""
    lines = paramproof("count", *models).stdout.splitlines()
    table = [line for line in lines if re.search(r"[+−\d-] *$", line) and "──" not in line]
    indents = [len(line) - len(line.lstrip()) for line in table]
    leaves = [
        line
        for line, indent, following in zip(table, indents, [*indents[1:], 0], strict=True)
        if following <= indent and re.match(r" {3,}", line)
    ]
    differences = [line.split()[-1].replace(",", "").replace("−", "-") for line in leaves]
    total = rows("\n".join(lines))["total"][-1].replace(",", "").replace("−", "-")
    assert len(leaves) > 20
    assert sum(int(number) for number in differences if number != "-") == int(total)


def test_as_many_models_side_by_side_as_fit(paramproof):
    models = ("bert-base", "bert-large", "gpt2", "gpt2-xl", "gpt3-175b")
    done = paramproof("count", *models, "--depth", "1", COLUMNS="80")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.stdout.count(" component ") > 1
    numbers = re.sub(r"\s", "", done.stdout)
    for model in models:
        assert f"{literals.TOTALS[named_model(model).name]:,}" in numbers
    assert paramproof("count", *models).stdout.count(" component ") == 1

"""``paramproof count``: a model's tree, and its bytes."""

import re

import pytest

from tests import literals
from tests.printed import rows


def test_count(paramproof):
    done = paramproof("count", "bert-base")
    assert done.returncode == 0
    assert done.stderr == ""
    rows = [re.split(r"  +", line.strip()) for line in done.stdout.splitlines()]
    cells = {row[0]: row[1:] for row in reversed(rows)}
    assert cells["attention"] == ["2,362,368", "28,348,416", "25.89 %"]
    assert cells["each of 12"] == ["7,087,872", "85,054,464", "77.69 %"]
    assert cells["total"] == ["109,482,240", "100.00 %"]
    assert cells["weight"] == ["(30522, 768)", "23,440,896", "23,440,896", "21.41 %"]
    assert "published: 110M (Devlin et al. 2018" in done.stdout


@pytest.mark.parametrize("model", literals.TOTALS)
def test_count_adds_up(paramproof, model):
    """The printed totals of all leaves add up to the printed total."""
    lines = paramproof("count", model).stdout.splitlines()
    leaves = [re.split(r"  +", line.strip()) for line in lines if re.search(r"  \(\d", line)]
    totals = [int(row[3].replace(",", "")) for row in leaves]
    assert len(totals) >= 12
    assert sum(totals) == literals.TOTALS[model]


def test_count_prints_what_is_tied(paramproof):
    stdout = paramproof("count", "keras-bert-question").stdout
    assert re.search(r"weight +\(30000, 768\) +tied +0", stdout)
    assert "tied: mlm_head.decoder.weight is embeddings.word_embeddings.weight" in stdout
    assert "published for layers.*.attention: 2,362,368" in stdout


def test_count_prints_what_is_fixed(paramproof):
    stdout = paramproof("count", "transformer-one-layer").stdout
    assert len(re.findall(r"weight +\(33, 512\) +fixed +0 *$", stdout, re.MULTILINE)) == 2
    assert "tied: lm_head.weight is encoder.embeddings.word_embeddings.weight" in stdout
    assert re.search(r"each of 1 +3,152,384 +3,152,384 +31.15 %", stdout)


def test_count_multiplies_each_stack(paramproof):
    stdout = paramproof("count", "transformer-base").stdout
    assert re.findall(r"each of 6 +([\d,]+) +([\d,]+)", stdout) == [
        ("3,150,336", "18,902,016"),
        ("4,199,936", "25,199,616"),
    ]


def test_depth(paramproof):
    """A further level adds rows, and changes none."""
    tables = [paramproof("count", "bert-base", "--depth", str(n)).stdout for n in (1, 2, 3, 9)]
    first, second, third, all_of_it = map(str.splitlines, tables)
    names = [line.split()[0] for line in first if re.search(r" \d.* %", line)]
    assert names == ["embeddings", "layers", "pooler", "total"]
    assert rows(tables[1])["each of 12"] == ["7,087,872", "85,054,464", "77.69 %"]
    assert "attention" not in rows(tables[1])
    assert rows(tables[2])["attention"] == ["2,362,368", "28,348,416", "25.89 %"]
    assert len(first) < len(second) < len(third) < len(all_of_it)
    assert tables[3] == paramproof("count", "bert-base").stdout


def test_count_in_bytes(paramproof):
    done = paramproof("count", "bert-base", "--dtype", "float16")
    assert rows(done.stdout)["pooler"] == ["590,592", "590,592", "0.54 %", "1,181,184"]
    assert rows(done.stdout)["total"][-1] == "218,964,480"
    assert "float16, 2 bytes each: 218,964,480 bytes, 218.96 MB, 208.82 MiB" in done.stdout
    done = paramproof("count", "bert-base", "bert-tiny", "--dtype", "float16", "--depth", "1")
    assert rows(done.stdout)["bytes, float16"] == ["218,964,480", "8,771,840", "−210,192,640"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("bert-tiny", "--depth", "0"), "0 is not in the range x>=1"),
        (("bert-tiny", "--dtype", "float61"), "'float61': did you mean float64, float16 or "),
        (("bert-tiny", "--dtype", "Q4_K_M"), "blocks have several widths"),
        (("bert-tiny", "--depth", "1", "--symbolic"), "options of different kinds cannot be"),
        (("bert-tiny", "--json", "--under", "total"), "options of different kinds cannot be"),
        (("bert-tiny", "--dtype", "int8", "--latex"), "options of different kinds cannot be"),
        (
            ("--json", "gpt2", "bert-tiny"),
            "--json gpt2: gpt2 is a model name, not a file: put --json last",
        ),
    ],
)
def test_count_refuses(refused, arguments, words):
    assert words in refused("count", *arguments)


def test_several_in_letters(paramproof):
    done = paramproof("count", "gpt2", "bert-tiny", "--symbolic")
    assert done.stdout == "".join(
        paramproof("count", model, "--symbolic").stdout for model in ("gpt2", "bert-tiny")
    )

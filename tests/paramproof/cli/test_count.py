"""``paramproof count``: a model's tree, and its bytes."""

import json
import re

import pytest

import paramproof as package
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
    assert cells["weight"] == ["(30522, 768)", "23,440,896", "21.41 %"]
    assert "published: 110M (Devlin et al. 2018" in done.stdout


@pytest.mark.parametrize("model", literals.TOTALS)
def test_count_adds_up(paramproof, model):
    """The printed totals of all leaves add up to the printed total."""
    lines = paramproof("count", model).stdout.splitlines()
    leaves = [re.split(r"  +", line.strip()) for line in lines if re.search(r"  \(\d", line)]
    totals = [int(row[-1 if "0" in row[-1:] else -2].replace(",", "")) for row in leaves]
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
    assert rows(done.stdout)["pooler"] == ["590,592", "0.54 %", "1,181,184"]
    assert rows(done.stdout)["total"][-1] == "218,964,480"
    assert "float16, 2 bytes each: 218,964,480 bytes, 218.96 MB, 208.82 MiB" in done.stdout
    done = paramproof("count", "bert-base", "bert-tiny", "--dtype", "float16", "--depth", "1")
    assert rows(done.stdout)["bytes, float16"] == ["218,964,480", "8,771,840", "−210,192,640"]


@pytest.mark.parametrize(
    ("model", "line", "frozen"),
    [
        (
            "whisper",
            "frozen: 576,000 more are not trainable (model.encoder.embed_positions.",
            576_000,
        ),
        (
            "transformer-one-layer",
            "frozen: 33,792 more are not trainable (encoder.embeddings.",
            33_792,
        ),
        ("gpt2", "", 0),
    ],
)
def test_what_the_total_does_not_count(paramproof, model, line, frozen):
    """Frozen parameters have a line directly under the total, and numbers in JSON and Python."""
    count = package.count(model)
    assert (count.frozen, count.to_dict()["frozen"]) == (frozen, frozen)
    assert count.under("total") == count.total + frozen
    stdout = paramproof("count", model, "--depth", "1").stdout
    assert stdout.partition("100.00 %")[2].split("\n", 2)[2].startswith(line)
    assert ("frozen" in stdout) == bool(frozen)


def test_buffers_are_listed_on_request(paramproof):
    assert "inv_freq" not in paramproof("count", "qwen3-8b").stdout
    listed = paramproof("count", "qwen3-8b", "--depth", "1", "--buffers").stdout.splitlines()[-1]
    named = "model.rotary_emb.inv_freq, model.rotary_emb.original_inv_freq"
    assert listed == f"buffers, not counted: {named}"
    assert package.count("qwen3-8b").to_dict()["buffers"] == named.split(", ")


WITHOUT = ("t5", "--under", "without-embeddings")
T5, TABLE = 60_506_624, 32_128 * 512


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (WITHOUT, [f"t5, trainable, without-embeddings: {T5 - TABLE:,}"]),
        (
            ("t5", "--under", "embeddings-only"),
            [
                f"t5, trainable, embeddings-only: {TABLE:,}",
                "embeddings-only: Only the token, position and type embeddings, without biases of "
                "relative positions.",
            ],
        ),
        (
            (*WITHOUT, "--dtype", "bfloat16"),
            [f"bfloat16, 2 bytes each: {2 * (T5 - TABLE):,} bytes, 88.11 MB, 84.03 MiB"],
        ),
        ((*WITHOUT, "--depth", "1"), ["t5: trainable, without-embeddings"]),
        ((*WITHOUT, "--symbolic"), ["t5: parameters in letters, trainable, without-embeddings"]),
        ((*WITHOUT, "--latex"), [r"\begin{align*}"]),
        (("t5", "--all-conventions", "--dtype", "int8"), ["int8, 1 byte each: 60,506,624 bytes, "]),
    ],
    ids=" ".join,
)
def test_options_combine(paramproof, arguments, lines):
    done = paramproof("count", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    for line in lines:
        assert any(one.startswith(line) for one in done.stdout.splitlines()), line
    if "--depth" in arguments or "--symbolic" in arguments:
        assert f"{T5 - TABLE:,}" in rows(done.stdout)["total"]


@pytest.mark.parametrize("depth", [(), ("--depth", "2")])
def test_conventions_dtype_and_depth_as_json(paramproof, depth):
    done = paramproof("count", *WITHOUT, "--dtype", "bf16", *depth, "--json")
    (data,) = json.loads(done.stdout)["models"]
    assert (data["total"], data["dtype"], data["bytes"]) == (T5, "bfloat16", 2 * T5)
    assert data["under"] == {
        "conventions": ["trainable", "without-embeddings"],
        "count": T5 - TABLE,
        "dtype": "bfloat16",
        "bytes": 2 * (T5 - TABLE),
    }
    first = [one for one in data["components"] if one["depth"] == 1]
    assert sum(one["total"] for one in first) == T5 - TABLE
    assert max(one["depth"] for one in data["components"]) == (2 if depth else 7)
    assert all("shared" not in one["path"] for one in data["tensors"])


def test_conventions_of_one_count_are_one_row(paramproof):
    found = rows(paramproof("count", "qwen3-8b", "--all-conventions").stdout)
    assert found["without-embeddings, without-heads"][0] == "7,568,405,504"
    assert found["layers-only"][0] == "6,946,071,552"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("bert-tiny", "--depth", "0"), "0 is not in the range x>=1"),
        (("bert-tiny", "--dtype", "float61"), "'float61': did you mean float64, float16 or "),
        (("bert-tiny", "--dtype", "Q4_K_M"), "blocks have several widths"),
        (
            ("bert-tiny", "--depth", "1", "--symbolic"),
            "--symbolic cannot be combined with --depth, only with --active, --buffers, --class, ",
        ),
        (
            ("bert-tiny", "--dtype", "int8", "--latex"),
            "--latex cannot be combined with --dtype, only with --class, --derive, --symbolic and ",
        ),
        (("bert-tiny", "--active", "--under", "total"), "--active cannot be combined with --under"),
        (("--jsonl", "-", "--under", "total"), "--jsonl cannot be combined with --under"),
        (("bert-tiny", "--symbolic", "--all-conventions"), "--all-conventions cannot be combined"),
        (("bert-tiny", "--resume"), "--resume needs --jsonl"),
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

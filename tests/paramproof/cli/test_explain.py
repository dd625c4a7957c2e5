"""``paramproof explain`` and ``paramproof count --under``, as a user runs them."""

import json
import re

import pytest

from paramproof.resolver import resolve


def test_an_explanation(paramproof):
    done = paramproof("explain", "335043584", "bert-large")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "335,043,584 is\n\n"
        "  the whole model without layers.*.feed_forward.intermediate.bias in all layers\n"
        "    claimed − formula = −98,304 = −L·F\n"
        "    where L = num_hidden_layers = 24, F = intermediate_size = 4,096\n"
        "    of bert-large-uncased\n"
    )


def test_no_explanation(paramproof):
    done = paramproof("explain", "109,000,001", "bert-base")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == (
        "109,000,001: no explanation found in bert-base-uncased, which has 109,482,240\n"
        "  claimed − formula = −482,239 = −H² + 140·H + 65, where H = hidden_size = 768\n"
    )


def test_an_explanation_in_other_models_only(paramproof, tmp_path):
    file = tmp_path / "out.json"
    done = paramproof("explain", "109482240", "gpt2", "--json", str(file))
    assert done.returncode == 0
    assert "\nBut other models have it:\n\n  the whole model\n" in done.stdout
    assert "    of bert-base-uncased" in done.stdout
    data = json.loads(file.read_text("utf-8"))
    assert (data["found"], data["apart"]["model"]) == ([], "gpt2")
    assert data["elsewhere"][0]["models"][0] == "bert-base-uncased"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["117M"], "117M was published, and withdrawn, for gpt2 (table 2 of Radford"),
        (["685B", "deepseek-v3"], "685B is published for deepseek-v3 (deepseek-ai/DeepSeek-V3,"),
    ],
)
def test_a_published_number_is_an_answer(paramproof, arguments, said):
    done = paramproof("explain", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(said)
    assert "no explanation found" not in done.stdout
    assert "withdrawn" not in paramproof("explain", "117.7M").stdout


@pytest.mark.parametrize("number", ["28339968", "133577846", "438MB", "117M", "131072", "7"])
def test_eighty_columns(paramproof, number):
    lines = paramproof("explain", number).stdout.splitlines()
    assert max(map(len, lines)) <= 80


def test_json(paramproof, tmp_path):
    file = tmp_path / "out.json"
    done = paramproof("explain", "6,442,450,944", "llama-7b", "--json", str(file))
    assert done.returncode == 0, done.stderr
    data = json.loads(file.read_text("utf-8"))
    assert (data["number"], data["exact"]) == ("6,442,450,944", 6_442_450_944)
    assert (data["elsewhere"], data["apart"], data["published"]) == ([], None, [])
    (found,) = data["found"]
    assert (found["models"], found["kind"]) == (["llama-7b"], "estimate")
    assert (found["letters"], found["difference"], found["residual"]) == ("12·L·H²", 0, "")
    assert found["sizes"] == [
        {"letter": "L", "field": "num_hidden_layers", "size": 32},
        {"letter": "H", "field": "hidden_size", "size": 4096},
    ]


def test_json_without_a_file(paramproof):
    """To standard output, as for other commands; the text goes to standard error."""
    done = paramproof("explain", "110M", "bert-base", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["found"][0]["models"] == ["bert-base-uncased"]
    assert "the whole model = 109,482,240" in done.stderr


def test_a_models_name_is_not_taken_for_the_json_file(refused):
    assert "--json bert-base: " in refused("explain", "110M", "--json", "bert-base")


def test_another_class(paramproof, refused, tmp_path):
    """As for count: the class applies to a configuration, and a model's name has none."""
    keys = {"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"]}
    file = tmp_path / "config.json"
    file.write_text(json.dumps(keys), "utf-8")
    total = resolve(keys, "Qwen3Model").inventory().total()
    assert total != resolve(keys).inventory().total()
    done = paramproof("explain", str(total), str(file), "--class", "Qwen3Model")
    assert done.stdout.splitlines()[2] == "  the whole model"
    assert "--class" in refused("explain", "110M", "--class", "Qwen3Model")
    refused("explain", "110M", "bert-base", "--class", "BertModel")


def test_a_users_spec(paramproof, tmp_path):
    sizes = {
        "vocab_size": 50_000,
        "hidden_size": 640,
        "num_hidden_layers": 7,
        "num_attention_heads": 10,
        "intermediate_size": 2_000,
        "max_position_embeddings": 300,
        "type_vocab_size": 1,
    }
    file = tmp_path / "spec.json"
    file.write_text(json.dumps(sizes), "utf-8")
    for spec, name in ((file.name, file.name), (json.dumps(sizes), "the model given")):
        done = paramproof("explain", str(4 * (640**2 + 640)), spec)
        assert done.returncode == 0
        explanation = (
            "  an attention block: layers.*.attention in one layer\n    = 4·H² + 4·H\n"
            f"    where H = hidden_size = 640\n    of {name}\n"
        )
        assert explanation in done.stdout


def test_a_configuration(paramproof, tmp_path):
    """GPT-2's own config.json, of a model without a name here."""
    sizes = {"n_embd": 96, "n_layer": 3, "n_head": 4, "n_positions": 50, "vocab_size": 700}
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"model_type": "gpt2", **sizes}), "utf-8")
    tied_each = 2 * 700 * 96 + 50 * 96 + 3 * (12 * 96**2 + 13 * 96) + 2 * 96
    done = paramproof("explain", str(tied_each), str(file))
    assert (done.returncode, done.stderr) == (0, "")
    assert "the whole model (tied-each)" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("explain", "eleven"),
            "'eleven' is not a number of parameters: ",
        ),
        (("explain", "0"), "'0' is not a number of parameters that a model can have"),
        (("explain", "110M", "resnett"), "is named 'resnett'"),
        (("explain", "110M", '{"hidden_size": 768}'), "needs vocab_size"),
        (("explain", "110M", "bert-base", "--json", "."), "--json .: cannot be written"),
        (("explain",), "Missing argument 'NUMBER'"),
        (
            ("count", "bert-base", "--under", "no-bias"),
            "no convention is named 'no-bias'; the",
        ),
        (
            ("count", "bert-base", "--under", "total", "--under", "listed"),
            "a count takes exactly one of trainable, total, tied-each, listed",
        ),
    ],
)
def test_bad_usage(refused, arguments, words):
    assert words in refused(*arguments)


def test_a_convention_prints_its_description(paramproof):
    done = paramproof("count", "gpt2", "--under", "without-embeddings")
    assert done.returncode == 0
    first, *_ = done.stdout.splitlines()
    assert first == "gpt2, trainable, without-embeddings: 85,056,000"
    assert "trainable: Trainable tensors, tied storage counted once.\n" in done.stdout


def test_every_convention(paramproof):
    from paramproof.formulas.conventions import CONVENTIONS

    done = paramproof("count", "transformer-one-layer", "--all-conventions")
    assert done.returncode == 0
    rows = [re.split(r"  +", line.strip()) for line in done.stdout.splitlines()]
    cells = {row[0]: row[1:] for row in rows[2:] if len(row) > 3}
    assert cells["total"][:3] == ["10,152,448", "10.15", "9.68"]
    assert {"convention", *CONVENTIONS} == {name for names in cells for name in names.split(", ")}

"""``paramproof count`` for programs: JSON output, and a model from standard input."""

import json
import subprocess

import pytest

from paramproof.formulas.conventions import CONVENTIONS
from paramproof.formulas.families import spec_fields, spec_from
from paramproof.formulas.models import named_model
from tests import literals
from tests.printed import rows


def test_json(paramproof, tmp_path):
    asked = ("count", "keras-bert-question", "gpt2", "--json")
    done = paramproof(*asked)
    assert (done.returncode, done.stderr) == (0, "")
    (question, gpt2) = json.loads(done.stdout)["models"]
    assert (gpt2["model"], gpt2["total"]) == ("gpt2", literals.TOTALS["gpt2"])
    assert gpt2["letters"]["H"] == 768
    assert spec_from(gpt2["spec"]) == named_model("gpt2").spec
    assert list(gpt2["conventions"]) == list(CONVENTIONS)
    assert gpt2["conventions"]["without-biases"] == 124_356_864
    assert "dtype" not in gpt2
    components = {node["path"]: node for node in question["components"]}
    assert components["layers.*.attention"] == {
        "path": "layers.*.attention",
        "depth": 3,
        "each": 2_362_368,
        "times": 12,
        "total": 28_348_416,
    }
    tensors = {tensor["path"]: tensor for tensor in question["tensors"]}
    assert tensors["mlm_head.decoder.weight"] == {
        "path": "mlm_head.decoder.weight",
        "shape": [30000, 768],
        "times": 1,
        "trainable": True,
        "tied_to": "embeddings.word_embeddings.weight",
    }
    assert paramproof(*asked, "out.json").stdout == ""
    assert (tmp_path / "out.json").read_text("utf-8") == done.stdout


@pytest.mark.parametrize("model", ["bert-tiny", "transformer-one-layer", "llama-3-8b"])
def test_json_adds_up(paramproof, model):
    (data,) = json.loads(paramproof("count", model, "--json", "-").stdout)["models"]
    tensors = [t for t in data["tensors"] if t["trainable"] and not t["tied_to"]]
    sizes = []
    for tensor in tensors:
        size = tensor["times"]
        for length in tensor["shape"]:
            size *= length
        sizes.append(size)
    assert sum(sizes) == data["total"] == literals.TOTALS[named_model(model).name]
    top = [node["total"] for node in data["components"] if node["depth"] == 1]
    assert sum(top) == data["total"]


@pytest.fixture
def run_with_input(invocation):
    """Return a function that runs the command with the given standard input."""

    def run(given, *arguments):
        asked = invocation(*arguments) | {"text": False}
        return subprocess.run(**asked, input=given, capture_output=True, timeout=300)

    return run


CONFIG = {
    "architectures": ["GPT2LMHeadModel"],
    "model_type": "gpt2",
    "vocab_size": 50257,
    "n_embd": 768,
    "n_layer": 12,
    "n_head": 12,
    "n_positions": 1024,
}


@pytest.mark.parametrize("given", [CONFIG, spec_fields(named_model("gpt2").spec)])
def test_standard_input(run_with_input, given):
    done = run_with_input(json.dumps(given).encode(), "count", "-", "--depth", "1")
    assert (done.returncode, done.stderr) == (0, b"")
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "standard input: trainable parameters, tied tensors counted once"
    assert rows(done.stdout.decode())["total"] == ["124,439,808", "100.00 %"]


def test_standard_input_beside_a_name(run_with_input):
    done = run_with_input(json.dumps(CONFIG).encode(), "count", "gpt2", "-")
    assert rows(done.stdout.decode())["total"] == ["124,439,808", "124,439,808", "0"]


@pytest.mark.parametrize(
    ("given", "arguments", "words"),
    [
        (b"", ("-",), "standard input: is empty"),
        (b"{", ("-",), "standard input: is not JSON: Expecting property name"),
        (b"[]", ("-",), "standard input: is not a JSON object: []"),
        (b"\xff{}", ("-",), "standard input: is not text in UTF-8"),
        (b'{"a": 1}', ("-",), "standard input: model_type is missing"),
        (b" " * (1 << 26), ("-",), "standard input: is longer than "),
        (b"{}", ("-", "-"), "- is standard input"),
    ],
)
def test_standard_input_that_is_not_a_model(run_with_input, given, arguments, words):
    done = run_with_input(given, "count", *arguments)
    (line,) = done.stderr.decode().splitlines()
    assert (done.returncode, done.stdout) == (2, b"")
    assert line.startswith(f"paramproof: {words}")

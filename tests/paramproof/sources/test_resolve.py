"""One resolver for every command: a name, a file, or JSON."""

import json
import re
from dataclasses import asdict

import pytest

from paramproof.formulas import FAMILIES
from paramproof.formulas.families import spec_fields
from paramproof.formulas.models import named_model, named_models
from paramproof.sources.resolve import resolve_model, resolve_spec
from tests.configs import BAIDU, BERT, GPT2, LLAMA

ONE_OF_EACH = ["bert-tiny", "transformer-big", "gpt2-xl", "llama-2-70b"]


def test_there_is_one_of_each_family():
    assert {type(named_model(name).spec) for name in ONE_OF_EACH} == {
        family.spec for family in FAMILIES.values()
    }


def test_a_name():
    given = resolve_model("bert-base")
    assert (given.name, given.spec) == ("bert-base-uncased", named_model("bert-base").spec)
    assert list(given.origin()) == [
        "published: 110M (Devlin et al. 2018, arXiv:1810.04805, section 3)",
        "sizes from: google-research/bert, uncased_L-12_H-768_A-12, bert_config.json",
    ]
    assert all(resolve_model(name).named is named for name, named in named_models().items())


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_the_fields_of_a_spec(name, tmp_path):
    spec = named_model(name).spec
    for fields in (asdict(spec), spec_fields(spec)):
        text = json.dumps(fields)
        assert resolve_spec(text) == spec
        (tmp_path / "spec").write_text(text)
        assert resolve_spec(str(tmp_path / "spec")) == spec


def test_only_the_sizes_that_are_due():
    sizes = {key: size for key, size in asdict(named_model("gpt2").spec).items() if size > 1}
    assert resolve_spec(json.dumps(sizes)) == named_model("gpt2").spec


def test_a_configuration(tmp_path):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(GPT2))
    given = resolve_model(str(file))
    assert (given.name, given.spec) == (str(file), named_model("gpt2").spec)
    assert list(given.origin()) == [f"sizes from: {file}, read as GPT2LMHeadModel"]
    file.write_text(json.dumps(BAIDU))
    (line,) = resolve_model(str(file)).origin()
    assert line == f"sizes from: {file}, read as BertModel, which the file does not say"
    assert resolve_spec(json.dumps(LLAMA)) == named_model("llama-3-8b").spec


def test_another_class_than_the_file_says(tmp_path):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(BERT))
    assert resolve_model(str(file), "BertForPreTraining").spec.nsp_head
    with pytest.raises(ValueError, match="bert-tiny is no configuration: it has no class to rep"):
        resolve_model("bert-tiny", "BertModel")


def test_a_name_hides_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpt2").write_text(json.dumps(BERT))
    assert resolve_spec("gpt2") == named_model("gpt2").spec
    assert resolve_spec("./gpt2").mlm_head


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("resnet", "no model is named 'resnet'; there are: bert-base-uncased, "),
        ("bert.json", "bert.json does not exist"),
        ("./bert", "bert does not exist"),
        (".", ". is a directory: name the file in it"),
        ("{", "the spec is no JSON: "),
        ('{"hidden": 3}', "the spec got an unexpected keyword argument 'hidden'; its fields are "),
        ('{"vocab_size": 3}', "the spec missing 6 required keyword-only arguments"),
        ('{"family": "moe"}', "no family is named 'moe'; there are: encoder, "),
        ('{"model_type": "moe"}', "model_type='moe' is not counted"),
        ('{"n_embd": 5}', "vocab_size is missing, as a configuration of Hugging Face's GPT-2"),
        ('{"n_embd": 5, "dim": 5}', "'dim' is no known key of Hugging Face's GPT-2"),
        ("list.json", "list.json is no JSON object: [1]"),
        ("wrong.json", "wrong.json: hidden_size='12' is not possible: it must be an int"),
    ],
)
def test_what_is_refused(text, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.json").write_text("[1]")
    wrong = asdict(named_model("bert-tiny").spec) | {"hidden_size": "12"}
    (tmp_path / "wrong.json").write_text(json.dumps(wrong))
    with pytest.raises(ValueError, match=r".") as caught:
        resolve_model(text)
    assert str(caught.value).startswith(line)


@pytest.fixture
def file(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(BERT | {"architectures": ["BertModel"]}))
    return "config.json"


def test_count(paramproof, file):
    done = paramproof("count", file)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "config.json: trainable parameters, tied tensors counted once"
    assert lines[-1] == "sizes from: config.json, read as BertModel"
    tree = paramproof("count", "bert-base").stdout.splitlines()
    assert lines[1:-1] == tree[1:-2]


def test_verify(paramproof, outsider, file):
    done = paramproof("verify", "--framework", "toy", "--model", file, "--examples", "0")
    assert done.returncode == 0, done.stderr
    assert "1 of 1 models equal the formula" in done.stdout
    assert re.search(r"config.json +109,482,240 +109,482,240 +0 ", done.stdout)


def test_compare(paramproof, file, tmp_path):
    (tmp_path / "mine.py").write_text("def empty():\n    return {'w': __import__('numpy').ones(3)}")
    done = paramproof("compare", "mine:empty", "--model", file)
    assert done.returncode == 1
    assert "actual 3 − formula 109,482,240" in done.stdout


def test_explain(paramproof, file):
    done = paramproof("explain", "109482240", file)
    assert done.returncode == 0, done.stderr
    assert "the whole model" in done.stdout
    assert "of config.json" in done.stdout


def test_each_command_refuses_in_one_line(refused, file):
    commands = (("count",), ("explain", "5"), ("verify", "--model"), ("compare", "m:m", "--model"))
    for arguments in commands:
        assert refused(*arguments, "absent.json") == "paramproof: absent.json does not exist"
        assert refused(*arguments, ".") == "paramproof: . is a directory: name the file in it"

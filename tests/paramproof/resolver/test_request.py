"""All commands read the user's argument alike: name, file, JSON, type, class or function."""

import io
import json
import re
from dataclasses import asdict

import pytest

from paramproof.catalogue import model_types
from paramproof.formulas import FAMILIES, EncoderSpec
from paramproof.formulas.errors import InvalidInput, UnknownName
from paramproof.formulas.families import spec_fields
from paramproof.formulas.models import model_names, named_configurations, named_model, named_models
from paramproof.resolver import read_request, request_for_name, resolve
from tests.configs import BERT, GPT2, LLAMA
from tests.work import calls_of

ONE_OF_EACH = ["bert-tiny", "transformer-big", "gpt2-xl", "llama-2-70b"]


def test_there_is_one_of_each_family():
    assert {type(named_model(name).spec) for name in ONE_OF_EACH} == {
        family.spec for family in FAMILIES.values()
    }


def test_a_name():
    found = read_request("bert-base")
    assert (found.name, found.architecture.spec) == (
        "bert-base-uncased",
        named_model("bert-base").spec,
    )
    assert found.named.published == "110M"
    assert all(read_request(name).named is named for name, named in named_models().items())
    for name, named in named_configurations().items():
        assert read_request(name).named is named
        assert read_request(name).keys == named.keys


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_the_fields_of_a_spec(name, tmp_path):
    spec = named_model(name).spec
    for fields in (asdict(spec), spec_fields(spec)):
        text = json.dumps(fields)
        (tmp_path / "spec").write_text(text)
        for source in (fields, text, f" {text}", tmp_path / "spec", str(tmp_path / "spec")):
            assert read_request(source).architecture.spec == spec


def test_only_the_required_sizes():
    sizes = {key: size for key, size in asdict(named_model("gpt2").spec).items() if size > 1}
    assert read_request(sizes).architecture.spec == named_model("gpt2").spec


def test_a_configuration(tmp_path):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(GPT2))
    for source in (str(file), file):
        found = read_request(source)
        assert (found.name, found.keys) == (str(file), GPT2)
        assert not found.is_default
    assert read_request(GPT2).keys == read_request(json.dumps(GPT2)).keys == GPT2
    assert [len(read_request(one).name) for one in (GPT2, json.dumps(GPT2))] == [0, 80]


def test_standard_input(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(json.dumps(LLAMA).encode()), "utf-8")
    monkeypatch.setattr("sys.stdin", stream)
    found = read_request("-")
    assert (found.name, found.keys) == ("standard input", LLAMA)


def test_a_name_hides_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpt2").write_text(json.dumps(BERT))
    assert read_request("gpt2").architecture.spec == named_model("gpt2").spec
    found = read_request("./gpt2")
    assert (found.name, found.keys) == ("./gpt2", BERT)
    assert isinstance(resolve("./gpt2").names.spec, EncoderSpec)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("model.gguf", "llama.cpp's format: give the config.json"),
        ("pytorch_model.bin", "pickle.*: give the config.json"),
        ("model.h5", "not read: give the config.json"),
        ("modules.json", "is a file of sentence-transformers"),
        ("tokenizer.json", "is a file of a tokenizer: give the config.json"),
        ("generation_config.json", "generating text"),
        ("adapter_config.json", "adapter.*its base model a/b$"),
    ],
)
def test_a_file_of_another_kind_is_named(tmp_path, name, words):
    """By its own name, even if it is not an object, and alone in a directory for an adapter."""
    adapter = '{"base_model_name_or_path": "a/b"}'
    (tmp_path / name).write_text(adapter if "adapter" in name else "[]")
    for path in [tmp_path / name, *[tmp_path] * ("adapter" in name)]:
        with pytest.raises(InvalidInput, match=words):
            read_request(path)


def test_a_directory(tmp_path):
    with pytest.raises(InvalidInput, match=r"without a config\.json"):
        read_request(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"")
    assert read_request(str(tmp_path)).weights == tmp_path
    (tmp_path / "params.json").write_text(json.dumps(GPT2))
    assert read_request(tmp_path).keys == GPT2
    (tmp_path / "config.json").write_text(json.dumps(BERT))
    found = read_request(str(tmp_path))
    assert (found.name, found.keys) == (str(tmp_path / "config.json"), BERT)


def test_a_file_hides_a_model_type_but_not_for_a_name_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mixtral").write_text(json.dumps(BERT))
    assert read_request("mixtral").keys == BERT
    assert request_for_name("mixtral").keys == {"model_type": "mixtral"}


def test_a_model_type_or_class_has_default_sizes():
    for name, keys in (
        ("bert", {"model_type": "bert"}),
        ("MixtralModel", {"model_type": "mixtral", "architectures": ["MixtralModel"]}),
        ("GPT2Model", {"model_type": "gpt2", "architectures": ["GPT2Model"]}),
        ("MLCDVisionModel", {"model_type": "mlcd_vision_model"}),
    ):
        found = read_request(name)
        assert found.is_default
        assert {**found.keys, **keys} == found.keys


def test_a_model_type_known_only_to_the_installed_transformers(tmp_path, monkeypatch):
    """It may be newer than the catalogue's release, and it is not imported to find out."""
    package = tmp_path / "transformers"
    (package / "models" / "mixture_moe").mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "transformers", raising=False)
    for name in ("mixture-moe", "mixture_moe"):
        assert read_request(name).keys == {"model_type": name}
    with pytest.raises(UnknownName):
        read_request("mixtur_moe")


def test_a_function():
    found = read_request("package.module:make")
    assert (found.name, found.reference) == ("package.module:make", "package.module:make")
    assert read_request("gpt2:medium").reference == "gpt2:medium"
    for text in ("package.module:", ":make", "1.a:make", "a:b:c", "a.:b"):
        with pytest.raises(UnknownName):
            read_request(text)


def test_another_object_is_a_live_model():
    model = object()
    assert read_request(model).live is model


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("brt-base", "bert-base"),
        ("mistral-7b", "mistral-7b-v0.3"),
        ("deepseek_v33", "deepseek_v3"),
    ],
)
def test_an_unknown_name_has_suggestions(name, meant):
    with pytest.raises(UnknownName) as caught:
        read_request(name)
    error = caught.value
    assert (error.name, error.kind, error.listed_by) == (name, "model", "paramproof models")
    assert meant in error.suggestions
    assert len(error.suggestions) <= 3
    assert len({*error.suggestions}) == len(error.suggestions)
    assert {*error.suggestions} <= {*model_names(), *model_types()}


@pytest.mark.parametrize("name", ["", " ", "x" * 10_000, "\x1b[2J", "kein Modell"])
def test_an_unknown_name_without_similar_names(name):
    with pytest.raises(UnknownName) as caught:
        read_request(name)
    assert caught.value.suggestions == ()
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400


def test_a_long_name_is_read_once():
    """It is folded once, and not for each model type with which it is compared."""

    def read(name):
        with pytest.raises(UnknownName):
            read_request(name)

    read("x")  # From now on, the names are in memory.
    assert calls_of(lambda: read("a-1b" * 2000)) < 2 * 8000


@pytest.mark.parametrize(
    "text",
    [
        "01-ai/Yi-6B",
        "https://huggingface.co/a/b/raw/main/config.json",
        "https://example.com/llama-3.1-8b",
        "bert.json",
        "folder/of/bert",
    ],
)
def test_other_text_is_not_downloaded(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput) as caught:
        read_request(text)
    assert not isinstance(caught.value, UnknownName)
    assert caught.value.where == text


@pytest.mark.parametrize("text", ["bert.json", "folder/config.json", "folder/of/config.json"])
def test_a_file_that_is_absent_is_not_taken_for_a_model_on_the_hub(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput) as caught:
        read_request(text)
    assert caught.value.reason == "does not exist"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"hidden": 3}', "model_type"),
        ('{"n_embd": 5}', "model_type"),
        ('{"architectures": ["NobodysModel"]}', "model_type"),
        ('{"architectures": "BertModel"}', "architectures"),
        ("{}", "model_type"),
    ],
)
def test_json_that_is_neither_a_spec_nor_a_configuration(text, key, tmp_path):
    file = tmp_path / "config.json"
    file.write_text(text)
    for source, where in ((text, text), (file, str(file)), (json.loads(text), "")):
        with pytest.raises(InvalidInput) as caught:
            read_request(source)
        assert (caught.value.key, caught.value.where) == (key, where)


@pytest.mark.parametrize("text", ['{"family": "moe"}', '{"vocab_size": 3}', '{"hidden_size": "9"}'])
def test_a_spec_that_is_wrong(text, tmp_path):
    file = tmp_path / "spec.json"
    file.write_text(text)
    with pytest.raises(InvalidInput) as caught:
        read_request(file)
    assert caught.value.where == str(file)


@pytest.fixture
def file(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(BERT | {"architectures": ["BertModel"]}))
    return "config.json"


def test_count(paramproof, file):
    done = paramproof("count", file)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "config.json: trainable parameters, tied tensors counted once"
    total = next(line for line in lines if line.startswith(" total "))
    assert total.split() == ["total", "109,482,240", "100.00", "%"]


def test_verify(paramproof, outsider, file):
    done = paramproof("verify", "--framework", "toy", "--model", file, "--examples", "0")
    assert done.returncode == 0, done.stderr
    assert "1 of 1 models equal the formula" in done.stdout
    assert re.search(r"config.json +109,482,240 +109,482,240 +0 ", done.stdout)


def test_compare(paramproof, file, tmp_path):
    (tmp_path / "mine.py").write_text(
        "def empty():\n    return {'params': {'w': __import__('numpy').ones(3)}}"
    )
    done = paramproof("compare", "mine:empty", "--model", file)
    assert done.returncode == 1
    assert "109,482,240" in done.stdout


def test_explain(paramproof, file):
    done = paramproof("explain", "109482240", file)
    assert done.returncode == 0, done.stderr
    assert "the whole model" in done.stdout
    assert "of config.json" in done.stdout


def test_each_command_refuses_in_one_line(refused, file):
    commands = (("count",), ("explain", "5"), ("verify", "--model"), ("compare", "m:m", "--model"))
    for arguments in commands:
        assert refused(*arguments, "absent.json").startswith("paramproof: absent.json")

"""All commands read the user's argument alike: name, file, JSON, type, class or function."""

import io
import json
from dataclasses import asdict

import pytest

from paramproof.catalogue import model_types
from paramproof.formulas import EncoderSpec
from paramproof.formulas.errors import InvalidInput, UnknownName
from paramproof.formulas.families import spec_fields
from paramproof.formulas.models import model_names, named_configurations, named_model, named_models
from paramproof.resolver import resolve
from paramproof.resolver.lookup import read_request, request_for_name
from tests.checkpoints import write
from tests.configs import BERT, GPT2, LLAMA
from tests.work import calls_of

ONE_OF_EACH = ["bert-tiny", "transformer-big", "gpt2-xl", "llama-2-70b"]


def test_a_name():
    found = read_request("bert-base")
    assert found.name == "bert-base-uncased"
    assert found.architecture.spec == named_model("bert-base").spec
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


def test_a_directory(tmp_path):
    with pytest.raises(InvalidInput, match=r"without a model: name a config\.json"):
        read_request(tmp_path)
    write(tmp_path / "model.safetensors", {"w": (2, 3)})
    assert read_request(str(tmp_path)).architecture.formula == 6
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


@pytest.mark.parametrize(
    ("name", "meant"),
    [("brt-base", "bert-base"), ("mistral-7b", "mistral-7b-v0.3"), ("deepseek_v33", "deepseek_v3")],
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


def test_a_long_name_is_read_once():
    """It is folded once, and not for each model type with which it is compared."""

    def read(name):
        with pytest.raises(UnknownName):
            read_request(name)

    read("x")  # From now on, the names are in memory.
    assert calls_of(lambda: read("a-1b" * 2000)) < 2 * 8000

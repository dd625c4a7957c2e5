"""The formula for a model: the catalogue's, a family's, or a new derivation."""

import json
from contextlib import suppress

import pytest

import paramproof
from paramproof.builders.registry import Framework
from paramproof.catalogue import entry
from paramproof.formulas.errors import InvalidInput, NotInCatalogue
from paramproof.installation import install_command
from paramproof.resolver import derive_formula, lookup, resolve
from paramproof.resolver.spellings import as_transformers
from tests.configs import BERT, public_configurations, without
from tests.derivations import MIXTURE

KEYS = {"model_type": "mixture", "hidden_size": 8}
ODD = {"model_type": "mixtral", "architectures": ["MixtralPreTrainedModel"]}
"""A class that transformers has, and the catalogue does not."""


def outcome(count, keys):
    """Return the number of parameters, or the class of the error and its key."""
    try:
        return count(keys)
    except (InvalidInput, NotInCatalogue) as error:
        return type(error), error.key


def by_entry(keys):
    return entry(as_transformers(keys)[0]).count


def by_resolver(keys):
    return resolve(keys).inventory().total()


def test_public_configurations_have_one_answer():
    """Catalogue and resolver agree for each configuration, and count most of them."""
    configs = public_configurations()
    answers = [outcome(by_resolver, keys) for keys in configs]
    assert answers == [outcome(by_entry, keys) for keys in configs]
    assert sum(isinstance(answer, int) for answer in answers) >= 362


@pytest.fixture
def derivations(monkeypatch):
    """Pretend that the frameworks are installed, and return the list of requested derivations."""
    asked = []

    def derived(what, *, keys, architecture, note, **_):
        note("importing")
        asked.append((what, keys, architecture))
        return MIXTURE

    monkeypatch.setattr("paramproof.derivation.process.derive_in_subprocess", derived)
    monkeypatch.setattr(lookup, "_derived", {})
    monkeypatch.setattr(Framework, "missing", ())
    # The installed release is newer than the catalogue's.
    monkeypatch.setattr(lookup, "is_installed_type", lambda name: name == "mixture")
    return asked


def test_a_model_type_without_an_entry_is_derived(derivations, tmp_path):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(KEYS))
    notes = []
    found = resolve(str(file), "MixtureModel", notes.append, derives=True)
    assert found.names is None
    assert found.architecture == MIXTURE
    assert (found.title, found.seconds is None) == (str(file), False)
    assert derivations == [(str(file), KEYS, "MixtureModel")]
    assert notes == ["importing"]
    assert found.reading.class_name == MIXTURE.name
    assert found.reading.is_class_named
    assert not resolve(KEYS, derives=True).reading.is_class_named


OTHER_BERT = {"model_type": "bert", "architectures": ["BertPreTrainedModel"], "hidden_size": 48}


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (OTHER_BERT | {"vocab_sise": 100}, "did you mean 'vocab_size'"),
        (OTHER_BERT | {"n_layers": 2}, "bert has no n_layers; write num_hidden_layers"),
        (
            {**ODD, "text_config": {"model_type": "bloom", "dim": 8}},
            "mixtral has no text_config, and its dim would be ignored; write hidden_size",
        ),
    ],
)
def test_a_size_under_another_name_is_refused_before_deriving(derivations, keys, said):
    """The derivation would take the default of the size that was meant."""
    with pytest.raises(InvalidInput, match=said):
        resolve(keys, derives=True)
    assert not derivations


def test_what_is_assumed_and_unknown_is_said_of_a_derived_formula(derivations):
    reading = resolve({**OTHER_BERT, "something": 1}, derives=True).reading
    assert len(derivations) == 1
    assert reading.unknown == ("something",)
    assert reading.assumed["vocab_size"] == 30522
    assert "hidden_size" not in reading.assumed


def test_derivations_are_cached(derivations):
    for _ in range(2):
        resolve(json.dumps(KEYS), derives=True)
        resolve(KEYS, "MixtureModel", derives=True)
    assert len(derivations) == 2
    resolve({**KEYS, "hidden_size": 9}, derives=True)
    assert len(derivations) == 3


def test_nothing_is_derived_unless_that_is_asked(derivations):
    """The error says how to ask for it."""
    for count in (resolve, paramproof.count):
        with pytest.raises(NotInCatalogue, match=r"add --derive \(derive=True in Python\)"):
            count(ODD)
    assert not derivations
    assert paramproof.count(ODD, derive=True).total == resolve(ODD, derives=True).loaded
    assert len(derivations) == 1


@pytest.mark.parametrize(
    "keys", [{"model_type": "no"}, {"model_type": "opt", "num_attention_heads": 7}]
)
def test_what_transformers_lacks_or_refuses_is_refused_at_once(derivations, monkeypatch, keys):
    """In the same words, whether transformers is installed or not."""
    said = set()
    for missing in ((), ("transformers",)):
        monkeypatch.setattr(Framework, "missing", missing)
        for derives in (False, True):
            with pytest.raises(NotInCatalogue) as caught:
                resolve(keys, derives=derives)
            said.add(str(caught.value))
    assert not derivations
    assert len(said) == 1


def test_the_catalogue_comes_before_deriving(derivations):
    keys = {"model_type": "mixtral", "architectures": ["MixtralForCausalLM"]}
    assert resolve(keys, derives=True).inventory().total() == 46_702_792_704
    assert not derivations


def test_derivation_ignores_remote_code_and_quantization(derivations):
    beside = {"auto_map": {"AutoModel": "m.M"}, "quantization_config": {"quant_method": "fp8"}}
    reading = resolve(KEYS | beside, derives=True).reading
    assert derivations == [("", KEYS, "")]
    assert reading.quantized == "fp8"
    assert any(line.startswith("auto_map names custom code") for line in reading.remarks())


def test_the_usual_class_is_derived_by_default(derivations):
    derive_formula(without(ODD, "architectures"), note=print)
    assert derivations[0][2] == "MixtralForCausalLM"
    with suppress(InvalidInput):
        derive_formula("gpt2")
    assert len(derivations) == 1


@pytest.mark.parametrize(
    ("keys", "install"),
    [
        (ODD, True),
        ({"model_type": "opt", "num_attention_heads": 7}, False),
        ({"model_type": "mixture"}, False),
        ({"model_type": "kimi_k2"}, False),
        ({"model_type": "kimi_k2", "architectures": ["DeepseekV3ForCausalLM"]}, False),
        (ODD | {"architectures": ["MixtralForNothing"]}, False),
    ],
)
def test_an_error_advises_to_derive_only_if_that_helps(keys, install):
    """Only if the catalogue's release has the model type and the class."""
    with pytest.raises(NotInCatalogue) as caught:
        resolve(keys)
    assert caught.value.install == (install_command("transformers") if install else "")
    assert caught.value.model_type == keys["model_type"]
    assert ("pip install" in str(caught.value)) is install


def test_an_error_names_the_place_in_the_configuration(tmp_path):
    file = tmp_path / "config.json"
    for keys, key in ((KEYS, "model_type"), (BERT | {"hidden_size": "1"}, "hidden_size")):
        file.write_text(json.dumps(keys))
        for source, where in ((str(file), str(file)), (file, str(file)), (keys, "")):
            with pytest.raises((InvalidInput, NotInCatalogue)) as caught:
                resolve(source)
            assert (caught.value.where, caught.value.key) == (where, key)


@pytest.mark.parametrize("source", ["bert-base", "m:make", {"family": "gpt", **{}}])
def test_other_sources_take_no_class(source):
    if isinstance(source, dict):
        source = json.dumps({"vocab_size": 9, "hidden_size": 4, "num_hidden_layers": 1} | source)
    with pytest.raises(InvalidInput):
        resolve(source, "BertModel")

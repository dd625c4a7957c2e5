"""Which formula a model has that users name: a family's first, then a derived one."""

import json
from dataclasses import replace
from typing import NamedTuple

import pytest
from paramproof.sources.resolve import Undescribed

from paramproof import resolver as models
from paramproof.builders.registry import Framework
from paramproof.catalogue import Entry
from paramproof.formulas import EncoderSpec, GPTSpec
from paramproof.resolver import DerivedModel, derivation_for, resolve, resolve_type
from tests.configs import BERT
from tests.derivations import MIXTURE

KEYS = {"model_type": "mixture", "hidden_size": 8}


@pytest.fixture
def deriving(monkeypatch):
    """Derive without a framework; the list is of what was asked for."""
    asked = []

    def derived(what, *, keys, architecture, note):
        note("importing")
        asked.append((what, keys, architecture))
        return MIXTURE

    monkeypatch.setattr(models, "derived", derived)
    monkeypatch.setattr(models, "_derived", {})
    monkeypatch.setattr(Framework, "missing", ())
    return asked


def test_a_family_comes_first(deriving):
    spec = resolve(json.dumps(BERT)).described
    assert isinstance(spec, EncoderSpec)
    assert resolve("bert-base", "").described == replace(spec, pooler=True, mlm_head=False)
    assert not deriving


def test_a_model_type_without_a_family(deriving, tmp_path):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(KEYS))
    notes = []
    found = resolve(str(file), "MixtureModel", notes.append)
    assert isinstance(found, DerivedModel)
    assert found.described is MIXTURE
    assert found.title == str(file)
    assert deriving == [(str(file), KEYS, "MixtureModel")]
    assert notes == ["importing"]
    first, *rest = found.origin()
    assert first.startswith(
        "formula: that of MixtureForSequenceClassification, derived from transformers 5, torch 2 "
        "in 0."
    )
    assert first.endswith(" s: proved")
    assert rest == ["buffers, not counted: model.rotary, model.ids of (9)"]


def test_a_class_that_no_family_describes(deriving):
    found = resolve({**BERT, "architectures": ["BertForTokenClassification"]})
    assert isinstance(found, DerivedModel)
    assert found.title == "the configuration"
    assert isinstance(resolve(BERT, "BertForTokenClassification"), DerivedModel)
    assert isinstance(resolve(BERT, "BertForPreTraining").described, EncoderSpec)


def test_nothing_is_derived_twice(deriving):
    for _ in range(2):
        resolve(json.dumps(KEYS))
        resolve(KEYS, "MixtureModel")
    assert len(deriving) == 2
    resolve({**KEYS, "hidden_size": 9})
    assert len(deriving) == 3


def test_it_says_what_is_not_proved(deriving, monkeypatch):
    from tests.derivations import with_tensors

    fixed = with_tensors(*MIXTURE.tensors, fixed=("A",))
    monkeypatch.setattr(models, "derived", lambda *_, **__: fixed)
    first, second, _ = resolve(KEYS).origin()
    assert first.endswith(" s: fitted and checked")
    assert second == "not proved: A did not vary"


def test_of_many_reasons_it_says_some(deriving, monkeypatch):
    many = replace(MIXTURE, doubts=("a", "b", "c, d", "e", "f", "g"))
    monkeypatch.setattr(models, "derived", lambda *_, **__: many)
    _, second, _ = resolve(KEYS).origin()
    assert second == "not proved: a; b; c, d; e and 2 more"


def test_another_source_can_come_before(deriving, monkeypatch):
    """What is known beforehand, say: nothing is derived, and nothing need be installed."""
    known = DerivedModel("it", MIXTURE, "from a list")
    asked = []

    def by_list(undescribed, architecture, note):
        asked.append((undescribed.keys, architecture))
        return known if undescribed.keys["hidden_size"] == 8 else None

    monkeypatch.setattr(models, "SOURCES", (by_list, *models.SOURCES))
    assert resolve(KEYS, "C") is known
    assert asked == [(KEYS, "C")]
    assert not deriving
    assert resolve({**KEYS, "hidden_size": 9}).described is MIXTURE
    assert len(deriving) == 1


def test_the_catalogue_comes_before(deriving, monkeypatch):
    """It needs nothing installed; what it has not is derived where transformers is."""
    keys = {"model_type": "mixtral", "architectures": ["MixtralForCausalLM"]}
    assert resolve(keys).inventory().total() == 46_702_792_704
    assert resolve(keys, "MixtralModel").derivation.name == "MixtralModel"
    assert not deriving
    notes = []
    odd = {**keys, "hidden_act": "xielu"}
    assert resolve(odd, note=notes.append).described is MIXTURE
    assert notes == ["not in the catalogue: mixtral: hidden_act='xielu' was not tried", "importing"]
    outside = {"model_type": "opt", "num_attention_heads": 7}
    assert resolve(outside).described is MIXTURE
    monkeypatch.setattr(Framework, "missing", ("transformers",))
    line = "^the configuration: mixtral: hidden_act='xielu' was not tried; to derive it: python -m "
    with pytest.raises(ValueError, match=line):
        resolve(odd)
    with pytest.raises(ValueError, match="OPTModel: the formula holds where A divides H"):
        resolve(outside)


def test_proved_where_it_was_proved(monkeypatch):
    """What was asked on the way, and moves nothing, bounds where it is."""
    from paramproof.formulas.parsing import condition_in

    bounded = replace(MIXTURE, harmless=(condition_in("V ≤ 40"),))
    for found, how in ((MIXTURE, "proved"), (bounded, "proved for other sizes, and checked")):
        monkeypatch.setattr(models, "entry", lambda *_, it=found: Entry(it, MIXTURE.sizes))
        assert how in next(resolve({"model_type": "mixtral"}).origin())


def test_a_model_type_of_the_catalogue_by_its_name(deriving, monkeypatch):
    monkeypatch.setattr(models, "find_spec", lambda _: None)
    assert resolve_type("mixtral").derivation.name == "MixtralModel"
    assert not deriving


def test_without_transformers(monkeypatch):
    monkeypatch.setattr(Framework, "missing", ("transformers",))
    line = (
        r"^model_type='mixture' is not counted; there are: .*; where transformers is installed the "
        r'formula is derived: python -m pip install "\.\[transformers\]"$'
    )
    with pytest.raises(ValueError, match=line):
        resolve(KEYS)


def test_a_model_type_by_its_name(deriving, tmp_path, monkeypatch):
    """As transformers has it, with a folder for each; a model's name and a file come first."""
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "site" / "transformers"
    for name in ("mixture_moe", "gpt2"):
        (package / "models" / name).mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('asked, and not imported')")
    monkeypatch.setattr(models, "find_spec", lambda _: Spec([str(package)]))
    assert resolve_type("mixture-moe").described is MIXTURE
    assert deriving == [("mixture-moe", {"model_type": "mixture-moe"}, "")]
    assert isinstance(resolve_type("gpt2").described, GPTSpec)
    with pytest.raises(ValueError, match=r"^no model is named 'mixtur_moe'"):
        resolve_type("mixtur_moe")
    with pytest.raises(ValueError, match=r"^no model is named 'mixture_moe'"):
        resolve("mixture_moe")
    (tmp_path / "mixture_moe").write_text(json.dumps(BERT))
    assert isinstance(resolve_type("mixture_moe").described, EncoderSpec)
    monkeypatch.setattr(models, "find_spec", lambda _: None)
    with pytest.raises(ValueError, match=r"^no model is named 'mixture-moe'"):
        resolve_type("mixture-moe")


class Spec(NamedTuple):
    """Where a package is, as Python says it."""

    submodule_search_locations: list[str]


def test_without_a_model_type(deriving):
    """A class alone is none of transformers' configurations."""
    keys = {key: value for key, value in BERT.items() if key != "model_type"}
    with pytest.raises(Undescribed, match="'BertForTokenClassification' is no class of"):
        resolve(keys, "BertForTokenClassification")
    with pytest.raises(Undescribed, match=r"^no$"):
        derivation_for(Undescribed("no", "", {"model_type": ["mixture"]}))
    assert not deriving


def test_code_beside_the_file_is_not_run():
    with pytest.raises(ValueError, match="auto_map names code beside the file, which is not run"):
        models.derived("config.json", keys={**KEYS, "auto_map": {"AutoModel": "m.M"}})

"""What holds for every entry, beside the single answers in ``cases.jsonl``."""

from dataclasses import replace

import pytest

from paramproof.catalogue import entry, model_types, read_type
from paramproof.catalogue.entries import entry_in
from paramproof.catalogue.files import name_for
from paramproof.catalogue.names import has_type, transformers_types
from paramproof.formulas import EncoderLetters, GPTLetters, LlamaLetters
from paramproof.formulas.errors import InvalidInput
from paramproof.resolver.lookup import resolve
from tests.answers import CASES, read


def test_the_formulas_equal_the_hand_written_ones():
    from paramproof.formulas import closed_form

    bert, gpt2, llama = (entry({"model_type": one}) for one in ("bert", "gpt2", "llama"))
    written = EncoderLetters(**_sizes(bert, EncoderLetters), pooler=1)
    assert bert.count == closed_form(written)
    written = GPTLetters(**_sizes(gpt2, GPTLetters) | {"F": 4 * 768})
    assert gpt2.count == closed_form(written)
    written = LlamaLetters(**_sizes(llama, LlamaLetters), untied=1)
    assert llama.count == closed_form(written)


def _sizes(found, letters):
    return {name: size for name, size in found.sizes.items() if name in letters._fields}


def test_every_type_that_transformers_lacks_is_of_mlx_lm():
    others = [name for name in model_types() if not has_type(name)]
    assert {read_type(name).library for name in others} == {"mlx-lm"}
    assert len(others) == 11
    assert {*transformers_types(), *others} == {*model_types()}
    assert read_type("llama").library == "transformers"


def test_a_formula_of_mlx_lm_names_it():
    mimo = next(one for one in read(CASES) if one["config"].get("model_type") == "mimo")
    derivation = entry(mimo["config"]).derivation
    assert derivation.status == "fitted"
    assert {*derivation.evidence.versions} == {"mlx", "mlx-lm"}


def test_each_part_may_have_another_type():
    def found(**kinds):
        parts = {f"{part}_config": {"model_type": kind} for part, kind in kinds.items()}
        return name_for("llava", {"model_type": "llava", "hidden_size": 8, **parts})

    assert found() == found(text="llama", vision="clip_vision_model") == "llava"
    assert found(text="mistral") == found(text="mistral", vision="clip") == "llava+mistral"
    assert found(vision="pixtral", text="mistral") == "llava+mistral+pixtral"
    # The order is that of the parts, and not of their types.
    assert found(text="pixtral", vision="mistral") == "llava+mistral"


def test_an_entry_is_counted_by_its_name():
    keys = {"model_type": "paligemma", "text_config": {"model_type": "gemma2"}}
    model = resolve("paligemma+gemma2")
    assert model.loaded == entry(keys).count
    assert next(model.origin()).startswith("sizes: the defaults of paligemma+gemma2, class ")


def test_a_backbone_without_the_stages_that_it_has_by_default_is_refused():
    """The class of a backbone with fewer stages still chooses the last of four."""
    file = read_type("hgnet_v2")
    short = replace(file, stages={"": "3"})
    assert entry_in(file, {"model_type": "hgnet_v2"}).count
    with pytest.raises(InvalidInput, match="out_features"):
        entry_in(short, {"model_type": "hgnet_v2"})
    assert entry_in(short, {"model_type": "hgnet_v2", "out_features": ["stage3"]}).count

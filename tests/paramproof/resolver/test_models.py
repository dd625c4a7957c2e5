"""A resolved model's account of itself: its status, how it was read, and its title."""

import json
from dataclasses import replace

import pytest

from paramproof.algebra.symbols import WRITTEN
from paramproof.catalogue import Entry
from paramproof.formulas import Weight
from paramproof.formulas.derivation import PROVED
from paramproof.formulas.parsing import condition_in
from paramproof.resolver import LiveModel, Model, lookup, resolve
from paramproof.resolver.reading import MAX_KEYS_NAMED, ConfigReading
from tests.configs import BERT, LLAMA, MIXTRAL_8X7B, without
from tests.derivations import MIXTURE

CLASS = "ToyForCausalLM"


def reading(**more):
    return ConfigReading(model_type="toy", class_name=CLASS, **more)


def test_a_complete_file_needs_no_remark():
    assert [*reading().lines(), *reading().remarks()] == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"is_default": True, "is_class_named": False, "assumed": {"H": 8}}, [CLASS]),
        ({"is_class_named": False}, [CLASS]),
        ({"assumed": {"hidden_size": 8, "layers": 2}}, ["hidden_size = 8", "layers = 2"]),
        ({"assumed": {f"size_{n}": n for n in range(50)}}, [f"size_{n} = {n}" for n in range(50)]),
        ({"quantized": "gptq"}, ["gptq"]),
        ({"has_code": True}, ["auto_map", CLASS]),
    ],
)
def test_what_is_said_is_one_line(fields, words):
    one = reading(**fields)
    (line,) = [*one.lines(), *one.remarks()]
    assert all(word in line for word in words)


@pytest.mark.parametrize(
    ("keys", "method"),
    [
        ({"quantization_config": {"quant_method": "fp8"}}, "fp8"),
        ({"compression_config": {"quantization_method": "sparse"}}, "sparse"),
        ({"quantization_config": {"bits": 4}}, "unknown method"),
        ({"quantization_config": {"quant_method": 5}}, "unknown method"),
        ({"quantization_config": None}, ""),
        ({"quantization_config": {}}, ""),
    ],
)
def test_how_weights_are_quantized(keys, method):
    found = resolve(MIXTRAL_8X7B | keys)
    assert found.reading.quantized == method
    assert sum(method in line for line in found.reading.lines()) == bool(method)
    assert found.inventory().total() == resolve(MIXTRAL_8X7B).inventory().total()


@pytest.mark.parametrize(
    ("quantization", "stored"),
    [
        ({"quant_method": "fp8"}, "float8"),
        ({"quant_method": "mxfp4", "bits": 8}, "int4"),
        ({"load_in_8bit": True}, "int8"),
        ({"load_in_4bit": True, "load_in_8bit": False}, "int4"),
        ({"quant_method": "gptq", "bits": 4}, "int4"),
        ({"quant_method": "gptq", "bits": 8}, "int8"),
        ({"quant_method": "gptq", "bits": 3}, ""),
        ({"quant_method": "gptq", "bits": "4"}, ""),
        ({}, ""),
        (None, ""),
    ],
)
def test_the_type_of_quantized_weights(quantization, stored):
    assert resolve(MIXTRAL_8X7B | {"quantization_config": quantization}).reading.stored == stored


@pytest.mark.parametrize(
    ("change", "dtype"),
    [
        ({}, ""),
        ({"torch_dtype": "bfloat16"}, "bfloat16"),
        ({"dtype": "float32", "torch_dtype": "float16"}, "float32"),
        ({"torch_dtype": "torch.float16"}, "float16"),
        ({"torch_dtype": 5}, ""),
    ],
)
def test_the_dtype_of_a_file(change, dtype):
    plain = without(LLAMA, "torch_dtype")
    assert resolve(plain | change).reading.dtype == dtype


def test_the_dtype_of_a_part():
    part = {"model_type": "llava", "text_config": {"model_type": "llama", "dtype": "bfloat16"}}
    assert resolve(part).reading.dtype == "bfloat16"


def test_ignored_keys_are_reported():
    keys = BERT | {"mlm_probability": 0.15, "b\x1b[2J": 1}
    found = resolve(keys).reading
    (line,) = found.remarks()
    assert "mlm_probability" in line
    assert line.isprintable()
    assert not any("mlm_probability" in one for one in found.lines())
    (line,) = reading(unknown=tuple(f"key_{n}" for n in range(99))).remarks()
    assert line.count("key_") == MAX_KEYS_NAMED


def test_all_ignored_keys_that_look_like_sizes_are_named_and_come_first():
    sizes = [f"text_config.num_{n}_layers" for n in range(30)]
    (line,) = reading(unknown=("alpha", *sizes, "beta")).remarks()
    assert line.endswith(f": {', '.join(sizes)} and 2 more")
    (line,) = reading(unknown=("alpha", "dim")).remarks()
    assert line.endswith(": dim, alpha")
    (line,) = reading(unknown=tuple(f"n_{n}" for n in range(9999))).remarks()
    assert len(line) < 1000


@pytest.mark.parametrize(
    ("keys", "left_out"),
    [
        (
            {"model_type": "deepseek_v3", "num_nextn_predict_layers": 1},
            "num_nextn_predict_layers = 1",
        ),
        ({"model_type": "glm4_moe", "num_nextn_predict_layers": 2}, "num_nextn_predict_layers = 2"),
        ({"model_type": "qwen3_moe", "mtp_num_hidden_layers": 1}, "mtp_num_hidden_layers = 1"),
        ({"model_type": "llama", "num_mtp_modules": 3}, "num_mtp_modules = 3"),
        (
            {"model_type": "qwen3_5", "text_config": {"mtp_num_hidden_layers": 1}},
            "text_config.mtp_num_hidden_layers = 1",
        ),
        ({"model_type": "deepseek_v3", "num_nextn_predict_layers": 0}, ""),
        ({"model_type": "llama", "num_nextn_predict_layers": None}, ""),
    ],
)
def test_layers_that_the_class_does_not_build_are_named(keys, left_out):
    lines = [line for line in resolve(keys).beside_total() if "multi-token prediction" in line]
    assert len(lines) == bool(left_out)
    assert all(left_out in line for line in lines)


def test_a_key_with_a_dot_in_its_name():
    """For example ``transformers.js_config``, which is not a part of the configuration."""
    odd = {"a.b": 1, "transformers.js_config": {"a": 1}, ".": 2, "a.": 3}
    assert resolve(LLAMA | odd).reading.unknown == ("a.b", ".", "a.")


def test_a_spec_has_a_written_formula_and_a_configuration_that_of_its_class(tmp_path):
    assert resolve("bert-base").status == WRITTEN
    (tmp_path / "config.json").write_text(json.dumps(BERT))
    found = resolve(str(tmp_path / "config.json"))
    assert found.names
    assert found.status == PROVED
    assert found.reasons == ()
    (line,) = found.origin()
    assert line.startswith("formula: BertForMaskedLM ")
    published, sizes = resolve("bert-base").origin()
    assert published.startswith("published: 110M (Devlin et al. 2018")
    assert sizes == "sizes from: google-research/bert, uncased_L-12_H-768_A-12, bert_config.json"


@pytest.mark.parametrize(
    ("guard", "reasons"), [("V ≤ 40", 1), ("V ≤ 50", 0), ("V ≥ 50", 0), ("V ≥ 51", 1)]
)
def test_a_formula_has_one_status_and_says_where_its_proof_ends(guard, reasons, monkeypatch):
    """A guard without effect on the count bounds the sizes for which the formula is proved."""
    assert MIXTURE.sizes["V"] == 50
    bounded = replace(MIXTURE, irrelevant_guards=(condition_in(guard),))
    monkeypatch.setattr(lookup, "entry", lambda *_: Entry(bounded, MIXTURE.sizes, "mixtral"))
    found = resolve({"model_type": "mixtral"})
    assert found.status == PROVED
    assert len(found.reasons) == reasons
    said = next(line for line in found.origin() if line.startswith("formula: "))
    assert said.endswith(f": {PROVED}")
    assert sum(line.startswith("not proved at these sizes: ") for line in found.origin()) == reasons


def test_the_origin_of_a_derived_formula():
    here = Model(name="it", architecture=MIXTURE, seconds=0.25)
    first, *others = here.origin()
    assert MIXTURE.name in first
    assert "transformers 5, torch 2" in first
    assert first.endswith(f": {PROVED}")
    assert others == []
    before = next(replace(here, seconds=None).origin())
    assert before == first.replace("derived in 0.2 s", "derived before")
    assert "catalogue" not in before


def test_a_shared_weight_of_a_live_model_counts_once():
    """Also where the further names are those of other layers, and become the same path."""
    shared = Weight("layers.0.w", (2, 3), True, aliases=("layers.1.w", "head.w"))
    named = LiveModel(name="mine", weights=(shared,)).inventory()
    assert named.total() == 6
    assert [(one.path, one.tied_to) for one in named] == [
        ("layers.*.w", None),
        ("layers.*.w", "layers.*.w"),
        ("head.w", "layers.*.w"),
    ]

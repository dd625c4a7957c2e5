"""Formulas derived from classes of transformers, against those that people wrote and counted."""

from functools import partial

import pytest

from paramproof.algebra.symbols import size_letters, symbols
from paramproof.formulas import EncoderLetters, GPTLetters, LlamaLetters, closed_form
from paramproof.formulas.expression import letter

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("models of transformers are derived"),
]

derive = pytest.importorskip("paramproof.derivation.model_class")
models = pytest.importorskip("paramproof.tracing.constructors.model_class")


def derived(what, **sizes):
    found = derive.derive_class(what, sizes=sizes)
    assert found.is_proved, found.reasons
    return found


def tensors_named(found, path):
    return [tensor for tensor in found.tensors if tensor.path == path]


def closed(letters, **indicators):
    given = symbols(letters)._asdict()
    sizes = {name: given[name] for name in size_letters(letters)}
    return closed_form(letters(**(sizes | indicators)))


@pytest.mark.parametrize(
    ("what", "written"),
    [
        ("BertForMaskedLM", closed(EncoderLetters, pooler=0, mlm=1)),
        ("gpt2", closed(GPTLetters).substitute({"F": 4 * letter("H")})),
        ("LlamaForCausalLM", closed(LlamaLetters)),
    ],
)
def test_the_formula_is_the_one_that_was_written(what, written):
    assert derived(what).formula == written


def test_layers_that_are_named_by_their_numbers():
    """SAM's layers 2, 5, 8 and 11 attend to the whole image."""
    found = derived("sam_vision_model")
    widths = tensors_named(found, "vision_encoder.layers.*.attn.rel_pos_h")
    assert {str(one.times) for one in widths} == {"L − 4", "4"}
    assert "L ≥ gai_3 + 1" in [str(one.condition) for one in found.conditions]


def test_a_head_that_shares_its_weight_is_counted_once_and_named():
    found = derived("T5ForConditionalGeneration")
    (shared,) = tensors_named(found, "shared.weight")
    assert "lm_head.weight" in shared.aliases
    assert not tensors_named(found, "lm_head.weight")


def test_a_number_of_labels_is_a_letter():
    found = derived("BertForSequenceClassification", num_labels=7)
    (k,) = (name for name, field in found.fields.items() if field == "num_labels")
    assert found.sizes[k] == 7
    (head,) = tensors_named(found, "classifier.weight")
    assert head.shape == (letter(k), letter("H"))


def test_a_field_that_is_absent_can_be_given():
    with pytest.raises(derive.DerivationError, match="'int' and 'NoneType'"):
        derived("nemotron")
    assert "G" in derived("nemotron", num_key_value_heads=8).formula.letters


def test_what_a_model_looks_for_and_is_no_field_can_be_a_size():
    """Qwen3-MoE's heads are as wide as head_dim says, where it is there."""
    wide = derived("qwen3_moe", head_dim=128)
    assert "K" in wide.formula.letters
    assert "K" not in derived("qwen3_moe").formula.letters
    with pytest.raises(ValueError, match="qwen3_moe has no size 'heads_dim'"):
        derived("qwen3_moe", heads_dim=128)


@pytest.mark.documented("transformers")
def test_a_part_has_what_the_whole_gives_it_and_not_what_its_class_has():
    """Aya Vision's tower has no head, that of SigLIP has one."""
    chosen = models.ModelClass.of("aya_vision")
    keys_at = partial(derive.with_sizes, chosen.part())
    model = chosen.constructor({}, keys_at).make({"vision_config.num_attention_heads": 16})
    paths = {name for name, _ in model.named_parameters()}
    assert any(path.startswith("vision_tower.") for path in paths)
    assert not any(path.startswith("vision_tower.head.") for path in paths)


def test_a_kind_of_layer_that_a_models_own_sizes_leave_out_is_in_the_formula():
    """At decoder_sparse_step = 1 no layer of Qwen3-MoE is dense."""
    found = derived("qwen3_moe")
    (gate,) = tensors_named(found, "layers.*.mlp.gate_proj.weight")
    (step,) = (name for name, field in found.fields.items() if field == "decoder_sparse_step")
    assert gate.times == letter("L") - letter("L") // letter(step)
    assert found.sizes[step] == 1


@pytest.mark.documented("transformers")
def test_two_questions_decide_where_there_are_experts():
    """Interval and first layer with experts, in ERNIE 4.5."""
    found = derive.derive_class("ernie4_5_moe", sizes={"moe_layer_interval": 2})
    (gate,) = tensors_named(found, "layers.*.mlp.gate.weight")
    by_field = {field: name for name, field in found.fields.items()}
    end = by_field["moe_layer_end_index"]
    for depth in range(2, 7):
        there = len([i for i in range(1, depth) if (i + 1) % 2 == 0])
        assert gate.times.evaluate(found.sizes | {"L": depth, end: depth - 1}) == there


def test_an_offset_into_a_period_is_below_it():
    found = derived("jamba", num_hidden_layers=8)
    attention = tensors_named(found, "layers.*.self_attn.q_proj.weight")[0].times
    by_field = {field: name for name, field in found.fields.items()}
    period, offset = by_field["attn_layer_period"], by_field["attn_layer_offset"]
    for depth in range(1, 12):
        there = [i for i in range(depth) if i % 5 == 3]
        assert attention.evaluate({"L": depth, period: 5, offset: 3}) == len(there)
    with pytest.raises(ValueError, match="the formula holds where"):
        found.count(found.sizes | {offset: 9})


def test_a_key_may_be_another_name_of_a_field():
    """As transformers takes it, whichever of the two it prefers."""
    keys = {"model_type": "gpt2", "num_hidden_layers": 5, "n_layer": 3, "hidden_size": 96}
    found = derive.derive_class("config.json", keys)
    assert found.is_proved, found.reasons
    assert {"L": 5, "H": 96}.items() <= found.sizes.items()
    assert {"L", "H"} <= found.formula.letters
    assert derived("gpt2", num_hidden_layers=7).sizes["L"] == 7


@pytest.mark.documented("transformers")
def test_a_field_of_which_some_layers_have_their_own_is_a_size():
    """Gemma 4's layers with full attention have wider heads; the class says how many they are."""
    given = {"num_hidden_layers": 6, "vocab_size": 64, "vocab_size_per_layer_input": 64}
    found = derive.derive_class("gemma4_text", {"model_type": "gemma4_text", **given})
    norms = tensors_named(found, "layers.*.self_attn.q_norm.weight")
    assert [(str(one.times), *map(str, one.shape)) for one in norms] == [("5", "K"), ("1", "512")]


def test_a_class_that_is_not_understood_can_be_derived_as_a_function(monkeypatch):
    def not_understood(part, name, naming):
        raise derive.NotSymbolic("a text that sizes decide")

    monkeypatch.setattr(derive, "symbolic", not_understood)
    with pytest.raises(derive.DerivationError, match=r"is not understood: .*; derive a function"):
        derived("bert")


def test_a_class_of_which_some_code_is_not_followed():
    with pytest.raises(derive.DerivationError, match="not understood: some of its code is not"):
        derived("levit")

"""Formulas in letters from programs: each construct on a class written by hand, at other sizes."""

import re
from random import Random

import pytest

from paramproof.catalogue import entry
from paramproof.catalogue.program import Refused
from paramproof.derivation.exact_traces import holding_elsewhere
from paramproof.derivation.letters import symbolic
from paramproof.formulas.condition import Outcome
from paramproof.formulas.notation import expression_in as formula_in
from tests.paramproof.catalogue.test_program import dictionary, folder

KEYS = {"h": 12, "a": 3, "l": 8, "k": 2, "p": 3, "flag": False, "kind": "x", "head": None}
LISTS = {"layers": None, "sizes": [4, 6, 8], "depths": [1, 2, 3]}


def F(name):  # noqa: N802  # short, as terms are deep
    return ["field", ["self"], name]


def key(name):
    return ["key", name]


ITEM = ["item", "i"]
EACH = ["range", 0, F("l"), 1]
THIRD = ["==", ["%", ["+", ITEM, 1], 3], 0]


def letter_of(path):
    return re.sub(r"\W+", "_", path).rstrip("_")


def tensor(shape, role="trainable", *storage):
    return ["tensor", role, ["list", *shape], *(["list", *one] for one in storage)]


def module(*rows):
    return [
        "module",
        *(one for name, what, *when in rows for one in (name, *(when or [True]), what)),
    ]


def layers(element, source=EACH, letter="i", kept=True):
    return module(("", ["comp", letter, source, module((None, element)), kept]))


def loop(when=True, shape=(), source=EACH):
    """Return a model with one tensor in a loop."""
    return module(("x", layers(module(("w", tensor([F("h"), *shape]), when)), source)))


@pytest.fixture
def formula(tmp_path):
    def of(model, given=(), fields=(), draws=3, **more):
        keys = KEYS | LISTS | more.pop("keys", {})
        rules = {"keys": [[None, keys]], "fields": dict(fields), **more}
        catalogue = folder(tmp_path, {"Toy": rules}, {"ToyModel": model})
        catalogue.file("file")["versions"] = {}
        part = catalogue.configuration({"model_type": "toy", **dict(given)})
        found = symbolic(part, "ToyModel", letter_of)
        assert found.count(found.sizes) == part.count("ToyModel")["trainable"]
        assert agreeing(found, catalogue, dict(given), draws) == draws
        return found

    return of


def agreeing(derivation, catalogue, given, draws):
    """Return at how many other sizes, up to ``draws``, the reader counts what the formula says."""
    random, agreed = Random(0), 0
    for _ in range(100):
        own = {path: random.randint(1, 14) for path in derivation.fields.values() if path in KEYS}
        sizes = {
            name: own.get(path, derivation.sizes[name]) for name, path in derivation.fields.items()
        }
        if agreed < draws and derivation.violated(sizes) is None:
            try:
                part = catalogue.configuration({"model_type": "toy", **given, **own})
                counted = part.count("ToyModel")["trainable"]
            except Refused:
                continue
            assert derivation.formula.value(sizes) == counted, sizes
            agreed += 1
    return agreed


def conditions(found):
    return {str(one.condition): one.consequence.outcome for one in found.conditions}


def test_ints_are_letters_and_flags_and_texts_are_not(formula):
    model = module(
        ("w", tensor([F("h"), ["*", 2, F("a")]])),
        ("b", tensor([F("h")]), F("flag")),
        ("c", tensor([F("a")], "frozen"), ["==", F("kind"), "x"]),
        ("d", ["tensor", "temporary buffer", None]),
    )
    found = formula(model)
    assert str(found.formula) == "2·a·h"
    assert {one.path: one.role for one in found.tensors} == {"w": "trainable", "c": "frozen"}
    assert found.unexplained == ("d (buffer)",)
    assert found.sizes == {"h": 12, "a": 3}
    assert formula(model, {"flag": True}).formula == formula_in("2·a·h + h")


HEAD = ["if", ["is", key("head"), None], ["//", key("h"), key("a")], key("head")]
TWICE = ["*", 2, key("h")]
GIVEN_OR_TWICE = ["if", ["has", ["config"], "x"], ["get", ["config"], "x"], TWICE]
PART = ["if", ["has", ["config"], "part"], ["new", "Toy", ["get", ["config"], "part"]], None]
SET_BY_OWNER = ["updated", ["new", "Toy", dictionary(["last", True])], dictionary(["a", key("h")])]
PART_OF_OWNER = ["if", ["has", ["config"], "last"], None, SET_BY_OWNER]


@pytest.mark.parametrize(
    ("fields", "shape", "given", "printed", "draws"),
    [
        # A file may give it, or not; a key of the file wins over what the class computes.
        ({"head": HEAD}, [F("head")], {}, "head", 0),
        ({"x": TWICE}, [F("x")], {}, "2·h", 3),
        ({"x": GIVEN_OR_TWICE}, [F("x")], {}, "2·h", 3),
        ({"x": GIVEN_OR_TWICE}, [F("x")], {"x": 24}, "x", 0),
        # The field of a part; what its owner sets in a part is a size of the owner.
        ({"part": PART}, [["field", F("part"), "h"], F("h")], {"part": {"h": 5}}, "h·part_h", 3),
        ({"part": PART_OF_OWNER}, [["field", F("part"), x] for x in "ak"], {}, "h·part_k", 3),
    ],
)
def test_which_fields_are_letters(formula, fields, shape, given, printed, draws):
    found = formula(module(("w", tensor(shape))), given, fields, draws)
    assert str(found.formula) == printed
    assert found.fields.get("part_h", "part.h") == "part.h"


@pytest.mark.parametrize(
    ("size", "printed"),
    [
        (["int", ["/", F("h"), F("a")]], "⌊h/a⌋"),
        (["ceil", ["/", F("h"), 5]], "⌈h/5⌉"),
        (["int", ["*", F("h"), 0.7]], "int(h × 0.7)"),
        (["%", F("h"), 5], "h − 5·⌊h/5⌋"),
        (["**", F("h"), 2], "h²"),
        (["**", 2, F("k")], "power(2, k)"),
        (["sum", F("sizes")], "sizes_0 + sizes_1 + sizes_2"),
        (["prod", ["list", 2, F("h")]], "2·h"),
        (["get", F("sizes"), ["neg", 1]], "sizes_2"),
        (["len", F("sizes")], "3"),
    ],
)
def test_arithmetic(formula, size, printed):
    found = formula(module(("w", tensor([size]))), draws=0)
    assert found.formula == formula_in(printed)


def test_a_comparison_of_sizes_that_decides_is_a_condition(formula):
    model = module(("w", tensor([F("h")]), ["not", ["==", F("h"), F("a")]]))
    assert conditions(formula(model)) == {"h ≠ a": Outcome.OTHERS}
    assert conditions(formula(model, {"a": 12}, draws=0)) == {"h = a": Outcome.OTHERS}


def test_a_refusal_is_a_condition_and_a_quotient_is_exact_by_it(formula):
    odd = ["not", ["==", ["%", F("h"), F("a")], 0]]
    refused = ["refuse", ["any", ["comp", "i", EACH, odd, True]], "odd", "h a"]
    model = module(("", refused), ("w", tensor([["*", F("a"), ["//", F("h"), F("a")]]])))
    found = formula(model)
    assert conditions(found) == {"a divides h": Outcome.REFUSED}
    assert str(found.formula) == "h"
    model = module(("", ["refuse", ["and", F("flag"), odd], "odd", ""]), ("w", tensor([F("h")])))
    assert not conditions(formula(model))


def test_a_refusal_of_the_configuration_is_one_of_the_formula(formula):
    when = ["or", ["<", key("h"), key("a")], ["==", key("kind"), "y"]]
    refusals = [["refuse", when, "order", "h a"]]
    found = formula(module(("w", tensor([F("h")]))), refusals=refusals)
    assert conditions(found) == {"h ≥ a": Outcome.REFUSED}


@pytest.mark.parametrize(
    ("when", "printed"),
    [
        (True, "l"),
        (["<", ITEM, F("k")], "k"),
        ([">=", ITEM, F("k")], "l − k"),
        (["<=", ITEM, F("k")], "k + 1"),
        (["==", ["%", ["+", ITEM, 5], 3], 1], "⌊l/3⌋"),
        (["==", ITEM, 0], "1"),
        (["not", ["==", ITEM, 0]], "l − 1"),
        (["==", ["%", ITEM, F("p")], 0], "⌊(l − 1)/p⌋ + 1"),
        (["==", ["%", ["+", ITEM, 1], F("p")], 0], "⌊l/p⌋"),
        (["truth", ["%", ["+", ITEM, 1], F("p")]], "l − ⌊l/p⌋"),
        (["in", ITEM, ["list", 1, 3]], "2"),
        (["and", THIRD, ["not", ["==", ITEM, ["-", F("l"), 1]]]], "⌈l/3⌉ − 1"),
        (["in", ITEM, ["range", F("k"), F("l"), F("p")]], "⌊(l − k − 1)/p⌋ + 1"),
    ],
)
def test_what_is_asked_of_the_index_of_a_loop_is_counted(formula, when, printed):
    (found,) = formula(loop(when)).tensors
    assert found.times == formula_in(printed)
    assert found.path == "x.*.w"


def test_tensors_that_are_there_at_other_sizes_only_are_counted(formula):
    third = ["==", ["%", ["+", ITEM, 1], F("p")], 0]
    model = layers(module(("w", tensor([F("h")]), third), ("v", tensor([F("a")]), ["not", third])))
    found = formula(model, {"p": 1})
    times = {one.path: str(one.times) for one in found.tensors}
    assert times == {"*.w": "⌊l/p⌋", "*.v": "l − ⌊l/p⌋"}


def test_kinds_of_layers_are_counted_by_a_letter_for_all_but_one(formula):
    given = {"layers": ["conv", "full", "conv", "conv", "full", "full", "conv", "conv"]}
    model = loop(["==", ["get", F("layers"), ITEM], "full"])
    found = formula(model, given, draws=0)
    assert str(found.tensors[0].times) == "l − layers_conv"
    assert found.sizes["layers_conv"] == 5
    assert found.fields["layers_conv"] == "layers[conv]"
    found = formula(loop(source=F("layers")), given, draws=0)
    assert str(found.tensors[0].times) == "layers_conv + layers_full"


def test_a_default_list_of_kinds_is_counted_by_its_rule(formula):
    kind = ["if", ["==", ["%", ["+", ITEM, 1], key("p")], 0], "full", "conv"]
    rule = ["comp", "i", ["range", 0, key("l"), 1], kind, True]
    fields = {"layers": ["if", ["is", key("layers"), None], rule, key("layers")]}
    model = loop(["==", ["get", F("layers"), ITEM], "full"])
    assert str(formula(model, fields=fields).tensors[0].times) == "⌊l/p⌋"
    full = ["*", ["list", "full"], key("k")]
    conv = ["*", ["list", "conv"], ["-", key("l"), key("k")]]
    fields = {"layers": ["if", ["is", key("layers"), None], ["+", full, conv], key("layers")]}
    assert str(formula(model, fields=fields).tensors[0].times) == "k"
    over_kinds = loop(["==", ITEM, "full"], source=F("layers"))
    assert str(formula(over_kinds, fields=fields).tensors[0].times) == "k"


def test_a_shape_by_an_index_is_a_tensor_for_each_case(formula):
    found = formula(loop(shape=[["if", ["<", ITEM, F("k")], F("a"), F("p")]]))
    numbers = {str(one.shape[1]): one.times for one in found.tensors}
    assert numbers == {"a": formula_in("k"), "p": formula_in("l − k")}


def test_a_list_of_sizes_unrolls_its_loop(formula):
    shape = [["get", F("sizes"), ITEM]]
    found = formula(loop(shape=shape, source=["range", 0, ["len", F("sizes")], 1]))
    assert str(found.formula) == "h·(sizes_0 + sizes_1 + sizes_2)"
    assert not found.conditions
    found = formula(loop(shape=shape, source=["range", 0, F("a"), 1]), draws=1)
    assert conditions(found) == {"a = 3": Outcome.OTHERS}


def test_a_size_that_chooses_from_a_list_is_compared_with_its_places(formula):
    found = formula(module(("w", tensor([["get", F("sizes"), F("k")]]))), draws=0)
    assert str(found.formula) == "sizes_2"
    assert conditions(found) == {"k ≥ 2": Outcome.OTHERS}


def test_depths_of_stages_stay_letters(formula):
    block = module(("w", tensor([["get", F("sizes"), ITEM]])))
    inner = layers(block, ["range", 0, ["get", F("depths"), ITEM], 1], "j")
    found = formula(layers(inner, ["range", 0, 3, 1]), draws=0)
    assert found.formula == formula_in("depths_0·sizes_0 + depths_1·sizes_1 + depths_2·sizes_2")
    assert {one.path for one in found.tensors} == {"*.*.w"}


def test_what_has_no_closed_form_unrolls_its_loop(formula):
    found = formula(loop(["==", ["%", ["*", ITEM, ITEM], 3], 0]))
    assert str(found.formula) == "3·h"
    assert conditions(found) == {"l = 8": Outcome.OTHER_COUNT}


def test_tensors_of_one_storage_are_one_with_other_names(formula):
    model = module(
        ("w", tensor([F("h")], "trainable", [0])), ("v", tensor([F("h")], "trainable", [0]))
    )
    (found,) = formula(model).tensors
    assert (found.path, found.aliases, str(found.times)) == ("w", ("v",), "1")
    for storage, times, aliases in (([0], "1", ("*.w",)), ([0, ["turn", "i"]], "l", ())):
        (found,) = formula(layers(module(("w", tensor([F("h")], "trainable", storage))))).tensors
        assert (str(found.times), found.aliases) == (times, aliases)


def test_the_experts_of_a_token_are_a_letter_though_no_constructor_reads_them(formula):
    model = module(("w", tensor([F("h")])))
    found = formula(model, keys={"num_experts_per_tok": 2})
    assert found.sizes["num_experts_per_tok"] == 2
    assert found.inert == ("num_experts_per_tok",)


def test_the_layers_of_a_model_of_a_part_are_as_many_as_they_are(tmp_path):
    inner = layers(module(("w", tensor([F("h")]))))
    part = ["model", ["self"], "Auto", ["list", 0]]
    whole = module(("a", part), ("b", part))
    rules = {"keys": [[None, KEYS]], "models": {"Auto": "Inner"}}
    catalogue = folder(tmp_path, {"Toy": rules}, {"ToyModel": whole, "Inner": inner})
    catalogue.file("file")["versions"] = {}
    part = catalogue.configuration({"model_type": "toy"})
    (found,) = symbolic(part, "ToyModel", letter_of).tensors
    assert (found.path, found.aliases, str(found.times)) == ("a.*.w", ("b.*.w",), "l")
    assert part.count("ToyModel")["trainable"] == 8 * 12


def test_a_formula_that_is_wrong_at_other_sizes_is_made_with_these(formula):
    inner = layers(module(("w", tensor([F("h")]))), ["range", 0, ["-", F("l"), 2], 1], "j")
    refusals = [["refuse", ["%", F("h"), F("l")], "divides", "h l"]]
    found = formula(layers(inner), {"l": 2, "h": 14}, refusals=refusals)
    assert found.formula == formula_in("h·l² − 2·h·l")
    assert conditions(found) == {"l divides h": Outcome.REFUSED, "l ≥ 2": Outcome.OTHER_COUNT}


def test_sizes_at_which_a_formula_is_wrong_may_not_change(formula):
    found = formula(loop())

    def count_at(sizes):
        return found.formula.value(sizes) + (sizes["l"] != 8)

    held = holding_elsewhere(found, ["h", "l"], count_at, lambda sizes: None)
    assert [str(one.condition) for one in held.conditions] == ["l = 8"]
    assert holding_elsewhere(found, ["h", "l"], found.formula.value, None) is found


def test_what_only_the_first_of_the_layers_before_changes():
    """Falcon's attention sets a default of the configuration that the next layers read."""
    new = {"new_decoder_architecture": True, "num_kv_heads": 8, "num_attention_heads": 64}
    for keys in ({}, new | {"hidden_size": 4096}):
        found = entry({"model_type": "falcon", **keys}).derivation
        assert "L" in found.formula.letters
        assert not any("L" in one.condition.letters for one in found.conditions)


def test_a_field_that_is_another_size_than_the_key_of_its_name():
    """BailingHybrid's linear layers have the ``head_dim`` of the file, which the class replaces."""
    found = entry({"model_type": "bailing_hybrid", "head_dim": 96}).derivation
    assert {"K", "dr"} <= found.formula.letters
    assert found.sizes["K"] == 96


def test_layers_that_lists_of_kinds_and_a_size_divide_alike():
    """The first two layers of BailingHybrid are dense, and two have full attention, too."""
    kinds = ["full_attention", "full_attention", "linear_attention"]
    keys = {"layer_types": kinds, "num_hidden_layers": 3, "first_k_dense_replace": 2}
    found = entry({"model_type": "bailing_hybrid", **keys}).derivation
    times = {one.path.split("layers.*.")[-1]: str(one.times) for one in found.tensors}
    assert times["mlp.gate_proj.weight"] == "D"
    assert times["mlp.experts.down_proj"] == "L − D"


def test_a_loop_of_one_turn_may_have_other_tensors_in_its_second():
    """OneFormer has a level for each doubling of a stride, and each has its stage's channels."""
    found = entry({"model_type": "oneformer"}).derivation
    stride = next(name for name, path in found.fields.items() if path == "strides[1]")
    holds_at = [size for size in range(4, 17) if found.has({**found.sizes, stride: size})]
    assert holds_at == [*range(8, 16)]


def test_of_two_reasons_to_refuse_one_is_enough_to_be_wrong(formula):
    large_and_odd = ["and", ["<", 4, F("h")], ["==", ["%", F("h"), 2], 1]]
    refusals = [["refuse", large_and_odd, "odd", "h"]]
    found = formula(layers(module(("w", tensor([F("h")])))), {"l": 2, "h": 14}, refusals=refusals)
    assert conditions(found) == {"2 does not divide h − 1": Outcome.REFUSED}

"""Formulas in letters from programs: each construct on a class written by hand, and its check."""

import re

import pytest

from paramproof.catalogue.symbolic import NotSymbolic, check, symbolic
from paramproof.formulas.condition import Outcome
from paramproof.formulas.notation import expression_in as formula_in
from tests.paramproof.catalogue.test_program import folder

KEYS = {"h": 12, "a": 3, "l": 8, "k": 2, "p": 3, "flag": False, "kind": "x", "head": None}
LISTS = {"layers": None, "sizes": [4, 6, 8], "depths": [1, 2, 3]}


def F(name):  # noqa: N802  # short, as terms are deep
    return ["field", ["self"], name]


def key(name):
    return ["key", name]


ITEM = ["item", "i"]
EACH = ["range", 0, F("l"), 1]


def letter_of(path):
    return re.sub(r"\W+", "_", path).rstrip("_")


def loop(when=True, shape=(), source=EACH, kept=True):
    """Return the blocks of a model with one tensor in a loop."""
    return [
        [["w", "trainable", ["list", F("h"), *shape], when]],
        [[None, "block", 0]],
        [[None, "loop", 1, True, "i", source, kept]],
        [["x", "block", 2]],
    ]


@pytest.fixture
def formula(tmp_path):
    def of(blocks, given=(), fields=(), draws=3, **more):
        keys = KEYS | LISTS | more.pop("keys", {})
        rules = {"keys": [[True, keys]], "fields": dict(fields)}
        rules |= {name: more.pop(name) for name in ("refusals",) if name in more}
        model = {"block": len(blocks) - 1, "refusals": more.pop("refused", {})}
        catalogue = folder(tmp_path, {"Toy": rules}, {"ToyModel": model}, blocks=blocks)
        index = (tmp_path / "file.json").read_text("utf-8")
        index = index.replace('"nodes"', '"versions": {}, "nodes"', 1)
        (tmp_path / "file.json").write_text(index, "utf-8")
        part = catalogue.configuration({"model_type": "toy", **dict(given)})
        found = symbolic(part, "ToyModel", letter_of)
        assert check(found, part, draws) == draws
        return found

    return of


def conditions(found):
    return {str(one.condition): one.consequence.outcome for one in found.derivation.conditions}


def test_ints_are_letters_and_flags_and_texts_are_not(formula):
    rows = [
        ["w", "trainable", ["list", F("h"), ["*", 2, F("a")]]],
        ["b", "trainable", ["list", F("h")], F("flag")],
        ["c", "frozen", ["list", F("a")], ["==", F("kind"), "x"]],
        ["d", "buffer", None],
    ]
    found = formula([rows])
    assert str(found.derivation.formula) == "2·a·h"
    assert {one.path: one.role for one in found.derivation.tensors} == {
        "w": "trainable",
        "c": "frozen",
    }
    assert found.derivation.unexplained == ("d (buffer)",)
    assert found.constants["flag"] is False
    assert found.constants["kind"] == "x"
    assert found.derivation.sizes == {"h": 12, "a": 3}
    assert formula([rows], {"flag": True}).derivation.formula == formula_in("2·a·h + h")


def test_a_field_that_a_file_may_give_is_a_letter_with_its_default(formula):
    head = ["if", ["is", key("head"), None], ["//", key("h"), key("a")], key("head")]
    rows = [["w", "trainable", ["list", F("head")]]]
    found = formula([rows], fields={"head": head})
    assert str(found.derivation.formula) == "head"
    assert found.derivation.sizes["head"] == 4
    assert {name: str(one) for name, one in found.defaults.items()} == {"head": "⌊h/a⌋"}
    assert not formula([rows], {"head": 5}, {"head": head}).defaults


def test_a_field_that_no_file_may_give_is_its_expression(formula):
    found = formula([[["w", "trainable", ["list", F("x")]]]], fields={"x": ["*", 2, key("h")]})
    assert str(found.derivation.formula) == "2·h"
    assert found.derivation.fields == {"h": "h"}


def test_the_field_of_a_part_has_its_path(formula):
    made = ["new", "Toy", ["get", ["config"], "part"]]
    fields = {"part": ["if", ["has", ["config"], "part"], made, None]}
    rows = [["w", "trainable", ["list", ["field", F("part"), "h"], F("h")]]]
    found = formula([rows], {"part": {"h": 5}}, fields)
    assert str(found.derivation.formula) == "h·part_h"
    assert found.derivation.fields["part_h"] == "part.h"
    assert found.derivation.sizes["part_h"] == 5


def test_what_its_owner_sets_in_a_part_is_a_size_of_the_owner(formula):
    made = ["with fields", ["new", "Toy", ["dict", None, "last", True]], "a", key("h")]
    fields = {"part": ["if", ["has", ["config"], "last"], None, made]}
    rows = [["w", "trainable", ["list", ["field", F("part"), "a"], ["field", F("part"), "k"]]]]
    assert str(formula([rows], fields=fields).derivation.formula) == "h·part_k"


@pytest.mark.parametrize(
    ("size", "printed"),
    [
        (["int", ["/", F("h"), F("a")]], "⌊h/a⌋"),
        (["//", F("h"), 5], "⌊h/5⌋"),
        (["ceil", ["/", F("h"), 5]], "⌈h/5⌉"),
        (["int", ["+", 1, ["/", F("h"), 2]]], "⌊h/2⌋ + 1"),
        (["int", ["*", F("h"), 4.0]], "4·h"),
        (["int", ["*", F("h"), 0.7]], "int(h × 0.7)"),
        (["round", ["/", F("h"), 5]], "round(h ÷ 5)"),
        (["%", F("h"), 5], "h − 5·⌊h/5⌋"),
        (["**", F("h"), 2], "h²"),
        (["**", 2, F("k")], "power(2, k)"),
        (["max", ["list", F("h"), F("a")]], "h"),
        (["sum", F("sizes")], "sizes_0 + sizes_1 + sizes_2"),
        (["prod", ["list", 2, F("h")]], "2·h"),
        (["get", F("sizes"), -1], "sizes_2"),
        (["len", F("sizes")], "3"),
    ],
)
def test_arithmetic(formula, size, printed):
    found = formula([[["w", "trainable", ["list", size]]]], draws=0)
    assert found.derivation.formula == formula_in(printed)


def test_a_comparison_of_sizes_that_decides_is_a_condition(formula):
    rows = [["w", "trainable", ["list", F("h")], ["not", ["==", F("h"), F("a")]]]]
    found = formula([rows])
    assert conditions(found) == {"h ≠ a": Outcome.OTHERS}
    found = formula([rows], {"a": 12}, draws=0)
    assert conditions(found) == {"h = a": Outcome.OTHERS}
    assert not found.derivation.tensors


def test_a_refusal_is_a_condition_and_a_quotient_is_exact_by_it(formula):
    rows = [["w", "trainable", ["list", ["*", F("a"), ["//", F("h"), F("a")]]]]]
    refused = {
        "heads": ["any", ["comp", "i", EACH, ["not", ["==", ["%", F("h"), F("a")], 0]], True]]
    }
    found = formula([rows], refused=refused)
    assert conditions(found) == {"a divides h": Outcome.REFUSED}
    assert str(found.derivation.formula) == "h"


def test_a_refusal_of_the_configuration_is_one_of_the_formula(formula):
    rows = [["w", "trainable", ["list", F("h")]]]
    refusals = {"order": ["or", ["<", key("h"), key("a")], ["==", key("kind"), "y"]]}
    assert conditions(formula([rows], refusals=refusals)) == {"h ≥ a": Outcome.REFUSED}


@pytest.mark.parametrize(
    ("when", "printed"),
    [
        (True, "l"),
        (["<", ITEM, F("k")], "k"),
        ([">=", ITEM, F("k")], "l − k"),
        (["<=", ITEM, F("k")], "k + 1"),
        ([">", F("k"), ITEM], "k"),
        (["<", ITEM, ["-", F("k"), 2]], "k − 2"),
        (["and", ["==", ITEM, 1], ["<", ITEM, F("k")]], "1"),
        (["==", ["%", ["+", ITEM, 5], 3], 1], "⌊l/3⌋"),
        (["and", [">=", ITEM, F("k")], ["<", ITEM, F("p")]], "p − k"),
        (["==", ITEM, 0], "1"),
        (["==", ITEM, ["-", F("l"), 1]], "1"),
        (["not", ["==", ITEM, 0]], "l − 1"),
        (["==", ["%", ITEM, F("p")], 0], "⌊(l − 1)/p⌋ + 1"),
        (["==", ["%", ["+", ITEM, 1], F("p")], 0], "⌊l/p⌋"),
        (["truth", ["%", ["+", ITEM, 1], F("p")]], "l − ⌊l/p⌋"),
        (
            ["or", ["<", ITEM, F("k")], ["==", ["%", ["+", ITEM, 1], F("p")], 0]],
            "k + ⌊l/p⌋ − ⌊k/p⌋",
        ),
        (["in", ITEM, ["list", 1, 3]], "2"),
        (["in", ITEM, ["range", F("k"), F("l"), F("p")]], "⌊(l − k − 1)/p⌋ + 1"),
    ],
)
def test_a_condition_on_the_index_of_a_loop_is_counted(formula, when, printed):
    (tensor,) = formula(loop(when)).derivation.tensors
    assert tensor.times == formula_in(printed)
    assert tensor.path == "x.*.w"


@pytest.mark.parametrize(
    "when",
    [
        ["<", ITEM, ["-", F("k"), 5]],
        ["==", ITEM, 20],
        ["and", ["==", ITEM, 5], ["<", ITEM, F("k")]],
        ["and", ["==", ["%", ITEM, 2], 0], ["==", ["%", ITEM, 2], 1]],
    ],
)
def test_a_condition_that_no_index_meets_leaves_no_tensor(formula, when):
    assert formula(loop(when), draws=0).derivation.tensors == ()


def test_kinds_exclude_each_other(formula):
    given = {"layers": ["a", "b", "c", "a", "b", "c", "a", "b"]}
    kind = ["get", F("layers"), ITEM]
    found = formula(loop(["in", kind, ["list", "b", "c"]]), given, draws=0)
    assert str(found.derivation.tensors[0].times) == "l − layers_a"
    both = ["and", ["==", kind, "a"], ["==", kind, "b"]]
    found = formula(loop(both), given, draws=0)
    assert found.derivation.tensors == found.derivation.conditions == ()


def test_kinds_of_layers_are_counted_by_a_letter_for_all_but_one(formula):
    given = {"layers": ["conv", "full", "conv", "conv", "full", "full", "conv", "conv"]}
    blocks = loop(["==", ["get", F("layers"), ITEM], "full"])
    found = formula(blocks, given, draws=0)
    assert str(found.derivation.tensors[0].times) == "l − layers_conv"
    assert found.derivation.sizes["layers_conv"] == 5
    assert found.derivation.fields["layers_conv"] == "layers[conv]"


def test_a_default_list_of_kinds_is_counted_by_its_rule(formula):
    kind = ["if", ["==", ["%", ["+", ITEM, 1], key("p")], 0], "full", "conv"]
    rule = ["comp", "i", ["range", 0, key("l"), 1], kind, True]
    fields = {"layers": ["if", ["is", key("layers"), None], rule, key("layers")]}
    blocks = loop(["==", ["get", F("layers"), ITEM], "full"])
    assert str(formula(blocks, fields=fields).derivation.tensors[0].times) == "⌊l/p⌋"
    same = {"layers": ["conv", "conv", "full"] * 2 + ["conv"] * 2}
    assert str(formula(blocks, same, fields, draws=0).derivation.tensors[0].times) == "⌊l/p⌋"


def test_lists_put_together_are_counted_by_their_lengths(formula):
    full, conv = (
        ["*", ["list", "full"], key("k")],
        ["*", ["list", "conv"], ["-", key("l"), key("k")]],
    )
    rule = ["concat", ["list", ["list"], ["+", full, conv]]]
    fields = {"layers": ["if", ["is", key("layers"), None], rule, key("layers")]}
    blocks = loop(["==", ["get", F("layers"), ITEM], "conv"])
    found = formula(blocks, fields=fields)
    assert found.derivation.tensors[0].times == formula_in("l − k")


def test_a_shape_by_an_index_is_a_tensor_for_each_case(formula):
    found = formula(loop(shape=[["if", ["<", ITEM, F("k")], F("a"), F("p")]]))
    numbers = {str(one.shape[1]): one.times for one in found.derivation.tensors}
    assert numbers == {"a": formula_in("k"), "p": formula_in("l − k")}


def test_a_list_of_sizes_unrolls_its_loop(formula):
    found = formula(
        loop(shape=[["get", F("sizes"), ITEM]], source=["range", 0, ["len", F("sizes")], 1])
    )
    assert str(found.derivation.formula) == "h·(sizes_0 + sizes_1 + sizes_2)"
    assert not found.derivation.conditions
    source = ["range", 0, F("a"), 1]
    found = formula(loop(shape=[["get", F("sizes"), ITEM]], source=source))
    assert conditions(found) == {"a = 3": Outcome.OTHERS}


def test_depths_of_stages_stay_letters(formula):
    blocks = [
        [["w", "trainable", ["list", ["get", F("sizes"), ITEM]]]],
        [[None, "block", 0]],
        [[None, "loop", 1, True, "j", ["range", 0, ["get", F("depths"), ITEM], 1], True]],
        [[None, "block", 2]],
        [[None, "loop", 3, True, "i", ["range", 0, 3, 1], True]],
    ]
    found = formula(blocks)
    expected = formula_in("depths_0·sizes_0 + depths_1·sizes_1 + depths_2·sizes_2")
    assert found.derivation.formula == expected
    assert {one.path for one in found.derivation.tensors} == {"*.*.w"}


def test_what_has_no_closed_form_unrolls_its_loop(formula):
    found = formula(loop(["==", ["%", ["*", ITEM, ITEM], 3], 0]))
    assert str(found.derivation.formula) == "3·h"
    assert conditions(found) == {"l = 8": Outcome.OTHERS}


def test_an_operation_without_an_expression_fixes_its_sizes(formula):
    rows = [["w", "trainable", ["list", ["&", F("h"), 6]]]]
    found = formula([rows])
    assert str(found.derivation.formula) == "4"
    assert conditions(found) == {"h = 12": Outcome.OTHERS}


def test_tensors_of_one_storage_are_one_with_other_names(formula):
    rows = [
        ["w", "trainable", ["list", F("h")], True, [0]],
        ["v", "trainable", ["list", F("h")], F("flag"), [0]],
    ]
    (tensor,) = formula([rows], {"flag": True}).derivation.tensors
    assert (tensor.path, tensor.aliases, str(tensor.times)) == ("w", ("v",), "1")
    (tensor,) = formula([rows]).derivation.tensors
    assert tensor.aliases == ()


def test_a_storage_that_all_items_share_counts_once(formula):
    blocks = loop()
    blocks[0] = [["w", "trainable", ["list", F("h")], True, [0]]]
    found = formula(blocks)
    (tensor,) = found.derivation.tensors
    assert (str(tensor.times), tensor.aliases) == ("1", ("x.*.w",))
    assert conditions(found) == {"2 ≤ l": Outcome.OTHERS}
    blocks[0] = [["w", "trainable", ["list", F("h")], True, [0, "i"]]]
    (tensor,) = formula(blocks).derivation.tensors
    assert (str(tensor.times), tensor.aliases) == ("l", ())


def test_a_fold_carries_its_states_through_a_loop_that_it_unrolls(formula):
    nexts = ["list", ["*", 2, ["state", "i", 0]]]
    size = ["fold", "i", ["range", 0, F("a"), 1], ["list", F("h")], nexts, 0]
    found = formula([[["w", "trainable", ["list", size]]]])
    assert str(found.derivation.formula) == "8·h"
    assert conditions(found) == {"a = 3": Outcome.OTHERS}


def test_zero_stays_a_letter_that_may_be_zero(formula):
    found = formula(loop(["<", ITEM, F("k")]), {"k": 0}, draws=0)
    assert found.derivation.sizes["k"] == 0
    assert "k" in found.derivation.at_zero
    found.derivation.require(found.derivation.sizes)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (["list", F("head")], "w has a length of None"),
        (["list", ["opaque"]], "w has a length of Ellipsis"),
        (["list", ["frobnicate", F("h")]], "frobnicate"),
        (["list", ["+", F("h"), F("kind")]], "of"),
    ],
)
def test_what_is_not_understood_is_an_error_that_names_it(formula, shape, message):
    with pytest.raises((NotSymbolic, KeyError), match=message):
        formula([[["w", "trainable", shape]]])


def test_a_formula_that_counts_otherwise_than_the_reader_is_refused(formula, monkeypatch):
    from paramproof.catalogue import occurrences

    monkeypatch.setattr(occurrences, "floor", lambda top, bottom: top)
    with pytest.raises(NotSymbolic, match=r"ToyModel has 24 parameters at .*, not"):
        formula(loop(["==", ["%", ["+", ITEM, 1], F("p")], 0]))


def test_tensors_that_differ_in_nothing_but_where_they_are_count_together(formula):
    odd, third = (["==", ["%", ITEM, n], 0] for n in (2, F("p")))
    blocks = loop(["and", odd, third])
    blocks[0].append(["w", "trainable", ["list", F("h")], ["and", odd, ["not", third]]])
    found = formula(blocks)
    assert str(found.derivation.tensors[0].times) == "l − ⌊l/2⌋"
    assert all("l" not in one.condition.letters for one in found.derivation.conditions)


def test_a_condition_that_another_implies_is_not_stated(formula):
    rows = [
        ["w", "trainable", ["list", F("h")], ["and", ["<", F("a"), F("h")], ["<=", F("a"), F("h")]]]
    ]
    assert [*conditions(formula([rows]))] == ["a < h"]


def test_a_loop_over_kinds_has_as_many_items_as_there_are_of_each(formula):
    given = {"layers": ["conv", "full", "conv", "full", "full"]}
    for source in (F("layers"), ["range", 0, ["len", F("layers")], 1]):
        found = formula(loop(source=source), given, draws=0)
        assert str(found.derivation.formula) == "h·(layers_conv + layers_full)"


def test_a_slice_as_long_as_its_list_is_the_list(formula):
    kind = ["if", ["<", ITEM, key("k")], "full", "conv"]
    rule = ["slice", ["comp", "i", ["range", 0, key("l"), 1], kind, True], None, key("l"), None]
    fields = {"layers": ["if", ["is", key("layers"), None], rule, key("layers")]}
    found = formula(loop(["==", ["get", F("layers"), ITEM], "full"]), fields=fields)
    assert str(found.derivation.tensors[0].times) == "k"


def test_a_refusal_of_each_item_is_a_condition_of_each(formula):
    each = [
        "comp",
        "i",
        ["range", 0, 3, 1],
        ["not", ["==", ["%", ["get", F("sizes"), ITEM], 2], 0]],
        True,
    ]
    found = formula(
        [[["w", "trainable", ["list", ["sum", F("sizes")]]]]],
        refused={"odd": ["any", each]},
        draws=0,
    )
    assert [*conditions(found)] == [f"2 divides sizes_{i}" for i in range(3)]


def test_a_refusal_under_a_flag_that_is_false_is_no_condition(formula):
    odd = ["not", ["==", ["%", F("h"), F("a")], 0]]
    rows = [["w", "trainable", ["list", F("h")]]]
    assert not conditions(formula([rows], refused={"odd": ["and", F("flag"), odd]}))
    found = formula([rows], {"flag": True}, refused={"odd": ["and", ["<", 0, F("k")], odd]})
    assert conditions(found) == {"a divides h": Outcome.REFUSED}


def test_a_negative_int_is_no_size(formula):
    rows = [["w", "trainable", ["list", F("h")], ["==", F("k"), -1]]]
    found = formula([rows], {"k": -1})
    assert found.constants["k"] == -1
    assert found.derivation.sizes == {"h": 12}


def test_a_field_whose_expression_differs_here_is_a_letter(formula):
    # A size that is absent is taken as given, and this class asks whether it is.
    fields = {"x": ["if", ["has", ["config"], "h"], ["*", 2, key("h")], 5]}
    found = formula([[["w", "trainable", ["list", F("x")]]]], fields=fields, draws=0)
    assert str(found.derivation.formula) == "x"


def test_a_loop_over_pairs_of_sizes_is_unrolled(formula):
    pairs = ["zip", F("sizes"), ["slice", F("sizes"), 1, None, None]]
    blocks = [
        [["w", "trainable", ["list", ["get", ITEM, 0]]]],
        [[None, "block", 0]],
        [[None, "loop", 1, True, "j", ["range", 0, ["-", ["get", ITEM, 1], 1], 1], True]],
        [[None, "block", 2]],
        [[None, "loop", 3, True, "i", pairs, True]],
    ]
    formula_ = formula(blocks).derivation.formula
    expected = "sizes_0·sizes_1 + sizes_1·sizes_2 − sizes_0 − sizes_1"
    assert formula_ == formula_in(expected)


def test_two_lengths_by_one_condition_are_two_shapes(formula):
    length = ["if", ["<", ITEM, F("k")], F("a"), F("p")]
    found = formula(loop(shape=[length, length]), {"p": 7})
    shapes = {tuple(map(str, one.shape)) for one in found.derivation.tensors}
    assert shapes == {("h", "a", "a"), ("h", "p", "p")}


@pytest.mark.parametrize("sign", ["<", ">="])
def test_a_storage_that_some_items_share_counts_once(formula, sign):
    blocks = loop()
    blocks[0] = [["w", "trainable", ["list", F("h")], [sign, ITEM, F("k")], [0]]]
    (tensor,) = formula(blocks).derivation.tensors
    assert (str(tensor.times), tensor.aliases) == ("1", ("x.*.w",))


def test_the_role_of_a_buffer_does_not_say_whether_it_is_saved(formula):
    rows = [["b", "temporary buffer", ["list", F("h")]], ["w", "trainable", ["list", F("h")]]]
    assert [one.role for one in formula([rows]).derivation.tensors] == ["buffer", "trainable"]


def test_the_experts_of_a_token_are_a_letter_though_no_constructor_reads_them(formula):
    rows = [["w", "trainable", ["list", F("h")]]]
    found = formula([rows], keys={"num_experts_per_tok": 2}).derivation
    assert found.sizes["num_experts_per_tok"] == 2
    assert found.inert == ("num_experts_per_tok",)


def test_a_key_that_wins_over_what_the_class_computes_is_a_letter(formula):
    x = ["if", ["has", ["config"], "x"], ["get", ["config"], "x"], ["*", 2, key("h")]]
    rows = [["w", "trainable", ["list", F("x")]]]
    assert str(formula([rows], fields={"x": x}).derivation.formula) == "2·h"
    assert str(formula([rows], {"x": 24}, {"x": x}).derivation.formula) == "x"


def test_a_layer_has_its_own_values_and_unrolls_its_loop(formula):
    own = ["dict", None, "1", ["dict", None, "a", ["*", 2, key("h")]]]
    found = formula(
        loop(shape=[["field", ["layer of", ["self"], ITEM], "a"]]),
        fields={"per_layer_config": own},
    )
    assert found.derivation.formula == formula_in("7·a·h + 2·h²")
    assert conditions(found) == {"l = 8": Outcome.OTHERS}

"""Variants that count kinds: lists have any order, and formulas that need an order are refused."""

from collections import Counter
from dataclasses import replace

import pytest

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("variants are derived again"),
]

transformers = pytest.importorskip("transformers")

from paramproof.catalogue.derivations import kept_variants, tensors_of, variants
from paramproof.catalogue.files import parse_type
from paramproof.derivation.pipeline import Effort, derive
from paramproof.formulas.derivation import FITTED
from paramproof.tracing.constructors import LayerKinds
from sweep.entries.added_variants import (
    VariantAdder,
    _Candidate,
    allowing_no_layers,
    without_kind_counts,
)
from sweep.entries.kind_lists import KindListFinder
from sweep.fields.variants import Change
from sweep.store import read_entry
from tests.paramproof.derivation.toys import toy

KINDS = LayerKinds("types", "depth", ("wide",), "narrow")


def constructor(odd=False):
    """Return a constructor of layers of two kinds; if ``odd``, a wide first one has a bias."""

    def make(width, **sizes):
        made = []
        for index, kind in enumerate(KINDS.drawn(sizes)):
            long = 3 * width if kind == "wide" else width
            made.append((f"layers.{index}.{kind}.weight", (long, width)))
            if odd and index == 0 and kind == "wide":
                made.append((f"layers.{index}.{kind}.bias", (long,)))
        return made

    sizes = {"width": 4, "depth": 9, **KINDS.sizes}
    return replace(toy(make, **sizes), numbers=tuple(KINDS.numbers))


def test_a_list_has_the_given_number_of_each_kind_in_another_order_each_time():
    lists = [KINDS.drawn({"depth": 9, "types[wide]": wide}) for wide in range(1, 8)]
    assert [Counter(one) for one in lists] == [{"wide": n, "narrow": 9 - n} for n in range(1, 8)]
    places = {tuple(KINDS.drawn({"depth": d, "types[wide]": 3})[:6]) for d in range(9, 40)}
    assert len(places) > 10
    kinds = replace(KINDS, last="wide")
    assert all(kinds.drawn({"depth": d, "types[wide]": 2})[-1] == "wide" for d in range(5, 30))


def test_too_many_layers_of_a_kind_are_refused():
    with pytest.raises(ValueError, match="types has more layers than depth"):
        KINDS.drawn({"depth": 3, "types[wide]": 3})


def test_the_number_of_a_kind_is_a_letter():
    found = derive(constructor())
    assert found.status == FITTED
    assert "n_wide < L" in {str(one.condition) for one in found.conditions}
    for depth, wide in ((9, 2), (30, 11)):
        count = found.count({"H": 5, "L": depth, "n_wide": wide})
        assert count == 25 * (3 * wide + (depth - wide))


def test_numbers_of_kinds_are_fixed_if_the_order_matters():
    """Such a formula is not added to an entry, since it holds for these numbers alone."""
    found = derive(constructor(odd=True), effort=Effort(far=False))
    assert "n_wide" in found.fixed


def test_a_kind_may_have_no_layers():
    found = derive(constructor())
    loose = allowing_no_layers(found, ["types[wide]"], ["depth"])
    sizes = {"H": 5, "L": 9}
    with pytest.raises(ValueError, match=r"\S"):
        found.count({**sizes, "n_wide": 0})
    with pytest.raises(ValueError, match=r"\S"):
        found.count({**sizes, "n_wide": 9})
    assert loose.count({**sizes, "n_wide": 0}) == 25 * 9
    assert loose.count({**sizes, "n_wide": 9}) == 25 * 27
    with pytest.raises(ValueError, match="n_wide ≤ L"):
        loose.count({**sizes, "n_wide": 10})


def test_an_entry_has_the_variant_that_is_found():
    data = read_entry("nemotron_h")
    again = VariantAdder(data, 120)
    (one,) = again.lists
    assert one.names["mamba"] == one.names["linear_attention"] == "linear_attention"
    assert set(one.counted.kinds) == {"linear_attention", "moe", "full_attention", "mlp"}
    base = transformers.NemotronHModel
    spelt = dict(KindListFinder(again.file, again.sweep, base).spellings(one))
    assert spelt == data["spelt"]
    candidate = next(one for one in again.candidates() if one.lists)
    assert again.add(candidate)
    known = next(
        v for v in data["classes"][candidate.name]["also"] if v.get("sized") == candidate.numbers
    )
    # Sizes that may be 0 are found later.
    known = {key: one for key, one in known.items() if key != "zero"}
    assert again.data["classes"][candidate.name]["also"][-1] == known


def test_removing_kind_counts_keeps_sizes_in_lists():
    """A number in the path of a size is not a kind."""
    data = read_entry("reformer")
    assert "axial_pos_shape[0] = 64" in data["letters"].values()
    assert without_kind_counts(data)["letters"] == data["letters"]
    counted = read_entry("nemotron_h")
    taken = set(counted["letters"].values()) - set(without_kind_counts(counted)["letters"].values())
    assert taken
    assert all("layers_block_type[" in field for field in taken)


def test_removing_kind_counts_keeps_the_other_variants():
    """A variant may contain another one by its place, which changes if one before it goes."""
    model, head = "GraniteMoeHybridModel", "GraniteMoeHybridForCausalLM"
    data = read_entry("granitemoehybrid")
    without = tensors_of_variants(without_kind_counts(data))
    of_model, of_head = (data["classes"][one]["also"] for one in (model, head))
    counting = next(one for one in of_model if one.get("sized"))
    of_model.insert(0, counting)
    for one in of_model + of_head:
        one |= {"variant": one["variant"] + 1} if "variant" in one else {}
    assert tensors_of_variants(without_kind_counts(data)) == without
    assert len(without) > 6


def tensors_of_variants(data):
    file = parse_type(data)
    return [tensors_of(file, one) for name in file.classes for one in variants(file, name)]


def test_a_held_change_at_other_sizes_is_missing_until_a_variant_holds_there():
    data = read_entry("electra")
    model = data["classes"]["ElectraModel"]
    assert VariantAdder(data, 120, count=False).missing_changes("ElectraModel") == []
    other = next(one for one in model["also"] if not one.keys() & {"where", "sized"})
    model["also"].remove(other)
    data["classes"] = {"ElectraModel": model}
    (change,) = VariantAdder(data, 120, count=False).missing_changes("ElectraModel")
    assert change.at == {"embedding_size": 256}


def test_a_held_change_has_a_variant_with_the_same_list_of_sizes():
    adder = VariantAdder(read_entry("mllama"), 120, count=False)
    first, longer = kept_variants(adder.file, "MllamaModel")
    (change,) = adder.held_changes("MllamaModel")
    ((path, sizes),) = change.lists.items()
    assert adder.has_change(longer, change)
    assert not adder.has_change(first, change)
    for other in ([*sizes[:-1], 99], [*sizes, 99]):
        assert not adder.has_change(longer, change._replace(lists={path: other}))
    assert change.items[f"{path}[19]"] == sizes[-1]


def test_the_changed_fields_of_a_variant_decide():
    data = read_entry("dinov2")
    adder = VariantAdder(data, 120, count=False)
    first = adder.data["classes"]["Dinov2Model"]
    adder.add_deciding(first, _Candidate("Dinov2Model", Change({"hidden_act": "relu"}), ()))
    assert "hidden_act" in first["decides"]
    assert adder.data["fields"]["hidden_act"] == "gelu"
    assert "hidden_act" not in data["fields"]


def test_a_bias_flag_with_one_value_gets_the_other():
    data = read_entry("llama")
    model = data["classes"]["LlamaModel"]
    known = next(one for one in model["also"] if one["where"] == {"attention_bias": True})
    adder = VariantAdder(data, 120, count=False)
    # A change that ties a head has no variant in a class without one.
    for name in ("LlamaModel", "LlamaForCausalLM", "LlamaForSequenceClassification"):
        assert adder.missing_changes(name) == []
    without = [one for one in model["also"] if "attention_bias" not in one["where"]]
    data["classes"] = {"LlamaModel": {**model, "also": without}}
    again = VariantAdder(data, 120, count=False)
    changes = {str(one.change.where): one for one in again.candidates()}
    candidate = changes[str({"attention_bias": True})]
    assert again.add(candidate)
    *others, added = again.data["classes"]["LlamaModel"]["also"]
    assert others == without
    assert added["contains"] == known["contains"]
    assert added["tensors"] == known["tensors"]


def test_a_size_that_is_null_elsewhere_decides_and_the_values_of_the_class_are_kept():
    """UPerNet with a Swin needs all stages of it, also where a width of its head is given."""
    name, width = "UperNetForSemanticSegmentation", "auxiliary_in_channels"
    data = read_entry("upernet+swin")
    own = data["classes"][name]
    known = next(one for one in own["also"] if one.get("sized") == [width])
    assert known["where"] == own["where"]
    own["also"].remove(known)
    own["decides"].remove(width)
    adder = VariantAdder(data, 120, count=False)
    (candidate,) = (one for one in adder.candidates() if one.change.sized)
    assert adder.add(candidate)
    again = adder.data["classes"][name]
    assert width in again["decides"]
    assert again["also"][-1]["where"] == own["where"]

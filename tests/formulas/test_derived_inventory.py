"""A derived formula as an inventory: in letters and ints, with several kinds of layers."""

import numpy as np
import pytest

from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.formulas.conventions import count
from paramproof.formulas.expression import floor
from tests.derivations import MIXTURE, NUMBER, D, E, F, H, L, V, k, tensor, with_tensors
from tests.specs import SPECS


@pytest.fixture
def mixture():
    return MIXTURE.inventory(MIXTURE.sizes)


def test_it_counts_what_the_formula_does(mixture):
    assert MIXTURE.inventory().total() == MIXTURE.formula
    assert mixture.total() == MIXTURE.count(MIXTURE.sizes) == NUMBER
    assert {one.source for one in mixture} == {MIXTURE.name}


def test_other_sizes():
    sizes = {**MIXTURE.sizes, "L": 9, "D": 9}
    assert MIXTURE.inventory(sizes).total() == MIXTURE.formula.evaluate(sizes)
    absent = [one.path for one in MIXTURE.inventory(sizes) if not one.present]
    assert absent == ["model.layers.*.mlp.experts.*.weight", "model.layers.*.mlp.router.weight"]
    assert MIXTURE.inventory(sizes).letters["L"] == 9


@pytest.mark.parametrize(
    ("changes", "sizes", "line"),
    [({}, {"H": 9}, "where A divides H"), ({"fixed": ("L",)}, {"L": 6}, "at L = 5")],
)
def test_nothing_is_counted_outside_the_conditions(changes, sizes, line):
    derivation = with_tensors(*MIXTURE.tensors, **changes)
    sizes = {**MIXTURE.sizes, **sizes}
    assert not derivation.has(sizes)
    assert derivation.has(MIXTURE.sizes)
    for way in (derivation.inventory, derivation.count, derivation.at):
        with pytest.raises(ValueError, match=rf"^{MIXTURE.name}: the formula holds {line}$"):
            way(sizes)


def test_tied_and_fixed_tensors(mixture):
    tied = [one for one in mixture if one.tied_to]
    assert [(one.path, one.tied_to, one.shape) for one in tied] == [
        ("model.head.weight", "model.embed_tokens.weight", (50, 8))
    ]
    fixed = [one.path for one in mixture if not one.trainable]
    assert fixed == ["model.embed_positions.weight"]
    more = [count(mixture, name) - NUMBER for name in ("total", "tied-each", "listed")]
    assert more == [9 * 8, 50 * 8, 9 * 8 + 50 * 8]
    assert MIXTURE.buffers == ("model.rotary", "model.ids of (9)")
    assert not [one.path for one in mixture if "rotary" in one.path]


def test_components():
    mixture = MIXTURE.inventory()
    assert [*mixture.below()] == ["model", "score"]
    assert [*mixture.below("model.layers.*.mlp")] == [
        f"model.layers.*.mlp.{name}" for name in ("weight", "experts", "router")
    ]
    assert mixture.total("model.layers.*.attention") == H**2 + H
    assert mixture.total("model.layers.*.mlp.experts") == F * H
    mlp = D * F * H + (L - D) * (E * F * H + E * H)
    assert mixture.total("model.layers") == L * (H**2 + 2 * H) + mlp
    assert mixture.total("score") == k * H


def test_layers_of_several_kinds():
    kinds = MIXTURE.inventory().kinds("model.layers.*")
    assert {times: kind.total() for times, kind in kinds.items()} == {
        L: L * (H**2 + 2 * H),
        D: D * F * H,
        E * (L - D): E * (L - D) * F * H,
        L - D: (L - D) * E * H,
    }


def test_one_layer_of_several_kinds_has_no_number(mixture):
    for component in ("model.layers.*", "model.layers.*.mlp"):
        with pytest.raises(ValueError, match=r"^model.* has several kinds"):
            mixture.total(component)
    two = with_tensors(tensor("h.*.a", H, times=L), tensor("h.*.b", F, times=D)).inventory()
    with pytest.raises(ValueError, match=r"^h\.\* has several kinds"):
        two.total("h.*")
    assert two.total("h.*.a") == H


def test_a_derived_inventory_cannot_be_expanded(mixture):
    with pytest.raises(TypeError, match=r"^only a family's inventory in ints can be expanded$"):
        mixture.expand()
    assert (mixture.letters["V"], MIXTURE.inventory().letters["V"]) == (50, V)


@pytest.mark.parametrize("convention", ["tied-each", "listed"])
def test_a_storage_with_an_unknown_number_of_names(convention):
    shared = tensor("layers.*.weight", H, H, aliases=("layers.*.weight",))
    one = tensor("embedding", V, H, aliases=("layers.*.table",))
    for storage, name in ((shared, "weight"), (one, "table")):
        mixture = with_tensors(storage).inventory()
        assert count(mixture, "trainable") == mixture.total()
        line = rf"^{convention} cannot be decided: layers\.\*\.{name} is one storage with"
        with pytest.raises(ValueError, match=line):
            count(mixture, convention)
    each = tensor("layers.*.up", V, H, times=L, aliases=("layers.*.down",))
    mixture = with_tensors(each).inventory()
    assert count(mixture, convention) == 2 * mixture.total()


def test_sizes_at_which_an_architecture_exists():
    assert MIXTURE.has({"H": 16})
    assert not MIXTURE.has({"H": 7})
    family = FamilyArchitecture.of(SPECS["encoder"])
    assert (family.has({"L": 1}), family.has({"V": 0})) == (True, False)


def test_further_names_come_last():
    some = with_tensors(tensor("a", V, H, aliases=("c",)), tensor("b", H, times=L - L)).inventory()
    found = [(one.path, one.tied_to, one.present) for one in some]
    assert found == [("a", None, 1), ("b", None, 0), ("c", "a", 1)]


def test_tensors_of_their_own():
    tied = with_tensors(
        tensor("a", V, H, aliases=("b", "c")), tensor("d", H, aliases=("e",)), tensor("f", k)
    )
    assert tied.untied([]) is tied
    assert tied.untied(["c"]).tensors == (
        tensor("a", V, H, aliases=("b",)),
        tensor("c", V, H),
        tensor("d", H, aliases=("e",)),
        tensor("f", k),
    )
    both = tied.untied(iter(["e", "b"]))
    assert "".join(one.path for one in both.tensors) == "abdef"
    assert [one.aliases for one in both.tensors] == [("c",), (), (), (), ()]
    assert both.formula == 2 * V * H + 2 * H + k


def test_a_shape_that_is_not_a_whole_number():
    half = with_tensors(tensor("a", H / 2))
    assert half.inventory({**MIXTURE.sizes, "H": 6}).total() == 3
    with pytest.raises(ValueError, match="7/2 is not a whole number"):
        half.inventory({**MIXTURE.sizes, "H": 7, "A": 1})


@pytest.mark.parametrize(("way", "what"), [("count", "the formula"), ("inventory", "b")])
def test_a_length_without_a_value(way, what):
    """Even if no such tensor occurs."""
    some = with_tensors(tensor("a", H), tensor("b", floor(H, E - 4), times=E - 4), conditions=())
    with pytest.raises(ValueError, match=rf": {what} has no value at .*E = 4: it divides by 0$"):
        getattr(some, way)(MIXTURE.sizes)


def test_sizes_as_ints_of_numpy():
    rounded = with_tensors(tensor("a", floor(V, H)))
    large = {**MIXTURE.sizes, "V": 2**61 + 8}
    assert rounded.count({name: np.int64(size) for name, size in large.items()}) == 2**58 + 1

"""The derivation of each constructor in this folder: formula, conditions, caveats, errors."""

import re

import pytest

from paramproof.derivation.pipeline import DerivationError
from paramproof.tracing.constructors.function import function_constructor, packages_of
from tests.frameworks.derive.deriving import conditions, count, derived, load
from tests.frameworks.modules import nn

pytestmark = [
    pytest.mark.framework("torch"),
    pytest.mark.shared("a case for each use of a size, condition and branch"),
    pytest.mark.filterwarnings("ignore:Initializing zero-element tensors"),
]

CASES = load()


def test_there_are_enough_cases():
    assert len(CASES) >= 65


@pytest.mark.parametrize("name", CASES)
def test_derived(name):
    case, name = CASES[name], name.rstrip("+")
    if case.error:
        with pytest.raises(DerivationError, match=rf"^{name}\W+{re.escape(case.error)}"):
            derived(name)
        return
    found = derived(name, **dict(case.sizes))
    assert str(found.formula) == case.formula
    stated = conditions(found)
    assert stated.keys() == case.conditions.keys()
    assert all(said in stated[condition] for condition, said in case.conditions.items())
    assert [str(condition) for condition in found.irrelevant_guards] == [*case.irrelevant]
    assert ",".join(found.fixed) == case.fixed
    assert len(found.reasons) == len(case.reasons), found.reasons
    file = f"{name.partition(':')[0]}.py:"
    starts = [f"{said}{file}" if said.endswith("(") else said for said in case.reasons]
    assert all(map(str.startswith, found.reasons, starts)), found.reasons
    assert found.is_proved == (not case.reasons)
    if name.startswith("branches:"):
        places = [place for one in found.conditions for place in one.places]
        assert len(places) >= len(stated)
        assert all(place[0].endswith("branches.py") for place in places)
    for sizes in ({}, *case.at):
        letters = in_letters(found, sizes)
        assert found.count(letters) == count(name, **dict(case.sizes) | sizes)
    for sizes in case.beyond:
        letters = in_letters(found, sizes)
        assert found.formula.evaluate(letters) != count(name, **sizes)
        with pytest.raises(ValueError, match="the formula holds "):
            found.count(letters)


def in_letters(found, sizes):
    """Return sizes by letter, on top of those that the formula was derived at."""
    return {letter: sizes.get(field, found.sizes[letter]) for letter, field in found.fields.items()}


@pytest.mark.parametrize("seed", range(6))
def test_what_does_harm_with_another_is_the_only_condition(seed):
    """With any random sizes, the other guard turns out to be irrelevant."""
    found = derived("branches:odd_where_large", seed)
    assert conditions(found) == {"2 divides H": "the constructor refuses: ValueError: odd"}
    assert [str(condition) for condition in found.irrelevant_guards] == ["V > 50"]


def test_where_a_formula_is_proved():
    """An irrelevant guard bounds the proof only."""
    found = derived("branches:moves_nothing")
    inside, beyond = (in_letters(found, {"vocab_size": size}) for size in (25_000, 25_001))
    assert not found.reasons_at(inside)
    assert found.reasons_at(beyond)
    assert found.count(beyond) == count("branches:moves_nothing", vocab_size=25_001)


def test_every_third_layer():
    found = derived("loops:every")
    for layers in range(1, 12):
        for every in (1, 2, 5, 20):
            sizes = {"hidden_size": 3, "layers": layers, "every": every}
            assert found.count(in_letters(found, sizes)) == count("loops:every", **sizes)


@pytest.mark.parametrize("name", ["by_chance", "by_number_of_calls"])
def test_what_changes_from_build_to_build_is_not_derived(name):
    with pytest.raises(DerivationError, match=f"^branches:{name}: not (as derived|explained)"):
        derived(f"branches:{name}")


def test_the_environment_is_not_seen(monkeypatch):
    """A branch on the environment leaves no caveat, as docs/evidence.md describes."""
    found = derived("branches:by_environment")
    assert (str(found.formula), found.is_proved, found.conditions) == ("H² + H", True, ())
    monkeypatch.setenv("WITHOUT_BIAS", "1")
    assert found.count({"H": 8}) != count("branches:by_environment")
    assert str(derived("branches:by_environment").formula) == "H²"


def test_a_model_is_validated_far_away():
    low, high = derived("branches:moves_nothing").validated["H"]
    assert low < 8
    assert high >= 8 * 300 * 0.7


def test_how_each_tensor_is_found():
    """Shapes are fitted where sizes are not followed, and read off the code elsewhere."""
    for name, traced in (("through_json", False), ("through_a_cache", True)):
        assert {tensor.traced for tensor in derived(f"lost:{name}").tensors} == {traced}
    assert all(tensor.looped for tensor in derived("loops:guarded").tensors)


def test_roles_names_and_shapes_of_tensors():
    def tensors(name):
        return {
            (one.path, one.role, "·".join(map(str, one.shape)), str(one.times), *one.aliases)
            for one in derived(name).tensors
        }

    assert ("*.weight", "frozen", "V·H", "1") in tensors("tensors:frozen")
    assert tensors("tensors:tied") == {("embedding.weight", "trainable", "V·H", "1", "head.weight")}
    assert tensors("tensors:buffers") >= {
        ("running_mean", "buffer", "H", "1"),
        ("position_ids", "buffer", "1·po", "1"),
        ("num_batches_tracked", "buffer", "", "1"),
    }
    # It is as it is, and not as it was made.
    shapes = {"A·H", "H·A"}
    assert tensors("tensors:transposed") == {("*", "trainable", one, "1") for one in shapes}
    # nn.TransformerEncoder copies its layer, as often as a loop over a size says.
    assert {one[3] for one in tensors("tensors:encoder")} == {"L"}
    assert {one[0] for one in tensors("loops:encoder") if one[0].endswith("weight")} == {
        "layers.encoder_layer_*.weight",
        "norm1.weight",
    }
    assert {one[0] for one in tensors("loops:stages")} == {
        f"stage*.block_*.fc{n}.{leaf}" for n in (1, 2) for leaf in ("weight", "bias")
    }


def test_a_buffer_that_nothing_explains_is_named():
    found = derived("tensors:strange_buffer")
    assert found.unexplained == ("bits (buffer)",)


def test_a_fixed_letter_keeps_its_size():
    found = derived("lost:named_by_two")
    with pytest.raises(ValueError, match="the formula holds at "):
        found.count({**found.sizes, found.fixed[0]: 5})


def test_the_packages_of_every_submodule_and_of_what_it_inherits_from():

    from tests.foolers import another_package

    class Own(another_package.otherlib.Stack):
        pass

    assert packages_of(nn.Sequential(nn.Linear(2, 2))) == ()
    assert "otherlib" in packages_of(nn.Sequential(Own(2, 1)))
    made = function_constructor("another_package:gate", another_package.gate_of_a_library)
    assert "otherlib" in made.modules

"""Families from other distributions: which entry points are read, in which order, and errors."""

from dataclasses import dataclass, replace
from importlib import metadata
from types import SimpleNamespace
from typing import ClassVar, NamedTuple

import pytest

from paramproof.formulas import FAMILIES
from paramproof.formulas.errors import InvalidInput, UnknownName
from paramproof.formulas.expression import letter
from paramproof.formulas.families import (
    ENTRY_POINTS,
    OURS,
    family_named,
    printing_order,
    registered,
)
from paramproof.formulas.installation import broken_plugins, note_broken
from paramproof.formulas.notation import BUILT_IN
from paramproof.formulas.printing import MAX_NOTE_SHOWN
from paramproof.formulas.spec import Rows, head_size_of
from tests.fixtures import forget
from tests.outsider.mixer import FAMILY, MixerLetters, MixerSpec
from tests.specs import SPECS

MIXER = "tests.outsider.mixer:FAMILY"
SOURCE = "tests.outsider.mixer:SOURCE"
GONE = "tests.outsider.gone:FAMILY"


@pytest.fixture
def entries(monkeypatch):
    """Register entry points by name and value, replacing the installed ones."""

    def put(**values):
        found = [metadata.EntryPoint(name, value, ENTRY_POINTS) for name, value in values.items()]
        places = {"paramproof.families": found}
        monkeypatch.setattr(metadata, "entry_points", lambda group: places[group])
        forget()

    yield put
    forget()


def test_ours_come_first(entries):
    entries(a_mixer=MIXER)
    assert list(registered().values()) == [*OURS, FAMILY]
    assert FAMILIES["mixer"] is FAMILY
    assert printing_order(FAMILY.letters).layers == ("B", "N", "M", "L")


def test_without_entry_points_only_ours_exist(entries):
    entries()
    assert tuple(registered().values()) == OURS


def test_printing_loads_no_other_families(entries):
    """A broken family is reported when families are requested, not when a sum is printed."""
    entries(gone="tests.outsider.gone:FAMILY")
    assert str(letter("V") * letter("H") + letter("S")) == "V·H + S"
    assert not broken_plugins()
    registered()
    assert broken_plugins()


def test_a_letter_of_another_kind_than_ours_is_refused(entries):
    """``H`` is a width in the families of this package."""

    class Letters(NamedTuple):
        H: Rows

    with pytest.raises(ValueError, match=r"^the letter H of Letters"):
        printing_order(Letters)
    assert printing_order(FAMILY.letters) != BUILT_IN


class ClashingLetters(MixerLetters):
    """Letters in which the hidden size is a number of rows."""

    H: Rows


@dataclass(frozen=True, kw_only=True)
class ClashingSpec(MixerSpec):
    family: ClassVar[str] = "clashing"

    def letters(self):
        return ClashingLetters(*MixerSpec.letters(self))


CLASHING = replace(FAMILY, spec=ClashingSpec, letters=ClashingLetters)

CLASH = "tests.formulas.test_registering:CLASHING"

NOT_FAMILIES = [
    (
        *({"clashing": CLASH}, "clashing", CLASH),
        "the letter H of clashing is rows of a table, but a width in encoder",
    ),
    ({"one": MIXER, "two": MIXER}, "two", MIXER, "a family named 'mixer' exists already"),
    ({"gone": GONE}, "gone", GONE, "ModuleNotFoundError: No module named 'tests.outsider.gone'"),
    ({"spec": SOURCE}, "spec", SOURCE, "it is not a Family, but of type str"),
]


@pytest.mark.parametrize(("values", "name", "where", "reason"), NOT_FAMILIES)
def test_other_objects_are_an_error_when_requested(entries, values, name, where, reason):
    entries(**values)
    assert tuple(registered().values())[: len(OURS)] == OURS
    (broken,) = broken_plugins()
    assert (broken.where, reason in broken.reason) == (where, True)
    for meant in (name, name.upper()):
        with pytest.raises(InvalidInput) as refused:
            family_named(meant)
        assert refused.value is broken


def test_a_broken_family_does_not_affect_others(entries):
    entries(a=GONE, b=SOURCE, mixer=MIXER, z=MIXER)
    assert list(registered().values()) == [*OURS, FAMILY]
    assert family_named("Mixer") is FAMILY
    assert len(broken_plugins()) == 3


def test_an_unregistered_name_is_unknown(entries):
    entries(gone=GONE)
    with pytest.raises(UnknownName) as refused:
        family_named("mixer")
    assert (refused.value.name, refused.value.kind) == ("mixer", "family")


@pytest.mark.parametrize(
    ("problem", "why"),
    [(KeyError("x"), "KeyError: 'x'"), ("it is not a Family\x1b", r"it is not a Family\x1b")],
)
def test_the_reason_names_the_plugin_and_its_distribution(entries, problem, why):
    entries()
    alone = metadata.EntryPoint("mine\n", MIXER, ENTRY_POINTS)
    note_broken(alone, problem)
    note_broken(alone, "a later problem")
    (broken,) = broken_plugins()
    assert broken.reason == rf"the plug-in mine\n cannot be used: {why}"
    assert broken.where == MIXER
    forget()
    owned = SimpleNamespace(
        name="mine", value=MIXER, group=ENTRY_POINTS, dist=SimpleNamespace(name="my\ndist")
    )
    note_broken(owned, problem)
    (broken,) = broken_plugins()
    assert broken.reason == rf"the plug-in mine of my\ndist cannot be used: {why}"


def test_a_long_error_is_cut(entries):
    entries(long=f"tests.outsider.{'x' * 300}:FAMILY")
    registered()
    (broken,) = broken_plugins()
    start = "the plug-in long cannot be used: "
    assert broken.reason.startswith(start)
    assert broken.reason.endswith("...")
    assert len(broken.reason) <= len(start) + MAX_NOTE_SHOWN


def test_the_size_of_a_head():
    assert head_size_of(SPECS["llama"]) == head_size_of(SPECS["llama"].letters()) == 4
    assert head_size_of(SimpleNamespace(hidden_size=3)) == 1

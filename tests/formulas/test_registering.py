"""Families from outside: which entries are read, in which order, and what each error says."""

from importlib import metadata
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from paramproof.formulas import FAMILIES
from paramproof.formulas.alphabet import BUILT_IN
from paramproof.formulas.expression import letter
from paramproof.formulas.families import ENTRY_POINTS, OURS, printing_order, registered
from paramproof.formulas.spec import Rows
from paramproof.formulas.spec.protocols import head_size_of
from tests.fixtures import forget
from tests.outsider.mixer import FAMILY
from tests.specs import SPECS

MIXER = "tests.outsider.mixer:FAMILY"


@pytest.fixture
def entries(monkeypatch):
    """Register entries by name and value, in the place of those that are installed."""

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


def test_without_any_there_are_ours(entries):
    entries()
    assert tuple(registered().values()) == OURS


def test_printing_loads_no_family_from_outside(entries):
    """A broken one is reported when somebody asks for families, and not when a sum is printed."""
    entries(gone="tests.outsider.gone:FAMILY")
    assert str(letter("V") * letter("H") + letter("S")) == "V·H + S"
    with pytest.raises(ValueError, match="gone"):
        registered()


def test_a_letter_of_another_kind_than_ours_is_refused(entries):
    """``H`` is a width in the families of this package."""

    class Letters(NamedTuple):
        H: Rows

    with pytest.raises(ValueError, match=r"^the letter H of Letters"):
        printing_order(Letters)
    assert printing_order(FAMILY.letters) != BUILT_IN


NOT_FAMILIES = [
    (
        {"one": MIXER, "two": MIXER},
        f"{MIXER}: there is a family 'mixer' already",
    ),
    (
        {"gone": "tests.outsider.gone:FAMILY"},
        "tests.outsider.gone:FAMILY is registered as a family and cannot be imported: "
        "ModuleNotFoundError: No module named 'tests.outsider.gone'",
    ),
    (
        {"spec": "tests.outsider.mixer:SOURCE"},
        "tests.outsider.mixer:SOURCE is registered as a family and is of type str",
    ),
]


@pytest.mark.parametrize(("values", "message"), NOT_FAMILIES)
def test_what_is_no_family(entries, values, message):
    entries(**values)
    with pytest.raises(ValueError, match=r"family") as refused:
        list(FAMILIES)
    assert str(refused.value) == message


def test_the_first_words_of_a_long_error_are_enough(entries):
    entries(long=f"tests.outsider.{'x' * 300}:FAMILY")
    with pytest.raises(ValueError, match=r"cannot be imported") as refused:
        list(FAMILIES)
    problem = str(refused.value).partition("imported: ")[2]
    assert (len(problem), problem[-3:]) == (200, "...")


def test_the_size_of_a_head():
    assert head_size_of(SPECS["llama"]) == head_size_of(SPECS["llama"].letters()) == 4
    assert head_size_of(SimpleNamespace(hidden_size=3)) == 1

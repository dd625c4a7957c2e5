"""The registry of families: what it finds, here and in other distributions, and what it refuses."""

import re
from dataclasses import asdict, dataclass, make_dataclass
from importlib import metadata
from types import SimpleNamespace
from typing import ClassVar, NamedTuple

import pytest

import paramproof
from paramproof import formulas
from paramproof.formulas import FAMILIES, Family, closed_form, inventory
from paramproof.formulas.errors import BROKEN_PLUGINS, InvalidInput, UnknownName, load_plugins
from paramproof.formulas.expression import LETTERS, letter, text
from paramproof.formulas.families import (
    ENTRY_POINTS,
    OURS,
    family_named,
    registered,
    spec_fields,
    spec_from,
)
from paramproof.formulas.printing import MAX_NOTE_SHOWN
from paramproof.formulas.spec import LAYERS, Width, head_size_of
from tests.fixtures import forget
from tests.outsider.mixer import FAMILY
from tests.specs import SPECS


def test_every_family_is_listed():
    assert list(FAMILIES) == ["encoder", "encoder-decoder", "gpt", "llama"]
    assert {family.name: family for family in OURS} == FAMILIES
    for family in OURS:
        assert getattr(formulas, family.letters.__name__) is family.letters
        assert {family.spec.__name__, family.letters.__name__} <= {*formulas.__all__}
        assert family.spec.__name__ in paramproof.__all__


class WidthOnly(NamedTuple):
    H: Width


class OtherLetters(NamedTuple):
    H: Width


@dataclass(frozen=True)
class LargeSpec:
    family: ClassVar[str] = "large"
    ranges: ClassVar[dict[str, tuple[int, int]]] = {"hidden_size": (1, 3)}
    hidden_size: int

    def letters(self):
        return OtherLetters(self.hidden_size) if self.hidden_size > 2 else WidthOnly(1)


def test_both_ends_of_the_ranges_of_a_family_are_checked():
    """tests/contract/test_outside_family.py has the other mistakes that a family may have."""
    with pytest.raises(ValueError, match=r"^the family of LargeSpec: .* WidthOnly: OtherLetters"):
        Family(LargeSpec, WidthOnly, inventory, closed_form)
    nameless = make_dataclass("Nameless", ["width"], namespace={"family": "nameless"})
    with pytest.raises(ValueError, match=r"^the family of Nameless: .* the field hidden_size$"):
        Family(nameless, WidthOnly, inventory, closed_form)


@pytest.mark.parametrize("given", [tuple(SPECS["gpt"].letters()), 7, None])
def test_other_objects_have_no_family(given):
    for derivation in (inventory, closed_form):
        with pytest.raises(InvalidInput, match=r"belongs to no family; pass spec\.letters\(\)$"):
            derivation(given)


def test_the_fields_of_a_spec():
    """Its family comes first; without one it is an encoder."""
    fields = spec_fields(SPECS["llama"])
    assert [*fields] == ["family", *FAMILIES["llama"].field_names]
    assert spec_from(fields) == SPECS["llama"]
    assert fields["family"] == "llama", "the argument is not modified"
    assert spec_from(asdict(SPECS["encoder"])) == SPECS["encoder"]


@pytest.mark.parametrize(
    ("change", "unknown"),
    [
        ({"type_vocab_size": 2}, "type_vocab_size"),
        ({"family": "llama"}, "max_position_embeddings"),
        ({"self": 1, "kind": 2}, "self"),
    ],
)
def test_an_unknown_field_is_refused(change, unknown):
    line = f"does not have the field {unknown!r}"
    with pytest.raises(InvalidInput, match=re.escape(line[:100])) as refusal:
        spec_from(spec_fields(SPECS["gpt"]) | change)
    assert len(str(refusal.value)) < 500


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
    entries()
    assert tuple(registered().values()) == OURS
    entries(a_mixer=MIXER)
    assert list(registered().values()) == [*OURS, FAMILY]
    assert FAMILIES["mixer"] is FAMILY
    assert LETTERS[LAYERS] == ["B", "N", "M", "L"]
    b, s, h, d = map(letter, "BSHD")
    assert text(b * (s * h + h * d)) == "B·(H·D + S·H)"
    assert head_size_of(SimpleNamespace(hidden_size=3)) == 1


def test_printing_loads_no_other_families(entries):
    """A broken family is reported when families are requested, not when a sum is printed."""
    entries(gone=GONE, mixer=MIXER)
    assert str(letter("V") * letter("H") + letter("S")) == "V·H + S"
    assert not BROKEN_PLUGINS
    registered()
    assert BROKEN_PLUGINS
    assert str(letter("V") * letter("H") + letter("S")) == "V·H + S"


def test_a_broken_family_does_not_affect_others(entries):
    entries(a=GONE, b=SOURCE, mixer=MIXER, z=MIXER)
    assert list(registered().values()) == [*OURS, FAMILY]
    assert family_named("Mixer") is FAMILY
    assert len(BROKEN_PLUGINS) == 3
    with pytest.raises(UnknownName) as refused:
        family_named("mixture")
    assert (refused.value.name, refused.value.kind) == ("mixture", "family")


@pytest.mark.parametrize(
    ("problem", "why"),
    [
        (KeyError("x"), "KeyError: 'x'"),
        (SystemExit("y"), "SystemExit: y"),
        (InvalidInput("taken\x1b"), r"taken\x1b"),
    ],
)
@pytest.mark.parametrize("owned", [True, False])
def test_the_reason_names_the_plugin_and_its_distribution(
    entries, monkeypatch, problem, why, owned
):
    """The first error is kept, if a plug-in is loaded several times."""
    entries()
    dist = SimpleNamespace(name="my\ndist") if owned else None
    entry = SimpleNamespace(name="mine\n", value=MIXER, dist=dist)
    monkeypatch.setattr(metadata, "entry_points", lambda group: [entry] * (group == ENTRY_POINTS))
    problems = [KeyError("a later problem"), problem]

    def add(_):
        raise problems.pop()

    for _ in range(2):
        load_plugins(ENTRY_POINTS, add)
    (broken,) = BROKEN_PLUGINS.values()
    by = r" of my\ndist" if owned else ""
    assert broken.reason == rf"the plug-in mine\n{by} cannot be used: {why}"
    assert broken.where == MIXER


def test_a_long_error_is_cut(entries):
    entries(long=f"tests.outsider.{'x' * 300}:FAMILY")
    registered()
    (broken,) = BROKEN_PLUGINS.values()
    start = "the plug-in long cannot be used: "
    assert broken.reason.startswith(start)
    assert broken.reason.endswith("...")
    assert len(broken.reason) <= len(start) + MAX_NOTE_SHOWN

"""What the sweep writes of a derivation, the catalogue reads back."""

from dataclasses import replace

import pytest

from paramproof.catalogue.derivations import derivation_of, variants
from paramproof.catalogue.files import parse_type
from sweep.entries.entry_data import class_data
from tests.derivations import MIXTURE

VALIDATED = {"V": (2, 700), "H": (4, 64), "L": (1, 9), "k": (1, 14)}


def read_back(derivation):
    data = {
        "format": 1,
        "model_type": "mixture",
        "versions": {},
        "letters": {name: f"{field} = 3" for name, field in derivation.fields.items()},
        "classes": {derivation.name: class_data(derivation, [])},
    }
    file = parse_type(data)
    (written,) = variants(file, derivation.name)
    return derivation_of(file, written, dict(derivation.sizes))


@pytest.mark.parametrize(
    ("changes", "written"),
    [
        ({"caveats": ("a doubt",)}, "V 2..700, H 4..64, L 1..9, k 1..14"),
        ({"fixed": ("A",)}, "V 2..700, H 4..64, L 1..9, k 1..14"),
        ({"caveats": ("a doubt",), "inert": ("H", "k")}, "V 2..700, L 1..9"),
        ({"caveats": ("a doubt",), "validated": {}}, None),
        ({}, None),
    ],
)
def test_a_fitted_class_records_its_validated_sizes(changes, written):
    """A proved formula holds elsewhere too, and an unused size may have any value."""
    derivation = replace(MIXTURE, **{"validated": VALIDATED, **changes})
    data = class_data(derivation, [])
    assert data.get("validated") == written
    again = read_back(derivation)
    assert again.status == derivation.status
    assert again.reasons == derivation.reasons
    if written:
        sizes = {**MIXTURE.sizes, "L": 10}
        assert again.reasons_at(sizes) == derivation.reasons_at(sizes)
        assert any("L = 10 lies outside" in one for one in again.reasons_at(sizes))
